package workspace_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// stored returns the operations that are written, without counting anything.
func stored(t testing.TB, svc *workspace.Service) int64 {
	t.Helper()
	agents, err := svc.Agents(t.Context(), "", 0)
	if err != nil || len(agents) > 1 {
		t.Fatalf("Agents = %+v, %v, want one at most", agents, err)
	}
	if len(agents) == 0 {
		return 0
	}
	return agents[0].Usage.Operations
}

// Reads that no write takes along are written within ten seconds.
func TestReadsAreFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		defer store.Close()
		svc, err := workspace.New(store, workspace.Options{})
		testkit.Must(t, err)
		defer svc.Close(t.Context())
		ws := agentOf(t, svc, "a")
		write(t, ws, "f", "x")
		want := int64(1)
		for round := range 3 {
			for range 5 {
				read(t, ws, "f", workspace.ReadOptions{})
				time.Sleep(time.Second)
			}
			if got := stored(t, svc); got != want {
				t.Errorf("round %d: %d operations are written before ten seconds have passed, want %d", round, got, want)
			}
			time.Sleep(5*time.Second + time.Millisecond)
			synctest.Wait()
			want += 5
			if got := stored(t, svc); got != want {
				t.Errorf("round %d: %d operations are written after ten seconds, want %d", round, got, want)
			}
		}
	})
}
