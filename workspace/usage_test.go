package workspace_test

import (
	"testing"
	"testing/synctest"
	"time"

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

// Reads are counted in memory, written with the next write and at Close, and
// seen by Usage at once.
func TestOperations(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	want := func(what string, n int64) {
		t.Helper()
		if got := stored(t, svc); got != n {
			t.Errorf("%s: %d operations are written, want %d", what, got, n)
		}
	}
	write(t, ws, "f", "x")
	want("a write", 1)
	for range 3 {
		read(t, ws, "f", workspace.ReadOptions{})
	}
	want("three reads", 1)
	if u := usage(t, ws); u.Operations != 5 {
		t.Errorf("Usage = %+v, want 5 operations, its own among them", u)
	}
	appendLog(t, ws, "l", "x")
	want("an append", 6)
	if _, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	want("a delete", 7)
	if _, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	want("a delete of nothing", 8)
	if _, err := ws.ReadLog(t.Context(), "l", workspace.ReadLogOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := svc.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("Close", 9)
	read := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	read(second(ws.ListFiles(t.Context(), workspace.ListOptions{})))
	read(second(ws.ListLogs(t.Context(), workspace.ListOptions{})))
	read(second(ws.ReadLog(t.Context(), "absent", workspace.ReadLogOptions{})))
	read(svc.Close(t.Context()))
	want("a second Close", 12)
	if u := usage(t, agentOf(t, serviceOn(t, store, workspace.Options{}), "a")); u.Operations != 13 {
		t.Errorf("Usage of another service = %+v, want 13 operations", u)
	}
}

// A call that fails is not counted.
func TestFailuresAreNotCounted(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "f", "x")
	before := usage(t, ws).Operations
	for _, o := range []workspace.ReadOptions{{Version: 9}, {Since: 9}, {Since: 1, Version: 1}} {
		_, err := ws.ReadFile(t.Context(), "f", o)
		if err == nil {
			t.Errorf("ReadFile(%+v) = nil, want an error", o)
		}
	}
	_, err := ws.History(t.Context(), "absent")
	wantErr(t, "History", err, workspace.ErrNotFound)
	_, err = ws.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{IfVersion: ptr(0)})
	wantErr(t, "WriteFile", err, workspace.ErrConflict)
	_, err = ws.EditFile(t.Context(), "f", "none", "x", workspace.EditOptions{})
	wantErr(t, "EditFile", err, workspace.ErrConflict)
	if after := usage(t, ws).Operations; after != before+1 {
		t.Errorf("%d operations are counted for calls that failed, want none", after-before-1)
	}
}

func TestLinesPastTheEndAreNotCounted(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "f", "x")
	before := usage(t, ws).Operations
	_, err := ws.ReadFile(t.Context(), "f", workspace.ReadOptions{FromLine: 9})
	wantErr(t, "ReadFile", err, workspace.ErrInvalid)
	if after := usage(t, ws).Operations; after != before+1 {
		t.Errorf("%d operations are counted for a read that failed, want none", after-before-1)
	}
}

// What is read of an agent that never wrote leaves no trace of it.
func TestReadsLeaveNoTrace(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	if u := usage(t, ws); u != (workspace.Usage{Operations: 1}) {
		t.Errorf("Usage of an agent that never wrote = %+v, want one operation", u)
	}
	_, err := ws.ReadFile(t.Context(), "f", workspace.ReadOptions{})
	wantErr(t, "ReadFile", err, workspace.ErrNotFound)
	if _, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := svc.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if agents, err := svc.Agents(t.Context(), "", 0); err != nil || len(agents) != 0 {
		t.Errorf("Agents = %+v, %v, want none", agents, err)
	}
}

// Reads that no write takes along are written within ten seconds.
func TestReadsAreFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		defer store.Close()
		svc, err := workspace.New(store, workspace.Options{})
		if err != nil {
			t.Fatal(err)
		}
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
