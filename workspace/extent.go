package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An Extent is how much there is to read of a file. The zero value is nothing.
type Extent struct {
	Version int64 // the current version
	Bytes   int64 // of the current version
	Largest int64 // bytes of the largest version that is retained, or that may be
}

// FileExtent returns the extent of a file. It costs less than reading the file, and is
// not counted as a read. Errors: [ErrInvalid] and those of the store.
func (w *Workspace) FileExtent(ctx context.Context, path string) (Extent, error) {
	var head FileHead
	err := w.viewUncounted(ctx, "read", path, func(tx store.Reader, name string) (err error) {
		l, err := tx.Load(store.Query{File: name})
		head = l.File
		return err
	})
	if err != nil || !head.Exists() {
		return Extent{}, err
	}
	return Extent{Version: head.Version, Bytes: head.Size(), Largest: head.Largest()}, nil
}

// viewUncounted runs a read on a path without counting it.
func (w *Workspace) viewUncounted(ctx context.Context, op, path string, read func(store.Reader, string) error) error {
	p, err := w.start(ctx, op, path)
	if err != nil {
		return err
	}
	err = w.svc.store.View(ctx, w.owner, func(tx store.Reader) error { return read(tx, p.name) })
	return within(op, path, err)
}
