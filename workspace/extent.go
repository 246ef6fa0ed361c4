package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/entries"
)

// An Extent is how much there is to read at a path. The zero value is nothing.
type Extent struct {
	Version int64 // the current version of a file
	Bytes   int64 // of the current version of a file, or of the longest page of a log
	Largest int64 // bytes of the largest version of a file that is retained, or that may be
	Rows    int64 // of the journal of changes
}

// FileExtent returns the extent of a file. It costs less than reading the file, and is
// not counted as a read. Errors: [ErrInvalid] and those of the store.
func (w *Workspace) FileExtent(ctx context.Context, path string) (Extent, error) {
	var head FileHead
	err := w.viewUncounted(ctx, "read", path, func(tx Reader, name string) (err error) {
		head, _, err = tx.File(name)
		return err
	})
	return fileExtent(head), err
}

// LogExtent returns the extent of a log, as FileExtent does for a file.
func (w *Workspace) LogExtent(ctx context.Context, path string) (Extent, error) {
	var head LogHead
	err := w.viewUncounted(ctx, opReadLog, path, func(tx Reader, name string) (err error) {
		head, _, err = tx.Log(name)
		return err
	})
	return logExtent(head), err
}

// changesExtent returns the most that Changes reads.
func (w *Workspace) changesExtent(state OwnerState, o ChangesOptions) (Extent, error) {
	kept, err := changes.Keeps(state, o.Since, w.svc.limits.Changes)
	if err != nil {
		return Extent{}, err
	}
	if o.Recent || !kept {
		return Extent{Rows: min(state.Changes, changes.RecentRows) + pagePaths}, nil
	}
	e := Extent{Rows: state.Revision - o.Since}
	if o.Diffs && e.Rows > 0 {
		e.Largest = min(w.svc.limits.FileBytes, state.Bytes)
	}
	return e, nil
}

type weigherKey struct{}

// WithWeigher returns a context for ReadFile, EditFile, MoveFile, ReadLog and Changes, which
// tell f how much they are about to read. If f returns an error, they read nothing more,
// store nothing, and return an error that wraps it. It costs less than FileExtent and the
// others before the call. f is called in a transaction, maybe several times, and must not
// wait.
func WithWeigher(ctx context.Context, f func(Extent) error) context.Context {
	return context.WithValue(ctx, weigherKey{}, f)
}

func weigherOf(ctx context.Context) func(Extent) error {
	f, _ := ctx.Value(weigherKey{}).(func(Extent) error)
	return f
}

// loadWeighed tells the function of [WithWeigher] how much a query reads, and then reads.
func loadWeighed(ctx context.Context, r Reader, q Query) (l Loaded, err error) {
	var f func(Extent) error
	if q.Current || q.Version != 0 || q.Entries != nil {
		f = weigherOf(ctx)
	}
	switch {
	case f == nil:
	case q.Entries != nil:
		if l.Log, _, err = r.Log(q.Log); err == nil {
			err = f(logExtent(l.Log))
		}
	default:
		if l.File, _, err = r.File(q.File); err == nil {
			err = f(fileExtent(l.File))
		}
	}
	if err != nil {
		return Loaded{}, err
	}
	return r.Load(q)
}

func fileExtent(head FileHead) Extent {
	if !head.Exists() {
		return Extent{}
	}
	return Extent{Version: head.Version, Bytes: head.Size(), Largest: head.Largest()}
}

func logExtent(head LogHead) Extent { return Extent{Bytes: min(head.Bytes, entries.PageBytes)} }

// viewUncounted runs a read on a path without counting it.
func (w *Workspace) viewUncounted(ctx context.Context, op, path string, read func(Reader, string) error) error {
	p, err := w.start(ctx, op, path)
	if err != nil {
		return err
	}
	err = w.svc.store.View(ctx, w.owner, func(tx Reader) error { return read(tx, p.name) })
	return within(op, path, err)
}
