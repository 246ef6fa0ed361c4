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

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	mostFolders = 32  // that are recorded of a repository
	maxName     = 128 // characters of an agent's name
	digitsStep  = 6   // hexadecimal digits that are added to a name that is taken
	mostDigits  = 4 * digitsStep
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
	id := repo.ID()
	if !p.Settled && id == "" {
		id = repo.MakeID()
	}
	return p.records.settle(ctx, p, id)
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

func (r Records) settle(ctx context.Context, p Project, id string) (agent string, err error) {
	repo := p.place.repo
	known, at, err := r.known(ctx, repo, id)
	key, digits := keys(id, repo.Common)
	if agent = known.Agent; err == nil && agent == "" {
		agent, err = r.claimName(ctx, p, key, digits)
	}
	if err != nil {
		return "", err
	}
	agent, err = r.keep(ctx, key, kept{agent, append(known.Folders, repo.Top), repo.Origin()})
	if err == nil && at != key {
		_, _, err = remove[kept](r.system(ctx), repositoryKey(r, at))
	}
	return agent, err
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
	p, err := r.find(ctx, place)
	if err != nil || p.Settled && p.Agent == agent {
		return err
	}
	repo := place.repo
	isMain := repo != nil && repo.Main() == repo.Top
	if repo != nil && repo.Top == place.Folder && !p.Settled && (isMain || p.older == "" || p.older == agent) {
		key, _ := keys(repo.MakeID(), repo.Common)
		if _, err := r.claim(ctx, agent, claim{repo.Top, key}, p.older == agent); err != nil {
			return err
		}
		has, err := r.keep(ctx, key, kept{agent, []string{repo.Top}, repo.Origin()})
		if err != nil || has == agent {
			return err
		}
	}
	return r.rule(ctx, place.Folder, agent)
}

// keep records an agent of a repository, unless it has one. A folder and an origin are added to
// what is recorded. keep returns the agent that the repository has.
func (r Records) keep(ctx context.Context, key string, add kept) (agent string, err error) {
	err = update(r.system(ctx), repositoryKey(r, key), func(k *kept) (changed bool) {
		changed = k.Agent == "" || add.Origin != "" && add.Origin != k.Origin
		k.Agent, k.Origin = cmp.Or(k.Agent, add.Agent), cmp.Or(add.Origin, k.Origin)
		for _, folder := range add.Folders {
			folder = string([]rune(folder)) // as JSON keeps bytes that are not UTF-8
			if !slices.Contains(k.Folders, folder) {
				k.Folders, changed = append(slices.DeleteFunc(k.Folders, isGone), folder), true
			}
		}
		k.Folders = k.Folders[max(0, len(k.Folders)-mostFolders):]
		agent = k.Agent
		return changed
	})
	return agent, err
}

// isGone reports whether a folder was removed or renamed.
func isGone(folder string) bool {
	_, err := os.Lstat(folder)
	return errors.Is(err, fs.ErrNotExist)
}

// claimName returns the name of a repository's new agent, and records that it is taken.
func (r Records) claimName(ctx context.Context, p Project, key, digits string) (name string, err error) {
	top := p.place.repo.Top
	if p.older != "" {
		if mine, err := r.claim(ctx, p.older, claim{top, key}, true); err != nil || mine {
			return p.older, err
		}
	}
	for name := range names(p.place.repo.Main(), digits) {
		exists, err := r.exists(ctx, name)
		if err != nil {
			return "", err
		}
		if exists { // perhaps since another process has claimed it for this repository
			has, err := get[claim](r.system(ctx), claimKey(r, name))
			if err != nil {
				return "", err
			}
			if has.Key != key {
				continue
			}
		}
		if mine, err := r.claim(ctx, name, claim{top, key}, false); err != nil || mine {
			return name, err
		}
	}
	return "", records.Busy()
}

// claim records that a name is taken. mine is false if somebody else has it. older takes over what
// an older version has recorded.
func (r Records) claim(ctx context.Context, name string, as claim, older bool) (mine bool, err error) {
	err = update(r.system(ctx), claimKey(r, name), func(c *claim) bool {
		free := *c == claim{} || older && c.Key == ""
		if mine = free || c.Key == as.Key; free {
			*c = as
		}
		return free
	})
	return mine, err
}

// exists reports whether an agent holds anything, or has held it.
func (r Records) exists(ctx context.Context, name string) (bool, error) {
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
