package memorystores_test

import (
	"context"
	"sync/atomic"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A broken store fails when the data of an agent is read.
type broken struct {
	workspace.Store
	err atomic.Pointer[error] // nil: it works
}

// View implements [workspace.Store].
func (b *broken) View(ctx context.Context, o workspace.Owner, fn func(workspace.Reader) error) error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return b.Store.View(ctx, o, fn)
}
