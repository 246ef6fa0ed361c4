package project

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/repository"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	mostProjects = 1000 // that are recorded in a local file before one that is gone makes room
	mostFolders  = 32   // that are recorded of a repository
	maxName      = 128  // characters of an agent's name
	digitsStep   = 6    // hexadecimal digits that are added to a name that is taken
	mostDigits   = 4 * digitsStep
)

// Settle records the project before something is stored in its memory, and returns the agent.
// Processes that settle a repository at once get the same agent. Settle does little if there is
// nothing to record. Errors: [workspace.ErrInvalid] if the project is Off, and those of the
// store.
func (p Project) Settle(ctx context.Context) (agent string, err error) {
	repo := p.place.repo
	switch {
	case p.Off:
		return "", p.OffError()
	case p.ruled || repo == nil:
		return p.Agent, nil
	}
	id := repo.MakeID()
	err = p.records.update(ctx, func(l list) (list, error) {
		now, err := p.records.find(ctx, l, p.place)
		if now.Off { // meanwhile
			return nil, now.OffError()
		}
		if agent = now.Agent; err != nil || now.ruled {
			return nil, err
		}
		if p.records.Local && !now.Settled && len(l) >= mostProjects {
			l = l.withoutGone()
		}
		return l.settle(repo, id, agent), nil
	})
	return agent, err
}

// settle returns the list with a repository that has the memory of an agent, nil if nothing changes. What
// an older version has recorded of that memory is for the whole repository from now on.
func (l list) settle(repo *repository.Repository, id, agent string) list {
	i := l.known(repo, id)
	if i < 0 {
		l = slices.DeleteFunc(l, func(m memory) bool {
			return m.Older && m.Agent == agent && (m.Folders[0] == repo.Main() || m.Folders[0] == repo.Top)
		})
		i, l = len(l), append(l, memory{})
	}
	m := &l[i]
	key, _ := keys(id, repo.Common)
	changed := m.Key != key || m.Agent != agent
	m.Key, m.Agent = key, agent
	if origin := repo.Origin(); origin != "" && origin != m.Origin {
		m.Origin, changed = origin, true
	}
	folder := string([]rune(repo.Top)) // as JSON keeps bytes that are not UTF-8
	if !slices.Contains(m.Folders, folder) {
		m.Folders, changed = append(slices.DeleteFunc(m.Folders, isGone), folder), true
		m.Folders = m.Folders[max(0, len(m.Folders)-mostFolders):]
	}
	if !changed {
		return nil
	}
	return l
}

// withoutGone returns the list without the repository that was recorded first of those whose folders are
// gone. Its memory stays under the name of its agent.
func (l list) withoutGone() list {
	i := l.index(func(m memory) bool {
		return m.Key != "" && !slices.ContainsFunc(m.Folders, func(f string) bool { return !isGone(f) })
	})
	if i < 0 {
		return l
	}
	return slices.Delete(l, i, i+1)
}

// Still returns [workspace.ErrConflict] if an agent, whose memory the folder had, has it no longer.
// The memory of a folder that is gone stays.
func (p Project) Still(agent string) error {
	if p.Agent == agent || isGone(p.place.Folder) {
		return nil
	}
	return workspace.Errorf(workspace.ErrConflict, "nothing was stored: since this server began, its "+
		"folder has got another memory; ask the user to restart the client")
}

// OffError is the error of a use of the memory of a project that is Off.
func (p Project) OffError() error {
	return workspace.Errorf(workspace.ErrInvalid, "memory is off in %s, because somebody ran scratchpad projects "+
		"off; scratchpad projects forget %[1]s takes that back, and --agent names a memory all the same", p.Top)
}

// Adopt gives a folder the memory that an older version gave it by a client's file. If the folder is
// the top of a repository that has no memory yet, it is settled, so that its worktrees have the
// memory too, and the folder when it is renamed. The errors are those of Set.
func (r Records) Adopt(ctx context.Context, folder, agent string) error {
	if _, err := workspace.ParseAgentID(agent); err != nil {
		return err
	}
	place, err := At(folder)
	if err != nil {
		return err
	}
	return r.update(ctx, func(l list) (list, error) {
		p, err := r.find(ctx, l, place)
		if err != nil || p.Settled && p.Agent == agent {
			return nil, err
		}
		repo := place.repo
		if !p.Settled && repo.Top == place.Folder && (p.older == "" || p.older == agent) {
			return l.settle(repo, repo.MakeID(), agent), nil
		}
		return l.say(place.Folder, agent), nil
	})
}

// isGone reports whether a folder was removed or renamed.
func isGone(folder string) bool {
	_, err := os.Lstat(folder)
	return errors.Is(err, fs.ErrNotExist)
}

// isTaken reports whether an agent is the memory of a project, or holds anything, or has held it.
func (r Records) isTaken(ctx context.Context, l list, name string) (bool, error) {
	if l.index(func(m memory) bool { return m.Agent == name && !m.isSaid() }) >= 0 {
		return true, nil
	}
	if r.Service == nil {
		return false, nil
	}
	look, err := r.Service.Look(name)
	if err != nil {
		return false, err
	}
	has, err := look.Usage(ctx)
	if err != nil || has.Usage != (workspace.Usage{}) {
		return true, err
	}
	_, named, err := r.Service.Profile(ctx, name)
	return named, err
}

// names yields the names that a repository may get, the first that is free: that of its folder,
// and then with more and more digits.
func names(top, digits string) iter.Seq[string] {
	base := nameOf(top)
	return func(yield func(string) bool) {
		if base != Everything && !yield(base) {
			return
		}
		for n := digitsStep; n <= len(digits); n += digitsStep {
			if !yield(base[:min(len(base), maxName-1-n)] + "-" + digits[:n]) {
				return
			}
		}
	}
}

// nameOf returns the name of a folder in the characters of an agent's name: other
// characters become a hyphen, many of them in a row a single one.
func nameOf(folder string) string {
	words := strings.FieldsFunc(filepath.Base(folder), func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	})
	name := strings.Trim(strings.Join(words, "-"), "-")
	return cmp.Or(name[:min(len(name), maxName)], "project")
}
