package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// view returns what read reads in a transaction of its own. It is not counted.
func view[T any](ctx context.Context, w *Workspace, read func(store.Reader) (T, error)) (t T, err error) {
	if err = checkContext(ctx); err != nil {
		return t, err
	}
	err = w.svc.store.View(ctx, w.owner, func(r store.Reader) (err error) {
		t, err = read(r)
		return err
	})
	return t, err
}

// load reads what a query asks for in a transaction of its own.
func (w *Workspace) load(ctx context.Context, q store.Query) (store.Loaded, error) {
	return view(ctx, w, func(r store.Reader) (store.Loaded, error) { return r.Load(q) })
}

// counted counts a read that had no error, unless the workspace is an operator's.
func (w *Workspace) counted(err error) error {
	if err == nil && !w.uncounted {
		w.svc.reads.add(w.owner, 1)
	}
	return err
}
