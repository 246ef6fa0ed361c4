package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/entries"
)

// An Extent is how much there is to read at a path. The zero value is nothing.
type Extent struct {
	Version int64 // the current version of a file
	Bytes   int64 // of the current version of a file, or of the longest page of a log
	Largest int64 // bytes of the largest version of a file that is retained, or that may be
}

// FileExtent returns the extent of a file. It costs less than reading the file, and is
// not counted as a read. Errors: [ErrInvalid] and those of the store.
func (w *Workspace) FileExtent(ctx context.Context, path string) (Extent, error) {
	var head FileHead
	err := w.viewUncounted(ctx, "read", path, func(tx Reader, name string) (err error) {
		head, _, err = tx.File(name)
		return err
	})
	if err != nil || !head.Exists() {
		return Extent{}, err
	}
	return Extent{Version: head.Version, Bytes: head.Size(), Largest: head.Largest()}, nil
}

// LogExtent returns the extent of a log, as FileExtent does for a file.
func (w *Workspace) LogExtent(ctx context.Context, path string) (Extent, error) {
	var head LogHead
	err := w.viewUncounted(ctx, opReadLog, path, func(tx Reader, name string) (err error) {
		head, _, err = tx.Log(name)
		return err
	})
	return Extent{Bytes: min(head.Bytes, entries.PageBytes)}, err
}

// viewUncounted runs a read on a path without counting it.
func (w *Workspace) viewUncounted(ctx context.Context, op, path string, read func(Reader, string) error) error {
	p, err := w.start(ctx, op, path)
	if err != nil {
		return err
	}
	err = w.svc.store.View(ctx, w.owner, func(tx Reader) error { return read(tx, p.name) })
	return within(op, path, err)
}
