package workspace_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Each watcher gets every change once and in order, whenever it begins.
func TestWatch(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	const writes, watchers = 304, 8
	ended := make(chan error, watchers)
	watch := func(since int64) error {
		next := since + 1
		for c, err := range ws.Watch(t.Context(), since) {
			if err != nil || c.Revision != next || c.Path != fmt.Sprint("f", next%7) {
				return fmt.Errorf("the watcher since %d got %+v, %v, want change %d", since, c, err, next)
			}
			if next++; next > writes {
				return nil
			}
		}
		return fmt.Errorf("the watcher since %d ended before change %d", since, next)
	}
	for i := range writes {
		if i%(writes/watchers) == 0 {
			go func() { ended <- watch(int64(i) / 2) }()
		}
		write(t, ws, fmt.Sprint("f", (i+1)%7), "x")
		write(t, agentOf(t, svc, "other"), "f", "x")
	}
	for range watchers {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// countedStore counts the watches of a store.
type countedStore struct {
	workspace.Store
	watches atomic.Int64
}

func (s *countedStore) Watch(ctx context.Context) (<-chan port.Owner, error) {
	s.watches.Add(1)
	return s.Store.Watch(ctx)
}

func TestWatchEnds(t *testing.T) {
	svc, store := newService(t, workspace.Options{Limits: workspace.Limits{Changes: 3}})
	ws := agentOf(t, svc, "a")
	for range 10 {
		write(t, ws, "f", "x")
	}
	first := func(ctx context.Context, since int64) (n int, err error) {
		for _, err = range ws.Watch(ctx, since) {
			n++
		}
		return n, err
	}
	_, err := first(t.Context(), 6)
	wantErr(t, "Watch too old", err, workspace.ErrNotFound, "changes after 6 are not kept", "Changes says")
	_, err = first(t.Context(), 11)
	wantErr(t, "Watch ahead", err, workspace.ErrInvalid, "Since is 11, the last revision is 10")
	_, err = first(t.Context(), -1)
	wantErr(t, "Watch below 0", err, workspace.ErrInvalid, "Since is -1")
	_, err = first(nil, 1)
	wantErr(t, "Watch without a context", err, workspace.ErrInvalid, "context is nil")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err = range ws.Watch(ctx, 7) {
		if n++; n == 3 {
			time.AfterFunc(20*time.Millisecond, cancel) // it waits for more by then
		}
	}
	if n != 3 || err != nil {
		t.Errorf("a Watch that ended with its context gave %d changes, %v, want 3 and no error", n, err)
	}
	if n, err := first(ctx, 7); n != 0 || err != nil {
		t.Errorf("a Watch whose context had ended gave %d changes, %v, want none", n, err)
	}
	for c, err := range ws.Watch(t.Context(), 8) {
		if c.Revision == 10 {
			store.Close()
		}
		if c.Revision == 0 {
			wantErr(t, "Watch of a store that was closed", err, workspace.ErrClosed)
		}
	}
}
