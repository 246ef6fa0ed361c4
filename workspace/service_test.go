package workspace_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Agents and tenants see nothing of one another.
func TestIsolation(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	a := agentOf(t, svc, "a")
	write(t, a, "f", "secret")
	appendLog(t, a, "l", "secret")
	testkit.Must(t, failure(a.WriteFile(t.Context(), "g", nil, workspace.WriteOptions{IdempotencyKey: "key"})))
	for _, ws := range []*workspace.Workspace{
		agentOf(t, svc, "A"), agentOf(t, svc, "aa"), agentOf(t, svc, "a-"), agentOf(t, serviceOn(t, store, workspace.Options{Tenant: "other"}), "a"),
	} {
		_, err := ws.ReadFile(t.Context(), "f", workspace.ReadOptions{})
		wantErr(t, "ReadFile of another's", err, workspace.ErrNotFound)
		_, err = ws.History(t.Context(), "f")
		wantErr(t, "History of another's", err, workspace.ErrNotFound)
		files, err := ws.ListFiles(t.Context(), workspace.ListOptions{})
		if err != nil || len(files.Files) != 0 {
			t.Errorf("ListFiles = %+v, %v, want none", files, err)
		}
		if page := readLog(t, ws, "l", workspace.ReadLogOptions{}); page.Total != 0 {
			t.Errorf("ReadLog of another's = %+v, want nothing", page)
		}
		if _, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{}); err != nil {
			t.Errorf("DeleteFile = %v", err)
		}
		if r, err := ws.WriteFile(t.Context(), "h", nil, workspace.WriteOptions{IdempotencyKey: "key"}); err != nil || r.Version != 1 {
			t.Errorf("WriteFile with another's key = %+v, %v, want version 1", r, err)
		}
		if res := appendLog(t, ws, "l", "mine"); res.First != 1 {
			t.Errorf("the first entry is %d, want 1: numbers tell nothing of another's", res.First)
		}
	}
	if r := read(t, a, "f", workspace.ReadOptions{}); string(r.Content) != "secret" {
		t.Errorf("the file holds %q, want what was written", r.Content)
	}
}

func TestDeleteAgent(t *testing.T) {
	clock := testkit.NewClock()
	svc, _ := newService(t, workspace.Options{Now: clock.Now})
	ws, other := agentOf(t, svc, "a"), agentOf(t, svc, "b")
	for i := range 450 { // several pages
		write(t, ws, fmt.Sprintf("f%d", i), "x")
		appendLog(t, ws, fmt.Sprintf("l%d", i), "1", "2")
	}
	for range 6 {
		write(t, ws, "often", "x")
	}
	appendLog(t, ws, "often", "1", "2", "3", "4")
	testkit.Must(t, failure(ws.DeleteLog(t.Context(), "often", workspace.DeleteOptions{IdempotencyKey: "key"})))
	write(t, other, "f", "x")

	found, err := svc.DeleteAgent(t.Context(), "a")
	if err != nil || !found {
		t.Fatalf("DeleteAgent = %t, %v, want it found", found, err)
	}
	agents, err := svc.Agents(t.Context(), "", 0)
	if err != nil || len(agents) != 1 || agents[0].Agent != "b" {
		t.Errorf("Agents = %+v, %v, want the other one alone", agents, err)
	}
	if u := usage(t, ws); u != (workspace.Usage{Operations: 1}) {
		t.Errorf("the usage is %+v, want one operation, that of Usage", u)
	}
	if found, err := svc.DeleteAgent(t.Context(), "a"); err != nil || found {
		t.Errorf("a second DeleteAgent = %t, %v, want nothing found", found, err)
	}
	if found, err := svc.DeleteAgent(t.Context(), "never"); err != nil || found {
		t.Errorf("DeleteAgent of one that never wrote = %t, %v, want nothing found", found, err)
	}

	// Versions and entries are above all that were reached, whatever the path.
	for _, path := range []string{"often", "f0", "new"} {
		w, err := ws.WriteFile(t.Context(), path, nil, workspace.WriteOptions{})
		if err != nil || w.Version != 7 {
			t.Errorf("%s has version %d, %v, want 7", path, w.Version, err)
		}
		if r := appendLog(t, ws, path, "x"); r.First != 5 {
			t.Errorf("%s has entry %d, want 5", path, r.First)
		}
	}
	if r := read(t, ws, "often", workspace.ReadOptions{Since: 6}); !r.VersionTooOld {
		t.Errorf("since a version from before = %+v, want VersionTooOld", r)
	}
	if res, err := ws.DeleteLog(t.Context(), "often", workspace.DeleteOptions{IdempotencyKey: "key"}); err != nil || res.Removed != 1 {
		t.Errorf("DeleteLog with a key from before = %+v, %v, want it done anew: one entry", res, err)
	}
}

// An operator looks without being counted, and sees what the agent sees. A write is
// an operation of the agent, whoever makes it.
func TestLook(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	write(t, ws, "f", "one")
	write(t, ws, "f", "two")
	appendLog(t, ws, "l", "x")
	read(t, ws, "f", workspace.ReadOptions{}) // not written yet
	look, err := svc.Look("a")
	testkit.Must(t, err)
	must := func(err error) {
		t.Helper()
		testkit.Must(t, err)
	}
	for range 2 {
		if r := read(t, look, "f", workspace.ReadOptions{}); string(r.Content) != "two" {
			t.Errorf("the operator reads %q, want two", r.Content)
		}
		if page := readLog(t, look, "l", workspace.ReadLogOptions{}); page.Last != 1 {
			t.Errorf("the operator reads the log up to %d, want 1", page.Last)
		}
		must(failure(look.History(t.Context(), "f")))
		must(failure(look.ListLogs(t.Context(), workspace.ListOptions{})))
		must(failure(fs.ReadFile(workspace.FS(t.Context(), look), "f")))
		files, err := look.ListFiles(t.Context(), workspace.ListOptions{})
		if must(err); len(files.Files) != 1 || files.Files[0].Versions != 2 {
			t.Errorf("the operator lists %+v, want one file with 2 versions", files)
		}
		if u := usage(t, look); u.Operations != 4 {
			t.Errorf("the operator sees %d operations, want the 4 of the agent", u.Operations)
		}
	}
	must(svc.Close(t.Context()))
	if n := stored(t, svc); n != 4 {
		t.Errorf("%d operations are written after the looks, want 4", n)
	}
	write(t, look, "f", "three")
	if n := stored(t, svc); n != 5 {
		t.Errorf("%d operations are written after a write, want 5", n)
	}

	if _, err := svc.Look("a b"); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("Look at a bad name = %v, want %v", err, workspace.ErrInvalid)
	}
	other, err := serviceOn(t, store, workspace.Options{Tenant: "other"}).Look("a")
	must(err)
	if _, err := other.ReadFile(t.Context(), "f", workspace.ReadOptions{}); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("another tenant's operator reads %v, want %v", err, workspace.ErrNotFound)
	}
}
