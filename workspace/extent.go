package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/entries"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// FileExtent returns the extent of a file. It costs less than reading the file, and is
// not counted as a read. Errors: [ErrInvalid] and those of the store.
func (w *Workspace) FileExtent(ctx context.Context, path string) (Extent, error) {
	var head FileHead
	err := w.viewUncounted(ctx, "read", path, func(tx Reader, name string) (err error) {
		head, _, err = tx.File(name)
		return err
	})
	return head.Extent(), err
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

// WithWeigher returns a context for ReadFile, EditFile, MoveFile, ReadLog and Changes, which
// tell f how much they read, before they read it or, on PostgreSQL, right after. If f returns
// an error, they read nothing more, store nothing, and return an error that wraps it. It costs
// less than FileExtent and LogExtent. f is called in a transaction, maybe several times, and must not wait. An edit
// does not tell it of a file of at most 16 KiB.
func WithWeigher(ctx context.Context, f func(Extent) error) context.Context {
	return store.WithWeigher(ctx, f)
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
