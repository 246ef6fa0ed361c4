package turn_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/turn"
)

// One caller holds the turn. The others get it when it is given back, or leave when
// their context ends.
func TestTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, end := context.WithCancel(t.Context())
		end()
		tu := turn.New()
		for range 50 { // a free turn is taken even with a context that has ended
			if err := tu.Take(ended); err != nil {
				t.Fatalf("Take of a free turn = %v", err)
			}
			tu.Give()
		}
		if !tu.TryTake() || tu.TryTake() {
			t.Fatal("TryTake takes a free turn only")
		}
		if err := tu.Take(ended); !errors.Is(err, context.Canceled) {
			t.Fatalf("Take of a held turn, with a context that has ended, = %v", err)
		}
		took := false
		go func() {
			if err := tu.Take(t.Context()); err != nil {
				t.Error(err)
			}
			took = true
		}()
		synctest.Wait()
		if took {
			t.Fatal("two callers hold the turn")
		}
		tu.Give()
		synctest.Wait()
		if !took || tu.TryTake() {
			t.Fatal("the caller who waited does not hold the turn")
		}
	})
}
