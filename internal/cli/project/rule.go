package project

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Set gives a folder and all below it the memory of an agent. Errors: [workspace.ErrInvalid] and
// those of the store.
func (r Records) Set(ctx context.Context, folder, agent string) error {
	if _, err := workspace.ParseAgentID(agent); err != nil {
		return err
	}
	return r.rule(ctx, folder, agent)
}

// SetOff says that there is no memory for a folder and all below it. The errors are those of Set.
func (r Records) SetOff(ctx context.Context, folder string) error { return r.rule(ctx, folder, "") }

func (r Records) rule(ctx context.Context, folder, agent string) error {
	place, err := At(folder)
	if err == nil && !utf8.ValidString(place.Folder) {
		err = workspace.Errorf(workspace.ErrInvalid, "the path of the folder is not valid UTF-8; rename it")
	}
	if err != nil {
		return err
	}
	return update(r.system(ctx), folderKey(r, hash(place.Folder)), func(have *rule) bool {
		want := rule{place.Folder, agent}
		changed := *have != want
		*have = want
		return changed
	})
}

// Join gives the repository of a folder the memory that is offered to it, and returns that project.
// Errors: [workspace.ErrUnsupported] if the database is no local file, [workspace.ErrNotFound] if
// nothing is offered, [workspace.ErrConflict] if the repository's own memory holds something, and
// those of the store.
func (r Records) Join(ctx context.Context, folder string) (with Known, err error) {
	place, err := At(folder)
	if err != nil {
		return with, err
	}
	p, err := r.Find(ctx, place)
	if err == nil {
		err = r.checkJoin(ctx, &p)
	}
	if err != nil {
		return with, err
	}
	repo := place.repo
	_, key, err := r.known(ctx, repo, repo.MakeID())
	if err == nil {
		err = update(r.system(ctx), repositoryKey(r, key), func(k *kept) bool {
			others := slices.DeleteFunc(k.Folders, func(f string) bool { return f == repo.Top })
			*k = kept{p.Offer.Agent, append(others, repo.Top), repo.Origin()}
			return true
		})
	}
	if err == nil {
		err = r.unclaim(ctx, p.Agent, key)
	}
	return *p.Offer, err
}

// checkJoin finds what is offered to a project, also if the project is settled.
func (r Records) checkJoin(ctx context.Context, p *Project) (err error) {
	const instead = "; scratchpad projects set FOLDER AGENT shares a memory on purpose"
	switch {
	case !r.Local:
		return workspace.Errorf(workspace.ErrUnsupported, "the database is no file of this machine, so an origin "+
			"proves nothing"+instead)
	case p.ruled:
		return workspace.Errorf(workspace.ErrConflict, "somebody has said whose memory %s has; scratchpad "+
			"projects forget %[1]s takes that back", p.Top)
	case p.place.repo == nil:
		return workspace.Errorf(workspace.ErrNotFound, "%s is in no repository"+instead, p.place.Folder)
	}
	if p.Offer, err = r.offer(ctx, p.place.repo.Origin(), p.Agent); err != nil {
		return err
	}
	if p.Offer == nil {
		return workspace.Errorf(workspace.ErrNotFound, "no other project has the origin of %s"+instead, p.Top)
	}
	holds, err := r.holds(ctx, p.Agent)
	if err == nil && holds {
		err = workspace.Errorf(workspace.ErrConflict, "the memory %s of %s holds something; "+
			"scratchpad projects set %[2]s %s leaves it under its name, and scratchpad export and import take it "+
			"along, where a file of the same path becomes the newest version", p.Agent, p.Top, p.Offer.Agent)
	}
	return err
}
