package workspace_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

// journalOf returns the first and the last row of an agent's journal, how many there are,
// and the agent's state.
func keptOf(t testing.TB, store workspace.Store, agent string) (first, last int64, n int, state workspace.OwnerState) {
	t.Helper()
	var rows []workspace.Change
	if err := store.View(t.Context(), workspace.Owner{Tenant: "local", Agent: agent}, func(r workspace.Reader) (err error) {
		if state, err = r.Owner(); err == nil {
			rows, err = r.Changes(0, 1<<20)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for i, c := range rows {
		if c.Revision != rows[0].Revision+int64(i) {
			t.Fatalf("row %d of %s has revision %d after %d", i, agent, c.Revision, rows[0].Revision)
		}
	}
	if len(rows) > 0 {
		first, last = rows[0].Revision, rows[len(rows)-1].Revision
	}
	return first, last, len(rows), state
}

// TestJournalLimit writes more than the journal keeps. The oldest rows go, a hundred at a
// time.
func TestJournalLimit(t *testing.T) {
	store := storetest.Rerun(memstore.New())
	defer store.Close()
	for _, limit := range []int64{1, 7, 250} {
		agent := fmt.Sprint("agent-", limit)
		ws := agentOf(t, serviceOn(t, store, workspace.Options{Limits: workspace.Limits{Changes: limit}}), agent)
		want := int64(0)
		for n := int64(1); n <= limit+320; n++ {
			if n%2 == 0 {
				appendLog(t, ws, "log", "x")
			} else if _, err := ws.WriteFile(t.Context(), "a", []byte("x"), workspace.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			if want++; want == limit+100 {
				want = limit
			}
			first, last, rows, state := keptOf(t, store, agent)
			if last != n || int64(rows) != want || first != n-want+1 || state.Revision != n || state.Changes != want {
				t.Fatalf("a journal of %d rows has %d to %d after change %d, and the state %+v; want the last %d", limit, first, last, n, state, want)
			}
		}
	}
}

// TestJournalOfDeletedAgent deletes an agent, and then also its row. The revisions go on.
func TestJournalOfDeletedAgent(t *testing.T) {
	store := storetest.Rerun(memstore.New())
	defer store.Close()
	clock := testkit.NewClock()
	svc := serviceOn(t, store, workspace.Options{Now: clock.Now})
	ws := agentOf(t, svc, "agent")
	revision := int64(0)
	for _, wait := range []time.Duration{0, time.Hour, 31 * 24 * time.Hour, 31 * 24 * time.Hour} {
		for range 5 {
			appendLog(t, ws, "log", "x")
			revision++
		}
		if _, last, n, _ := keptOf(t, store, "agent"); n != 5 || last != revision {
			t.Fatalf("the journal after %d changes has %d rows up to %d, want 5", revision, n, last)
		}
		if _, err := svc.DeleteAgent(t.Context(), "agent"); err != nil {
			t.Fatal(err)
		}
		revision++ // the log was deleted
		if _, _, n, state := keptOf(t, store, "agent"); n != 0 || state.Changes != 0 || state.Revision != revision {
			t.Fatalf("the journal of a deleted agent has %d rows and the state %+v, want none and revision %d", n, state, revision)
		}
		clock.Advance(wait)
		if _, err := svc.DeleteAgent(t.Context(), "nobody"); err != nil { // it sweeps
			t.Fatal(err)
		}
		if _, _, _, state := keptOf(t, store, "agent"); (state == workspace.OwnerState{}) != (wait > 30*24*time.Hour) {
			t.Fatalf("the state of an agent that was deleted %v ago is %+v", wait, state)
		}
	}
}

// The largest limit is as good as none.
func TestChangesUnlimited(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Limits: workspace.Limits{Changes: math.MaxInt64}})
	ws := agentOf(t, svc, "a")
	write(t, ws, "a", "1")
	write(t, ws, "b", "1")
	wantChanges(t, ws, since(0), "2 create:file:a:0-1 create:file:b:0-1")
}
