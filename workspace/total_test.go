package workspace_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A new agent is refused if there are enough. Present agents go on, deleted ones make
// room, and a deletion that finds nothing makes no agent.
func TestAgentLimit(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Store: workspace.StoreLimits{Agents: 2}})
	a, b, c := agentOf(t, svc, "a"), agentOf(t, svc, "b"), agentOf(t, svc, "c")
	write(t, a, "f", "x")
	appendLog(t, b, "l", "x")
	const says = "agent limit of this store reached (2 of 2)"
	_, err := c.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "the write of a third agent", err, workspace.ErrQuota, "write f: "+says, "StoreLimits")
	_, err = c.AppendLog(t.Context(), "l", nil)
	wantErr(t, "the append of a third agent", err, workspace.ErrQuota, "append to l: "+says)
	_, err = c.EditFile(t.Context(), "f", "x", "y", workspace.EditOptions{})
	wantErr(t, "the edit of a third agent", err, workspace.ErrNotFound)
	for range 2 {
		if r, err := c.DeleteFile(t.Context(), "f", workspace.DeleteOptions{IdempotencyKey: "key"}); err != nil || r.Deleted {
			t.Errorf("a deletion of a third agent = %+v, %v, want nothing deleted", r, err)
		}
	}
	if u, err := svc.StoreUsage(t.Context()); err != nil || u.Agents != 2 || u.Files != 1 || u.Logs != 1 || u.Versions != 1 || u.Entries != 1 || u.Bytes != 2 {
		t.Errorf("StoreUsage = %+v, %v, want those of two agents", u, err)
	}
	write(t, a, "g", "x")
	testkit.Must(t, failure(svc.DeleteAgent(t.Context(), "a")))
	write(t, c, "f", "x")
	_, err = a.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "the write of a deleted agent where another has its place", err, workspace.ErrQuota, says)
	write(t, b, "f", "x")

	none, _ := newService(t, workspace.Options{Store: workspace.StoreLimits{Agents: -1, Bytes: -1}})
	for i := range 5 {
		write(t, agentOf(t, none, fmt.Sprint(i)), "f", "x")
	}
}

// An adder counts how often a store adds up the totals.
type adder struct {
	workspace.Store
	sums atomic.Int64
	fail atomic.Bool
}

func (s *adder) Totals(ctx context.Context, tenant string) (workspace.Totals, error) {
	s.sums.Add(1)
	if s.fail.Load() {
		return workspace.Totals{}, workspace.ErrBusy
	}
	return s.Store.Totals(ctx, tenant)
}

// The bytes of all agents are added up every five seconds at most. A write that would
// exceed the limit is refused. A write that makes less is not refused, nor is a deletion,
// even if adding up fails.
func TestTotalBytes(t *testing.T) {
	clock := testkit.NewClock()
	store := &adder{Store: memstore.New()}
	defer store.Close()
	svc := serviceOn(t, store, workspace.Options{Now: clock.Now, Limits: workspace.Limits{Versions: 1}, Store: workspace.StoreLimits{Agents: -1, Bytes: 2*oneFile + 1000}})
	a, b := agentOf(t, svc, "a"), agentOf(t, svc, "b")
	write(t, a, "f", strings.Repeat("x", 600))
	write(t, b, "f", strings.Repeat("x", 400))
	for range 20 {
		write(t, a, "f", strings.Repeat("x", 600))
		clock.Advance(249 * time.Millisecond)
	}
	if n := store.sums.Load(); n != 1 {
		t.Errorf("it was added up %d times within 4.98 seconds, want once", n)
	}
	clock.Advance(time.Second)
	_, err := b.WriteFile(t.Context(), "f", make([]byte, 401), workspace.WriteOptions{})
	wantErr(t, "a byte more", err, workspace.ErrQuota, "write f: all agents of this store use 1700 bytes of 1700, this write adds 1;", "StoreLimits")
	_, err = b.AppendLog(t.Context(), "l", nil)
	wantErr(t, "an empty entry more", err, workspace.ErrQuota, "this write adds 300;")
	if n := store.sums.Load(); n != 2 {
		t.Errorf("it was added up %d times, want twice", n)
	}
	write(t, b, "f", strings.Repeat("y", 400))
	write(t, b, "f", "shorter")
	clock.Advance(6 * time.Second)
	write(t, a, "f", strings.Repeat("x", 900))
	clock.Advance(-time.Hour) // a sum from the future is not waited for
	_, err = a.WriteFile(t.Context(), "f", make([]byte, 1000), workspace.WriteOptions{})
	wantErr(t, "a hundred bytes more", err, workspace.ErrQuota, "use 1607 bytes of 1700, this write adds 100")
	if n := store.sums.Load(); n != 4 {
		t.Errorf("it was added up %d times, want four times", n)
	}

	store.fail.Store(true)
	clock.Advance(time.Hour)
	_, err = a.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "a write that cannot be weighed", err, workspace.ErrBusy)
	if r, err := a.DeleteFile(t.Context(), "f", workspace.DeleteOptions{IdempotencyKey: "key"}); err != nil || !r.Deleted {
		t.Errorf("a deletion that cannot be weighed = %+v, %v, want it done", r, err)
	}
}
