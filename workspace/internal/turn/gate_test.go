package turn_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/turn"
)

type key struct{}

// The end of the context prevents work that has not begun, and ends its context.
func TestEndBeforeBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		g := turn.NewGate(ctx)
		defer g.Close()
		if g.Withdrawn() || g.Context().Err() != nil || g.Context().Value(key{}) != "value" {
			t.Error("a new Gate is not open, or loses the values of the context")
		}
		cancel()
		synctest.Wait()
		if g.Begin() || !g.Withdrawn() || g.Context().Err() == nil {
			t.Errorf("Begin after the end = %t, Withdrawn = %t, Context.Err = %v", g.Begin(), g.Withdrawn(), g.Context().Err())
		}
	})
}

// Work that has begun goes on after the end of the context. It may begin again, as a
// transaction that is tried twice.
func TestEndAfterBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g := turn.NewGate(ctx)
		if !g.Begin() {
			t.Error("Begin of an open Gate = false")
		}
		cancel()
		synctest.Wait()
		if !g.Begin() || g.Withdrawn() || g.Context().Err() != nil {
			t.Errorf("after the end Begin = %t, Withdrawn = %t, Context.Err = %v", g.Begin(), g.Withdrawn(), g.Context().Err())
		}
		g.Close()
		if g.Context().Err() == nil {
			t.Error("Close does not release the context")
		}
	})
}
