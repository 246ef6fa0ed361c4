package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// load reads what a query asks for in a transaction of its own.
func (w *Workspace) load(ctx context.Context, q store.Query) (l store.Loaded, err error) {
	err = w.svc.store.View(ctx, w.owner, func(tx store.Reader) (err error) {
		l, err = tx.Load(q)
		return err
	})
	return l, err
}

// viewCounted runs a read and counts it when it succeeds.
func (w *Workspace) viewCounted(ctx context.Context, fn func(store.Reader) error) error {
	err := w.svc.store.View(ctx, w.owner, fn)
	return w.counted(err)
}

// counted counts a read that had no error, unless the workspace is an operator's.
func (w *Workspace) counted(err error) error {
	if err == nil && !w.uncounted {
		w.svc.reads.add(w.owner, 1)
	}
	return err
}
