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
// Errors: [workspace.ErrConflict] if nothing is offered, and those of the store.
func (r Records) Join(ctx context.Context, folder string) (with Known, err error) {
	place, err := At(folder)
	if err != nil {
		return with, err
	}
	err = r.update(ctx, func(l list) (list, error) {
		p, err := r.findIn(ctx, l, place) // again, if another process has changed the list meanwhile
		if err == nil && p.Offer == nil {
			err = workspace.Errorf(workspace.ErrConflict, "no memory is offered to %s: another project must have its "+
				"origin, its own memory must hold nothing, nobody may have said whose memory it has, and the database "+
				"must be a file; scratchpad projects set %[1]s AGENT shares a memory all the same, and scratchpad "+
				"export and import take along what its own memory holds", place.Top())
		}
		if err != nil {
			return nil, err
		}
		with = *p.Offer
		return l.settle(place.repo, place.repo.MakeID(), with.Agent), nil
	})
	return with, err
}

// Forget removes what is recorded of a folder: what a person has said of it, or else its repository
// with the id. Before it forgets whose memory a repository has, it calls sure with all folders that
// lose the memory, and returns its error. The memory stays under the name of its agent, which Forget
// returns; "" if there was none. Errors: [workspace.ErrNotFound], [workspace.ErrConflict] for a
// worktree, and those of the store and of the id's file.
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
	isTop := false
	err = r.update(ctx, func(l list) (_ list, err error) {
		var i int
		if i, isTop, err = l.toForget(place, folder); err != nil {
			return nil, err
		}
		m, folders := &l[i], []string{folder}
		if isTop {
			folders = slices.Clone(m.Folders)
		}
		if agent = m.Agent; !m.isSaid() {
			if err := sure(agent, folders); err != nil {
				return nil, err
			}
		}
		m.Folders = slices.DeleteFunc(m.Folders, func(f string) bool { return slices.Contains(folders, f) })
		if len(m.Folders) == 0 {
			l = slices.Delete(l, i, i+1)
		}
		return l, nil
	})
	if err == nil {
		err = r.forgetOlder(ctx)
	}
	if err == nil && isTop {
		err = place.repo.Forget()
	}
	return agent, err
}

// toForget returns where the list has what is recorded of a folder, and whether that is its repository.
func (l list) toForget(place Place, folder string) (i int, isTop bool, err error) {
	if i := l.said(folder); i >= 0 {
		return i, false, nil
	}
	if repo := place.repo; repo != nil && repo.Top == folder {
		i := l.known(repo, repo.ID())
		if i >= 0 && repo.Main() != folder {
			err = workspace.Errorf(workspace.ErrConflict, "%s is a worktree of %s, which has the same memory; "+
				"scratchpad projects set %[1]s AGENT gives it another", folder, repo.Main())
		}
		if i >= 0 {
			return i, true, err
		}
	}
	for _, older := range []bool{true, false} {
		i := l.index(func(m memory) bool { return m.Older == older && slices.Contains(m.Folders, folder) })
		if i >= 0 {
			return i, false, nil
		}
	}
	return 0, false, workspace.Errorf(workspace.ErrNotFound,
		"nothing is recorded of %s; scratchpad projects lists the folders", folder)
}
