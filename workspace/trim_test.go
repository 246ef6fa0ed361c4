package workspace_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

func trimLog(t testing.TB, ws *workspace.Workspace, path string, through int64, o workspace.DeleteOptions) workspace.DeleteResult {
	t.Helper()
	r, err := ws.TrimLog(t.Context(), path, through, o)
	if err != nil {
		t.Fatalf("TrimLog(%q, %d) = %v", path, through, err)
	}
	return r
}

// numbers returns the numbers of the entries of a page.
func numbers(page workspace.LogPage) (list []int64) {
	for _, e := range page.Entries {
		list = append(list, e.ID)
	}
	return list
}

func TestTrimLog(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	appendLog(t, ws, "l", "one", "two", "three", "four")
	appendLog(t, ws, "other", "stays")
	check := func(through, removed int64, left ...int64) {
		t.Helper()
		want := workspace.DeleteResult{Path: "l", Deleted: removed > 0, Removed: removed}
		if got := trimLog(t, ws, "l", through, workspace.DeleteOptions{}); got != want {
			t.Errorf("TrimLog through %d = %+v, want %+v", through, got, want)
		}
		page := readLog(t, ws, "l", workspace.ReadLogOptions{})
		if diff := cmp.Diff(left, numbers(page)); diff != "" || !page.Exists {
			t.Errorf("after TrimLog through %d the log exists: %v, entries (-want +got):\n%s", through, page.Exists, diff)
		}
	}
	check(2, 2, 3, 4)
	check(1, 0, 3, 4)
	check(2, 0, 3, 4)
	_, err := ws.TrimLog(t.Context(), "l", 5, workspace.DeleteOptions{})
	wantErr(t, "TrimLog beyond the last entry", err, workspace.ErrInvalid, "delete entries of log l: through is 5, the last entry is 4; give that or less")
	_, err = ws.TrimLog(t.Context(), "l", 0, workspace.DeleteOptions{})
	wantErr(t, "TrimLog through 0", err, workspace.ErrInvalid, "through is 0, the least is 1")
	_, err = ws.TrimLog(t.Context(), "l", 1, workspace.DeleteOptions{IfVersion: ptr(1)})
	wantErr(t, "TrimLog with a version", err, workspace.ErrInvalid, "a log has no versions")
	check(4, 2)
	if u := usage(t, ws); u.Logs != 2 || u.Entries != 1 || u.Bytes != 5 {
		t.Errorf("usage after all entries of a log were removed is %+v, want 2 logs and one entry of 5 bytes", u)
	}
	if r := appendLog(t, ws, "l", "five"); r.Last != 5 {
		t.Errorf("the entry after four that were removed has the number %d, want 5", r.Last)
	}
	check(5, 1)
	if r, err := ws.DeleteLog(t.Context(), "l", workspace.DeleteOptions{}); err != nil || !r.Deleted || r.Removed != 0 {
		t.Errorf("DeleteLog of a log without entries = %+v, %v, want it deleted", r, err)
	}
	if page := readLog(t, ws, "l", workspace.ReadLogOptions{}); page.Exists {
		t.Errorf("a log without entries exists after DeleteLog: %+v", page)
	}
	if r := trimLog(t, ws, "l", 7, workspace.DeleteOptions{}); r.Deleted {
		t.Errorf("TrimLog of a log that does not exist = %+v, want nothing deleted", r)
	}
}

// A cursor before the first kept entry continues there, and the page says which entries
// are gone.
func TestReadLogAfterTrim(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	appendLog(t, ws, "l", "one", "two", "three", "four", "five")
	trimLog(t, ws, "l", 3, workspace.DeleteOptions{})
	for since, want := range map[int64]workspace.LogPage{
		0: {Total: 2, Last: 5},
		2: {Total: 2, Last: 5, Removed: 3},
		3: {Total: 2, Last: 5},
		4: {Total: 1, Last: 5},
		9: {Total: 0, Last: 9},
	} {
		got := readLog(t, ws, "l", workspace.ReadLogOptions{Since: since})
		if got.Total != want.Total || got.Last != want.Last || got.Removed != want.Removed || int64(len(got.Entries)) != want.Total {
			t.Errorf("ReadLog since %d of entries 4 and 5 = %+v, want total %d, last %d, removed %d", since, got, want.Total, want.Last, want.Removed)
		}
	}
	page := readLog(t, ws, "l", workspace.ReadLogOptions{Tail: 5})
	if diff := cmp.Diff([]int64{4, 5}, numbers(page)); diff != "" || page.Total != 0 || page.More || page.Removed != 0 {
		t.Errorf("ReadLog of the last 5 = %+v, want entries 4 and 5, and none older", page)
	}
}

// A log is deleted with a condition only if it has no entries that the caller has not seen.
func TestDeleteLogIfLast(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	remove := func(last int64) (workspace.DeleteResult, error) {
		return ws.DeleteLog(t.Context(), "l", workspace.DeleteOptions{IfLast: &last})
	}
	if r, err := remove(7); err != nil || r.Deleted {
		t.Errorf("DeleteLog of no log = %+v, %v, want nothing deleted", r, err)
	}
	appendLog(t, ws, "l", "one", "two")
	trimLog(t, ws, "l", 2, workspace.DeleteOptions{})
	appendLog(t, ws, "l", "three")
	for _, last := range []int64{-1, 0, 2, 4} {
		_, err := remove(last)
		wantErr(t, "DeleteLog with another last entry", err, workspace.ErrConflict, "delete log l: its last entry is 3, not", "try again")
	}
	if r, err := remove(3); err != nil || r.Removed != 1 {
		t.Errorf("DeleteLog = %+v, %v, want one entry removed", r, err)
	}
	last := int64(1)
	_, err := ws.TrimLog(t.Context(), "l", 1, workspace.DeleteOptions{IfLast: &last})
	wantErr(t, "TrimLog with a last entry", err, workspace.ErrInvalid, "leave it out")
	_, err = ws.DeleteFile(t.Context(), "l", workspace.DeleteOptions{IfLast: &last})
	wantErr(t, "DeleteFile with a last entry", err, workspace.ErrInvalid, "leave it out")
}
