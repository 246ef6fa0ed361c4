package fault

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// CheckContext refuses a context that is nil or has ended.
func CheckContext(ctx context.Context, op, object string) error {
	if ctx == nil {
		return New(store.ErrInvalid, op, object, "the context is nil")
	}
	return Within(op, object, ctx.Err())
}
