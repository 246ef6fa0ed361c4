package fault

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// CheckContext refuses a context that is nil or has ended.
func CheckContext(ctx context.Context) error {
	if ctx == nil {
		return store.Errorf(store.ErrInvalid, "the context is nil")
	}
	return ctx.Err()
}
