package workspace_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func restore(t testing.TB, ws *workspace.Workspace, path string, version int64) workspace.WriteResult {
	t.Helper()
	r, err := ws.RestoreFile(t.Context(), path, version, workspace.WriteOptions{})
	if err != nil {
		t.Fatalf("RestoreFile(%q, %d) = %v", path, version, err)
	}
	return r
}

// A restored version is a new version, made now by whoever restores it. The present one may
// be restored too.
func TestRestore(t *testing.T) {
	arranged(t, func(t *testing.T, store workspace.Store) {
		clock := testkit.NewClock()
		ws := agentOf(t, serviceOn(t, store, workspace.Options{Now: clock.Now, Limits: workspace.Limits{Versions: 3}}), "a")
		write(t, ws, "f", "one")
		write(t, ws, "f", "two!")
		clock.Advance(time.Hour)
		got := restore(t, ws.As(workspace.Author{Client: "restorer"}), "f", 1)
		if want := (workspace.WriteResult{Path: "f", Version: 3, Bytes: 3, Time: got.Time}); got.Time.IsZero() || got != want {
			t.Errorf("RestoreFile = %+v, want %+v", got, want)
		}
		checkRow(t, store, 3, workspace.Change{Op: workspace.OpRestore, Kind: workspace.KindFile, Path: "f", Before: 2, After: 3})
		if r := read(t, ws, "f", workspace.ReadOptions{}); r.Author.Client != "restorer" || !r.Time.Equal(clock.Now()) || string(r.Content) != "one" {
			t.Errorf("the current version is %+v, want the first text, written by the restorer now", r)
		}
		restore(t, ws, "f", 3)
		restore(t, ws, "f", 2) // the oldest, which goes with this
		if diff := cmp.Diff(map[int64]string{3: "one", 4: "one", 5: "two!"}, contentsOf(t, ws, "f")); diff != "" {
			t.Errorf("the versions (-want +got):\n%s", diff)
		}
		if u := usage(t, ws); u.Files != 1 || u.Bytes != 10 {
			t.Errorf("the usage is %+v, want one file and 10 bytes", u)
		}
	})
}

func TestRestoreRefused(t *testing.T) {
	arranged(t, func(t *testing.T, store workspace.Store) {
		ws := agentOf(t, serviceOn(t, store, workspace.Options{Limits: workspace.Limits{Versions: 2, Bytes: 2000}}), "a")
		for range 4 {
			write(t, ws, "plan", "x")
		}
		for _, test := range []struct {
			path      string
			version   int64
			ifVersion *int64
			kind      error
			says      string
		}{
			{"plan", 2, nil, workspace.ErrNotFound, "restore plan: version 2 is not kept, versions 3 to 4 are"},
			{"plan", 5, nil, workspace.ErrNotFound, "version 5 is not kept"},
			{"plan", 0, nil, workspace.ErrInvalid, "Version is 0, the least is 1"},
			{"plan", 3, ptr(3), workspace.ErrConflict, "it is at version 4, IfVersion is 3"},
			{"plan", 3, ptr(0), workspace.ErrInvalid, "IfVersion is 0, the least is 1"},
			{"plans", 3, nil, workspace.ErrNotFound, "restore plans: there is no such file; the nearest name is plan"},
			{"/plan", 3, nil, workspace.ErrInvalid, "restore path /plan: "},
		} {
			_, err := ws.RestoreFile(t.Context(), test.path, test.version, workspace.WriteOptions{IfVersion: test.ifVersion})
			wantErr(t, "RestoreFile", err, test.kind, test.says)
		}
		if _, err := ws.RestoreFile(t.Context(), "plan", 3, workspace.WriteOptions{IfVersion: ptr(4)}); err != nil {
			t.Errorf("RestoreFile on the right condition = %v", err)
		}
		testkit.Must(t, failure(ws.DeleteFile(t.Context(), "plan", workspace.DeleteOptions{})))
		_, err := ws.RestoreFile(t.Context(), "plan", 5, workspace.WriteOptions{})
		wantErr(t, "RestoreFile of a deleted file", err, workspace.ErrNotFound, "there is no such file")
	})
}
