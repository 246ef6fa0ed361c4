package workspace

import (
	"context"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// DeleteTree deletes the file at a path and all files below the path, in one transaction, each as
// [Workspace.DeleteFile] does. Logs stay. Errors: [ErrNotFound] if there is no file at the path and none below it.
func DeleteTree(ctx context.Context, w *Workspace, path string) error {
	c := w.newWrite(ctx, "delete", path, "")
	c.deletes = true
	_, err := c.transact(ctx, store.Query{}, func(r *run) error {
		return r.eachInTree(func(path string) error {
			if err := r.load(store.Query{File: path}); err != nil {
				return err
			}
			return r.deleteFile(false)
		})
	})
	return c.explain(ctx, err)
}

// MoveTree moves the file at a path and all files below the path to a new path, in one
// transaction. It moves each file as [Workspace.MoveFile] does. Logs stay. Errors:
// [ErrNotFound] if there is no file at the path and none below it; [ErrConflict], with an [Overlap]
// in its chain, if the new path is a file or a folder, or lies below a file; [ErrInvalid] if
// the new path equals the path or lies below it, or if a file's new path is too long;
// [ErrQuota].
func MoveTree(ctx context.Context, w *Workspace, path, newPath string) error {
	c := w.newWrite(ctx, "move", path, "")
	to := c.newPath(newPath)
	if strings.HasPrefix(to, c.path+"/") {
		c.refuse(Errorf(ErrInvalid, "%s lies below %s", store.ArgNewPath, store.ArgPath))
	}
	_, err := c.transact(ctx, store.Query{To: to}, func(r *run) error {
		if r.To.Exists() {
			return inTheWay(r.To, "%s exists at version %d", names.Clip(to), r.To.Version)
		}
		if err := checkOverlap(r.tx, to, ""); err != nil {
			return err
		}
		return r.eachInTree(func(path string) error {
			newPath := to + path[len(r.path):]
			if _, cause := names.Unicode.Path(newPath); cause != "" {
				return badArgument(store.ArgNewPath, newPath, cause)
			}
			if err := r.load(store.Query{File: path, Current: true, To: newPath}); err != nil {
				return err
			}
			return r.moveFile(r.Version)
		})
	})
	return c.explain(ctx, err)
}

// eachInTree calls fn with the path of the file at the path of the write, if it exists, and with
// those of all files below it, in byte order. fn may remove the file.
func (r *run) eachInTree(fn func(path string) error) error {
	l, err := r.tx.Load(store.Query{File: r.path})
	if err != nil {
		return err
	}
	found := l.File.Exists()
	if found {
		if err := fn(r.path); err != nil {
			return err
		}
	}
	for h, err := range store.Files(r.tx, r.path+"/") {
		if err == nil {
			found = true
			err = fn(h.Path)
		}
		if err != nil {
			return err
		}
	}
	if !found {
		return errNoFile
	}
	return nil
}
