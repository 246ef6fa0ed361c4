package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// An Open that gives up while another holds the turn does not disturb the holder later.
// The race detector watches.
func TestOpenGivesUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Update(t.Context(), store.Owner{Tenant: "local", Agent: "a"}, func(store.Tx) error {
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := sqlite.Open(ctx, path, sqlite.Options{}); !errors.Is(err, store.ErrBusy) {
			t.Errorf("Open() while another has the turn = %v, want ErrBusy", err)
		}
		cancel()
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, err := sqlite.Open(ctx, path, sqlite.Options{}); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrBusy) {
			t.Errorf("Open() that is cancelled while another has the turn = %v, want context.Canceled alone", err)
		}
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
