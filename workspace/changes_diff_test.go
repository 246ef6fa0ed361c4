package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// diffs returns the differences, with an empty line between them.
func diffs(c workspace.Changes) string {
	var all []string
	for _, d := range c.Diffs {
		all = append(all, string(d.Text))
	}
	return strings.Join(all, "\n\n") + fmt.Sprintf("\nomitted %d", c.Omitted)
}

func TestChangesDiffs(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Limits: workspace.Limits{Versions: 3}})
	ws := agentOf(t, svc, "a")
	var lines strings.Builder
	for i := range 100 {
		fmt.Fprintf(&lines, "line %d of the plan\n", i+1)
	}
	text := lines.String()
	for _, path := range []string{"gone", "moved", "plan", "short", "deleted", "again"} {
		write(t, ws, path, text)
	}
	appendLog(t, ws, "log", "one", "two")
	appendLog(t, ws, "trimmed", "one", "two")
	appendLog(t, ws, "cut", "one", "two")
	cursor := changes(t, ws, since(0)).Cursor
	for i := range 4 {
		write(t, ws, "gone", fmt.Sprint(text, i))
	}
	write(t, ws, "plan", strings.Replace(text, "line 52 ", "the line ", 1)+"and a last one")
	for range 3 {
		write(t, ws, "moved", text+"more\n")
	}
	mustMove(t, ws, "moved", "there")
	remove(t, ws, "deleted")
	remove(t, ws, "again")
	write(t, ws, "again", text)
	write(t, ws, "short", "x\n")
	write(t, ws, "short", "y\n")
	write(t, ws, "new", "x\n")
	appendLog(t, ws, "log", "three", "a line\nand \"another\"")
	testkit.Must(t, failure(ws.TrimLog(t.Context(), "trimmed", 1, workspace.DeleteOptions{})))
	appendLog(t, ws, "cut", "three", "four")
	testkit.Must(t, failure(ws.TrimLog(t.Context(), "cut", 3, workspace.DeleteOptions{})))
	got := changes(t, ws, workspace.ChangesOptions{Since: cursor, Diffs: true})
	when := got.Paths[len(got.Paths)-1].Time.Format("2006-01-02T15:04:05Z")
	want := `--- plan 1
+++ plan 2
@@ -52 +52 @@
-line 52 of the plan
+the line of the plan
@@ -100,0 +101 @@
+and a last one
\ No newline at end of file

log ` + when + `
[3,0,"three"]
[4,0,"a line\nand \"another\""]
omitted 6` // cut (entry 3 is gone), gone, there (the version is not kept), again, short, new
	if diff := cmp.Diff(want, diffs(got)); diff != "" {
		t.Errorf("%s\n(-want +got):\n%s", brief(got), diff)
	}
	for _, o := range []workspace.ChangesOptions{{Recent: true}, {Since: cursor}} {
		o.Diffs = o.Recent
		if got := changes(t, ws, o); got.Diffs != nil || o.Diffs && got.Omitted != 9 {
			t.Errorf("Changes(%+v) has %d differences, %d are omitted", o, len(got.Diffs), got.Omitted)
		}
	}
}

// Where the text is the same as before, nothing is left out.
func TestChangesDiffsEqual(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for _, path := range []string{"a", "same", "there"} {
		write(t, ws, path, "one\ntwo\n")
	}
	cursor := changes(t, ws, since(0)).Cursor
	mustMove(t, ws, "a", "b")
	write(t, ws, "same", "one\ntwo\n")
	write(t, ws, "there", "three\n")
	restore(t, ws, "there", 1)
	got := changes(t, ws, workspace.ChangesOptions{Since: cursor, Diffs: true})
	if len(got.Diffs) > 0 || got.Omitted > 0 {
		t.Errorf("Changes = %s, want no differences, none omitted", diffs(got))
	}
}

// A file that is larger than the limit is now is not compared: the limit bounds what a
// comparison takes.
func TestChangesDiffsOverLimit(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	text := strings.Repeat("a line of the plan\n", 100)
	write(t, ws, "plan", text)
	write(t, ws, "plan", text+"more\n")
	low, err := workspace.New(store, workspace.Options{Limits: workspace.Limits{FileBytes: 1000}})
	testkit.Must(t, err)
	o := workspace.ChangesOptions{Since: 1, Diffs: true}
	if got := changes(t, ws, o); len(got.Diffs) != 1 || got.Omitted != 0 {
		t.Errorf("Changes = %s, want one difference", diffs(got))
	}
	if got := changes(t, agentOf(t, low, "a"), o); len(got.Diffs) != 0 || got.Omitted != 1 {
		t.Errorf("Changes over the limit = %s, want one omitted", diffs(got))
	}
	mustMove(t, ws, "plan", "moved")
	o.Since = 2
	if got := changes(t, agentOf(t, low, "a"), o); len(got.Diffs) != 0 || got.Omitted != 0 {
		t.Errorf("Changes after a move = %s, want none omitted", diffs(got))
	}
}
