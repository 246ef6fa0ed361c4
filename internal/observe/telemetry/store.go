package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Traced returns a store that makes spans of the transactions of calls. Without traces it
// returns s. Transactions that belong to no call make none.
func (t *Telemetry) Traced(s workspace.Store) workspace.Store {
	if t.tracer == nil {
		return s
	}
	return tracedStore{s, t}
}

type tracedStore struct {
	workspace.Store
	t *Telemetry
}

// View implements [workspace.Store].
func (s tracedStore) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.around(ctx, "store.view", func(ctx context.Context) error { return s.Store.View(ctx, o, fn) })
}

// Update implements [workspace.Store].
func (s tracedStore) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.around(ctx, "store.update", func(ctx context.Context) error { return s.Store.Update(ctx, o, fn) })
}

// Count implements [workspace.Store].
func (s tracedStore) Count(ctx context.Context, reads map[store.Owner]int64) error {
	return s.around(ctx, "store.count", func(ctx context.Context) error { return s.Store.Count(ctx, reads) })
}

func (s tracedStore) around(ctx context.Context, name string, do func(context.Context) error) (err error) {
	ctx, span := s.t.begin(ctx, name, trace.SpanKindClient)
	defer func() { end(span, ownError(err)) }() // after a panic too, which goes on to the caller
	return do(ctx)
}

// ownError returns an error of the store itself, and nil for one of the function that it
// ran, such as a conflict.
func ownError(err error) error {
	switch workspace.Kind(err) {
	case workspace.ErrCorrupt, workspace.ErrBusy, workspace.ErrStorageFull, workspace.ErrOutcomeUnknown,
		workspace.ErrReadOnly, workspace.ErrClosed:
		return err
	}
	return nil
}
