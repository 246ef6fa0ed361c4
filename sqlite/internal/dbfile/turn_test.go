package dbfile

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// One holder at a time has the turn. Another one waits for it, as long as its context
// lasts.
func TestTakeTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	first, err := TakeTurn(t.Context(), path)
	testkit.Must(t, err)
	defer first.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := TakeTurn(ctx, path); !errors.Is(err, workspace.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("TakeTurn with a deadline = %v, want ErrBusy and DeadlineExceeded", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := TakeTurn(ctx, path); !errors.Is(err, context.Canceled) || errors.Is(err, workspace.ErrBusy) {
		t.Errorf("TakeTurn that is cancelled = %v, want context.Canceled alone", err)
	}

	taken := make(chan *Turn)
	go func() {
		second, err := TakeTurn(t.Context(), path)
		if err != nil {
			t.Errorf("TakeTurn = %v", err)
		}
		taken <- second
	}()
	select {
	case <-taken:
		t.Fatal("two have the turn")
	case <-time.After(10 * time.Millisecond):
	}
	testkit.Must(t, first.Give())
	second := <-taken
	testkit.Must(t, second.Close()) // ends its turn too
	testkit.Must(t, first.Take())
}
