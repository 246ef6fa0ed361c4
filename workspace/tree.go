package workspace

import (
	"context"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A TreeResult says what [DeleteTree] or [MoveTree] did.
type TreeResult struct {
	Files  int64 // that were deleted or moved
	Folder bool  // whether the path is that of a folder
}

// DeleteTree removes the file at a path and all files below it, in one transaction. Logs
// stay. Errors: [ErrNotFound] if there is neither.
func DeleteTree(ctx context.Context, w *Workspace, path string) (r TreeResult, err error) {
	const op = "delete"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return TreeResult{}, err
	}
	a, err := w.newAttempt(op, p.name, "")
	if err != nil {
		return TreeResult{}, err
	}
	a.deletes = true
	_, err = w.commit(ctx, a, store.Query{}, func(tx store.Tx, _ store.Loaded) (store.Outcome, error) {
		r, err = w.eachInTree(tx, p.name, func(path string) error {
			l, err := tx.Load(store.Query{File: path})
			if err == nil {
				_, err = w.deleteFile(tx, a, l.File, l.Owner)
			}
			a.ops = 0 // all are one operation
			return err
		})
		return store.Outcome{}, err
	})
	if err != nil {
		return TreeResult{}, within(op, path, w.withNearest(ctx, p, err))
	}
	return r, nil
}

// MoveTree gives a file, or all files below a folder, another path, in one transaction.
// Each moves as by [Workspace.MoveFile]. Logs stay. Errors: [ErrNotFound] if there is
// neither; [ErrConflict], with an [Overlap] in its chain, if the new path is a file or a
// folder, or lies below a file; [ErrInvalid] if the new path is the path, lies below it, or
// is too long for one of the files; [ErrQuota].
func MoveTree(ctx context.Context, w *Workspace, path, newPath string) (r TreeResult, err error) {
	const op = "move"
	from, err := w.start(ctx, op, path)
	if err != nil {
		return TreeResult{}, err
	}
	to, err := w.parseNewPath(op, from, newPath)
	if err != nil {
		return TreeResult{}, err
	}
	if strings.HasPrefix(to.name, from.name+"/") {
		return TreeResult{}, fail(ErrInvalid, op, path, "%s lies below %s", ArgNewPath, ArgPath)
	}
	a, err := w.newAttempt(op, from.name, "")
	if err != nil {
		return TreeResult{}, err
	}
	_, err = w.commit(ctx, a, store.Query{To: to.name}, func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
		if l.To.Exists() {
			return store.Outcome{}, inTheWay(l.To, "%s exists at version %d", names.Clip(to.name), l.To.Version)
		}
		if err := checkOverlap(tx, to.name, ""); err != nil {
			return store.Outcome{}, err
		}
		r, err = w.eachInTree(tx, from.name, func(path string) error {
			err := w.moveInTree(tx, a, path, to.name+path[len(from.name):])
			a.ops = 0 // all are one operation
			return err
		})
		return store.Outcome{}, err
	})
	if err != nil {
		return TreeResult{}, within(op, path, w.withNearest(ctx, from, err))
	}
	return r, nil
}

// moveInTree moves one file in the transaction of MoveTree.
func (w *Workspace) moveInTree(tx store.Tx, a *attempt, path, newPath string) error {
	if _, cause := names.Unicode.Path(newPath); cause != "" {
		return badArgument(ArgNewPath, newPath, cause)
	}
	l, err := tx.Load(store.Query{File: path, Current: true, To: newPath})
	if err != nil {
		return err
	}
	if err := l.Version.Verify(); err != nil {
		return err
	}
	_, err = w.moveFile(tx, a, l, l.Version)
	return err
}

// eachInTree calls fn with the path of the file at a path, if it exists, and with those of
// all files below it, in byte order. fn may remove the file.
func (w *Workspace) eachInTree(tx store.Tx, path string, fn func(path string) error) (r TreeResult, err error) {
	l, err := tx.Load(store.Query{File: path})
	if err != nil {
		return r, err
	}
	if l.File.Exists() {
		r.Files++
		if err := fn(path); err != nil {
			return r, err
		}
	}
	for h, err := range store.Files(tx, path+"/") {
		if err == nil {
			r.Files, r.Folder = r.Files+1, true
			err = fn(h.Path)
		}
		if err != nil {
			return r, err
		}
	}
	if r.Files == 0 {
		return r, errNoFile
	}
	return r, nil
}
