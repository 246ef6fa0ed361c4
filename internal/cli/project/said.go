package project

import (
	"context"
	"path/filepath"
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
	return r.say(ctx, folder, agent)
}

// SetOff says that there is no memory for a folder and all below it. The errors are those of Set.
func (r Records) SetOff(ctx context.Context, folder string) error { return r.say(ctx, folder, "") }

func (r Records) say(ctx context.Context, folder, agent string) error {
	place, err := At(folder)
	if err == nil && !utf8.ValidString(place.Folder) {
		err = workspace.Errorf(workspace.ErrInvalid, "the path of the folder is not valid UTF-8; rename it")
	}
	if err != nil {
		return err
	}
	return r.update(ctx, func(l list) (list, error) { return l.say(place.Folder, agent), nil })
}

// said returns where the list has what a person has said of a folder, -1 if nothing.
func (l list) said(folder string) int {
	return l.index(func(m memory) bool { return m.isSaid() && m.Folders[0] == folder })
}

// say returns the list with what a person has said of a folder.
func (l list) say(folder, agent string) list {
	if i := l.said(folder); i >= 0 {
		l[i].Agent = agent
		return l
	}
	return append(l, memory{Agent: agent, Folders: []string{folder}})
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
	err = r.update(ctx, func(l list) (list, error) {
		offer, err := r.mayJoin(ctx, l, place)
		if err != nil {
			return nil, err
		}
		with = *offer
		return l.settle(place.repo, place.repo.MakeID(), with.Agent), nil
	})
	return with, err
}

// mayJoin returns what is offered to the project of a place, also if the project is settled.
func (r Records) mayJoin(ctx context.Context, l list, place Place) (*Known, error) {
	const instead = "; scratchpad projects set FOLDER AGENT shares a memory on purpose"
	p, err := r.find(ctx, l, place)
	switch {
	case err != nil:
		return nil, err
	case !r.Local:
		return nil, workspace.Errorf(workspace.ErrUnsupported, "the database is no file of this machine, so an "+
			"origin proves nothing"+instead)
	case p.ruled:
		return nil, workspace.Errorf(workspace.ErrConflict, "somebody has said whose memory %s has; scratchpad "+
			"projects forget %[1]s takes that back", p.Top)
	case place.repo == nil:
		return nil, workspace.Errorf(workspace.ErrNotFound, "%s is in no repository"+instead, place.Folder)
	}
	offer, err := r.offer(ctx, l, place.repo.Origin(), p.Agent)
	if err == nil && offer == nil {
		err = workspace.Errorf(workspace.ErrNotFound, "no other project has the origin of %s"+instead, p.Top)
	}
	if err != nil {
		return nil, err
	}
	holds, err := r.holds(ctx, p.Agent)
	if err == nil && holds {
		err = workspace.Errorf(workspace.ErrConflict, "the memory %s of %s holds something; "+
			"scratchpad projects set %[2]s %s leaves it under its name, and scratchpad export and import take it "+
			"along, where a file of the same path becomes the newest version", p.Agent, p.Top, offer.Agent)
	}
	return offer, err
}

// Forget removes what is recorded of a folder: what a person has said of it, or else its repository
// with the id. Before it forgets whose memory a repository has, it calls sure with all folders that
// lose the memory, and returns its error. Of folders that are copies of each other it forgets one.
// The memory stays under the name of its agent, which Forget returns; "" if there was none. Errors:
// [workspace.ErrNotFound], [workspace.ErrConflict] for a worktree, and those of the store and of the
// id's file.
func (r Records) Forget(
	ctx context.Context, folder string, sure func(agent string, folders []string) error,
) (agent string, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return "", err
	}
	place, err := At(folder)
	if err == nil {
		folder = place.Folder
	}
	ofRepository := false
	var asked []string // the agent and the folders that sure was told of
	err = r.update(ctx, func(l list) (list, error) {
		i, folders, err := r.toForget(ctx, l, place, folder)
		if err != nil {
			return nil, err
		}
		m := &l[i]
		agent = m.Agent
		if now := append([]string{agent}, folders...); !m.isSaid() && !slices.Equal(asked, now) {
			if err := sure(agent, folders); err != nil {
				return nil, err
			}
			asked = now
		}
		ofRepository = place.repo != nil && l.known(place.repo, place.repo.ID()) == i
		m.Folders = slices.DeleteFunc(m.Folders, func(f string) bool { return slices.Contains(folders, f) })
		if len(m.Folders) == 0 {
			l = slices.Delete(l, i, i+1)
		}
		return l, nil
	})
	if err == nil && ofRepository {
		err = place.repo.Forget()
	}
	return agent, err
}

// toForget returns where the list has what is recorded of a folder, and which folders lose the memory.
func (r Records) toForget(
	ctx context.Context, l list, place Place, folder string,
) (i int, folders []string, err error) {
	folders = []string{folder}
	if i := l.said(folder); i >= 0 {
		return i, folders, nil
	}
	repo := place.repo
	if repo != nil && repo.Top == folder {
		if i := l.known(repo, repo.ID()); i >= 0 && repo.Main() != folder {
			return 0, nil, workspace.Errorf(workspace.ErrConflict, "%s is a worktree of %s, which has the same "+
				"memory; scratchpad projects set %[1]s AGENT gives it another", folder, repo.Main())
		} else if i >= 0 {
			isCopy := slices.ContainsFunc(r.has(ctx, l, l[i]), func(f string) bool {
				at, err := At(f)
				return err == nil && at.repo != nil && at.repo.Common != repo.Common
			})
			if !isCopy {
				folders = slices.Clone(l[i].Folders)
			}
			return i, folders, nil
		}
	}
	for _, older := range []bool{true, false} {
		i := l.index(func(m memory) bool { return m.Older == older && slices.Contains(m.Folders, folder) })
		if i >= 0 {
			return i, folders, nil
		}
	}
	return 0, nil, workspace.Errorf(workspace.ErrNotFound,
		"nothing is recorded of %s; scratchpad projects lists the folders", folder)
}
