package project

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Forget removes what is recorded of a folder: what a person has said of it, or else its repository
// with the id. The memory stays under the name of its agent, which Forget returns; "" if there was
// none. Errors: [workspace.ErrNotFound], and those of the store and of the id's file.
func (r Records) Forget(ctx context.Context, folder string) (agent string, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return "", err
	}
	place, gone := At(folder)
	if gone == nil {
		folder = place.Folder
	}
	agent, found, err := remove(r.system(ctx), folderKey(r, hash(folder)), func(v rule) string { return v.Agent })
	if found || err != nil {
		return agent, err
	}
	if repo := place.repo; repo != nil && repo.Top == folder {
		key, _ := keys(repo.ID(), repo.Common)
		if err := repo.Forget(); err != nil {
			return "", err
		}
		if agent, found, err := r.forget(ctx, key); found || err != nil {
			return agent, err
		}
	}
	return r.forgetFolder(ctx, folder)
}

// forget removes the record of a repository.
func (r Records) forget(ctx context.Context, key string) (agent string, found bool, err error) {
	system := r.system(ctx)
	agent, found, err = remove(system, repositoryKey(r, key), func(v kept) string { return v.Agent })
	if err != nil || !found {
		return agent, found, err
	}
	has, err := get[claim](system, claimKey(r, agent))
	if err == nil && has.Key == key {
		_, _, err = remove(system, claimKey(r, agent), func(claim) string { return "" })
	}
	return agent, true, err
}

// forgetFolder removes a folder that is gone, or that an older version has recorded.
func (r Records) forgetFolder(ctx context.Context, folder string) (agent string, err error) {
	for c, err := range all[claim](r.system(ctx), claimKey(r, "")) {
		if err == nil && c.value.Key == "" && c.value.Folder == folder {
			_, err = records.Delete(r.system(ctx), c.Record)
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
			agent, _, err = r.forget(ctx, k.name)
			return agent, err
		}
		return k.value.Agent, update(r.system(ctx), k.Key, func(v *kept) bool {
			v.Folders = slices.DeleteFunc(v.Folders, func(f string) bool { return f == folder })
			return true
		})
	}
	return "", workspace.Errorf(workspace.ErrNotFound,
		"nothing is recorded of %s; scratchpad projects lists the folders", folder)
}

// remove removes a record, and returns what of says of its value.
func remove[T any](r workspace.Records, key string, of func(T) string) (said string, found bool, err error) {
	old, err := records.Get(r, key)
	if err != nil || old.Revision == 0 {
		return "", false, err
	}
	value, err := decode[T](old)
	if err != nil {
		return "", false, err
	}
	_, err = records.Delete(r, old)
	return of(value), true, err
}
