package project

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

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
	place, gone := At(folder)
	if gone == nil {
		folder = place.Folder
	}
	if said, found, err := remove[rule](r.system(ctx), folderKey(r, hash(folder))); found || err != nil {
		return said.Agent, err
	}
	repo := place.repo
	if repo == nil || repo.Top != folder {
		return r.forgetFolder(ctx, folder, sure)
	}
	k, key, err := r.known(ctx, repo, repo.ID())
	switch {
	case err != nil:
		return "", err
	case k.Agent == "":
		return r.forgetFolder(ctx, folder, sure)
	case repo.Main() != folder:
		return "", workspace.Errorf(workspace.ErrConflict, "%s is a worktree of %s, which has the same memory; "+
			"scratchpad projects set %[1]s AGENT gives it another", folder, repo.Main())
	}
	isCopy := slices.ContainsFunc(r.has(ctx, k), func(f string) bool {
		at, err := At(f)
		return err == nil && at.repo != nil && at.repo.Common != repo.Common
	})
	folders := k.Folders
	if isCopy {
		folders = []string{folder}
	}
	if err := sure(k.Agent, folders); err != nil {
		return "", err
	}
	if err := repo.Forget(); err != nil || !isCopy {
		return k.Agent, errors.Join(err, r.forget(ctx, key, k.Agent))
	}
	return k.Agent, r.removeFolder(ctx, repositoryKey(r, key), folder)
}

// forget removes the record of a repository.
func (r Records) forget(ctx context.Context, key, agent string) error {
	_, _, err := remove[kept](r.system(ctx), repositoryKey(r, key))
	return errors.Join(err, r.unclaim(ctx, agent, key))
}

// unclaim gives up the name that a repository has claimed.
func (r Records) unclaim(ctx context.Context, agent, key string) error {
	has, err := get[claim](r.system(ctx), claimKey(r, agent))
	if err == nil && has.Key == key {
		_, _, err = remove[claim](r.system(ctx), claimKey(r, agent))
	}
	return err
}

func (r Records) removeFolder(ctx context.Context, key, folder string) error {
	return update(r.system(ctx), key, func(v *kept) bool {
		v.Folders = slices.DeleteFunc(v.Folders, func(f string) bool { return f == folder })
		return true
	})
}

// forgetFolder removes a folder that is gone, or that an older version has recorded.
func (r Records) forgetFolder(
	ctx context.Context, folder string, sure func(agent string, folders []string) error,
) (agent string, err error) {
	for c, err := range all[claim](r.system(ctx), claimKey(r, "")) {
		if err == nil && c.value.Key == "" && c.value.Folder == folder {
			if err = sure(c.name, []string{folder}); err == nil {
				_, err = records.Delete(r.system(ctx), c.Record)
			}
			return c.name, err
		} else if err != nil {
			return "", err
		}
	}
	for k, err := range all[kept](r.system(ctx), repositoryKey(r, "")) {
		switch {
		case err != nil:
			return "", err
		case !slices.Contains(k.value.Folders, folder):
			continue
		case len(k.value.Folders) == 1:
			if err = sure(k.value.Agent, k.value.Folders); err == nil {
				err = r.forget(ctx, k.name, k.value.Agent)
			}
			return k.value.Agent, err
		}
		return k.value.Agent, r.removeFolder(ctx, k.Key, folder)
	}
	return "", workspace.Errorf(workspace.ErrNotFound,
		"nothing is recorded of %s; scratchpad projects lists the folders", folder)
}

// remove removes a record, and returns its value.
func remove[T any](r workspace.Records, key string) (value T, found bool, err error) {
	old, err := records.Get(r, key)
	if err == nil && old.Revision > 0 {
		value, err = decode[T](old)
	}
	if err != nil || old.Revision == 0 {
		return value, false, err
	}
	_, err = records.Delete(r, old)
	return value, true, err
}
