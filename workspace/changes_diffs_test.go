package workspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// diffs returns the differences, with an empty line between them.
func diffs(c workspace.Changes) string {
	var all []string
	for _, d := range c.Diffs {
		text := string(d.Text)
		if d.LeftOut != "" {
			text += fmt.Sprintf("<%s: %s; %d>", c.Paths[d.Row].Path, d.LeftOut, d.Since)
		}
		if d.Same {
			text += fmt.Sprintf("<%s: same>", c.Paths[d.Row].Path)
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n\n") + fmt.Sprintf("\nomitted %d", c.Omitted)
}

func TestChangesDiffs(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Versions: 3}})
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
	testkit.Must(t, testkit.Err(ws.TrimLog(t.Context(), "trimmed", 1, workspace.TrimLogOptions{})))
	appendLog(t, ws, "cut", "three", "four")
	testkit.Must(t, testkit.Err(ws.TrimLog(t.Context(), "cut", 3, workspace.TrimLogOptions{})))
	wantDiffs(t, ws, cursor)
}

func wantDiffs(t *testing.T, ws *workspace.Workspace, cursor int64) {
	t.Helper()
	got := changes(t, ws, workspace.ChangesOptions{Since: cursor, Diffs: true})
	when := got.Paths[len(got.Paths)-1].Time.Format("2006-01-02T15:04:05Z")
	want := `<gone: 745 tokens, version 1 is not kept; 0>

--- plan 1
+++ plan 2
@@ -52 +52 @@
-line 52 of the plan
+the line of the plan
@@ -100,0 +101 @@
+and a last one
\ No newline at end of file

<there: 746 tokens, version 1 is not kept; 0>

<again: 744 tokens, version 1 is not kept; 0>

+++ short 3
 y

+++ new 1
 x

log ` + when + `
[3,0,"three"]
[4,0,"a line\nand \"another\""]

cut ` + when + `
[4,0,"four"]<cut: 1 of 2 entries left out; 2>
omitted 4`
	if diff := cmp.Diff(want, diffs(got)); diff != "" {
		t.Errorf("%s\n(-want +got):\n%s", brief(got), diff)
	}
	if got := changes(t, ws, since(cursor)); got.Diffs != nil {
		t.Errorf("Changes without differences has %d", len(got.Diffs))
	}
	got = changes(t, ws, workspace.ChangesOptions{Recent: true, Diffs: true})
	if text := diffs(got); !strings.HasPrefix(text, "cut "+when+"\n[4,0,\"four\"]\n") ||
		!strings.Contains(text, "\n\n<plan: 747 tokens; 0>\n") || !strings.Contains(text, "\n\n+++ short 3\n y\n") {
		t.Errorf("the differences without a cursor are\n%s", text)
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
	if got := diffs(changes(t, agentOf(t, low, "a"), o)); got != "<plan: 1905 bytes; 0>\nomitted 1" {
		t.Errorf("Changes over the limit = %s, want one omitted", got)
	}
	mustMove(t, ws, "plan", "moved")
	o.Since = 2
	if got := diffs(changes(t, agentOf(t, low, "a"), o)); got != "<moved: same>\nomitted 0" {
		t.Errorf("Changes after a move = %s, want none omitted", got)
	}
}

// Where not all differences fit, the oldest are left out, with a line each.
func TestChangesDiffsAreCutAtTheOldEnd(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	old, text := strings.Repeat("a line of the plan that stays as it is\n", 300), strings.Repeat("another line of the plan, which is new\n", 60)
	for i := range 60 {
		write(t, ws, fmt.Sprintf("f%02d", i), old)
	}
	entries := make([]string, 90)
	for i := range entries {
		entries[i] = fmt.Sprintf("entry %d of the log, which has some words too", i)
	}
	for range 25 {
		appendLog(t, ws, "log", entries...)
	}
	cursor := changes(t, ws, workspace.ChangesOptions{Recent: true}).Cursor
	for i := range 60 {
		write(t, ws, fmt.Sprintf("f%02d", i), old+text)
	}
	for range 25 {
		appendLog(t, ws, "log", entries...)
	}
	got := changes(t, ws, workspace.ChangesOptions{Since: cursor, Diffs: true})
	cost, shown := 0, ""
	for _, d := range got.Diffs {
		path := got.Paths[d.Row].Path
		if cost += tokens.EstimateBytes(d.Text); d.LeftOut != "" {
			cost += tokens.Estimate(path + ": " + d.LeftOut + "; read_file since_version 1")
		}
		if d.Text != nil {
			shown += path + " "
		}
		if (d.LeftOut == "") != (d.Text != nil) && path != "log" {
			t.Errorf("%s has %d bytes, and %q is left out", path, len(d.Text), d.LeftOut)
		}
	}
	if len(got.Diffs) != 61 || cost > 4000 || cost < 2500 || !strings.HasSuffix(shown, "f58 f59 log ") || strings.Contains(shown, "f00") {
		t.Fatalf("%d differences cost %d tokens: %s", len(got.Diffs), cost, shown)
	}
	last := got.Diffs[60]
	if text := string(last.Text); !strings.Contains(text, "\n[4500,0,") || !strings.HasSuffix(last.LeftOut, " of 2250 entries left out") || last.Since != 2250 {
		t.Errorf("the entries are %q, and %q since %d", last.Text, last.LeftOut, last.Since)
	}
}

// One changed line is shown, also of a small file whose lines are long.
func TestChangesDiffsOfSmallFiles(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for n := 1; n <= 40; n++ { // lines of a file of 1 kB
		line := strings.Repeat("some words of the plan ", 44/n+1) + "\n"
		write(t, ws, "plan", strings.Repeat(line, n))
		write(t, ws, "plan", strings.Repeat(line, n-1)+"not "+line)
		got := changes(t, ws, workspace.ChangesOptions{Since: changes(t, ws, workspace.ChangesOptions{Recent: true}).Cursor - 1, Diffs: true})
		if got.Omitted > 0 || !strings.Contains(diffs(got), "not some words") {
			t.Errorf("of %d lines: %s", n, diffs(got))
		}
	}
}

// A short entry beside one that does not fit is shown.
func TestChangesDiffsOfEntries(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	appendLog(t, ws, "log", "first", "short", strings.Repeat("a long entry of the log ", 2000), "last")
	got := diffs(changes(t, ws, workspace.ChangesOptions{Diffs: true}))
	if !strings.Contains(got, `"short"]`) || !strings.HasSuffix(got, `"last"]<log: 1 of 4 entries left out; 0>`+"\nomitted 1") {
		t.Errorf("the differences are %.300s", got)
	}
}

// A file that was deleted, and brought back or written again, changed from what the reader had.
func TestChangesOfDeletedFiles(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{KeepDeleted: time.Hour})
	text := strings.Repeat("a line that stays\n", 20)
	write(t, ws, "plan", text+"one\n")
	remove(t, ws, "plan")
	wantChanges(t, ws, since(1), "2 delete:file:plan:1-0")
	restore(t, ws, "plan", 1)
	got := changes(t, ws, workspace.ChangesOptions{Since: 1, Diffs: true})
	if want := "3 restore:file:plan:1-2"; brief(got) != want || diffs(got) != "<plan: same>\nomitted 0" {
		t.Errorf("Changes = %s, %s, want %s, the same text", brief(got), diffs(got), want)
	}
	wantChanges(t, ws, since(2), "3 create:file:plan:0-2")
	write(t, ws, "plan", text+"three\n")
	remove(t, ws, "plan")
	write(t, ws, "plan", text+"four\n")
	for since, want := range map[int64]string{1: "-one\n+four", 3: "-one\n+four", 4: "-three\n+four"} {
		got := changes(t, ws, workspace.ChangesOptions{Since: since, Diffs: true})
		if len(got.Paths) != 1 || got.Paths[0].Op != workspace.OpEdit || !strings.Contains(diffs(got), want) {
			t.Errorf("Changes since %d = %s, %s, want an edit, %s", since, brief(got), diffs(got), want)
		}
	}
	wantChanges(t, ws, workspace.ChangesOptions{Each: true, Since: 1},
		"6 delete:file:plan:1-0 restore:file:plan:0-2 edit:file:plan:2-3 delete:file:plan:3-0 create:file:plan:0-4")
}

// What is left out names the version to read where that is not the current one, and nothing where
// it cannot be read. Of more paths than fit, it is known how many have no line.
func TestChangesDiffsLeftOut(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Limits: workspace.Limits{Versions: 3}})
	ws := agentOf(t, svc, "a")
	for i := range 5 { // versions 1 and 2 are pruned
		write(t, ws, "big", strings.Repeat(fmt.Sprintf("line of text %d\n", i), 2000))
	}
	testkit.Must(t, testkit.Err(ws.RedactVersion(t.Context(), "big", 4, workspace.RedactOptions{})))
	got := changes(t, ws, workspace.ChangesOptions{Each: true, Diffs: true})
	var lines []string
	for _, d := range got.Diffs {
		lines = append(lines, fmt.Sprint(got.Paths[d.Row].After, " ", d.LeftOut, " ", d.Version, d.Gone))
	}
	want := []string{"1 version 1 is not kept 0 true", "2 version 2 is not kept 0 true",
		"3 12,771 tokens, version 2 is not kept 3 false", "4 version 4 is redacted 0 true",
		"5 12,771 tokens, version 4 is not kept 0 false"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("what is left out (-want +got):\n%s", diff)
	}
	many := agentOf(t, svc, "many")
	for i := range 60 {
		write(t, many, fmt.Sprint(strings.Repeat("a-long-path/", 18), i), strings.Repeat("x y z ", 100))
	}
	got = changes(t, many, workspace.ChangesOptions{Diffs: true})
	if n := len(got.Diffs); n == 0 || n == 60 || got.Omitted != 60 || got.Unlisted() != 60-n {
		t.Errorf("of 60 files %d have a line, %d are omitted, %d have none", n, got.Omitted, got.Unlisted())
	}
}

// The answer without a cursor says after which revision the older changes are.
func TestChangesOldest(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Changes: 5}})
	for i := range 8 {
		write(t, ws, fmt.Sprint(i), "x")
	}
	for _, each := range []bool{false, true} {
		got := changes(t, ws, workspace.ChangesOptions{Recent: true, Each: each, Limit: 2})
		all := changes(t, ws, workspace.ChangesOptions{Since: got.Oldest, Each: each})
		before := changes(t, ws, workspace.ChangesOptions{Since: got.Oldest - 1, Each: each})
		if !got.More || got.Oldest != 3 || len(all.Paths) != 5 || all.TooOld || !before.TooOld || before.Oldest != 3 {
			t.Errorf("the oldest cursor is %d, with %d changes after it", got.Oldest, len(all.Paths))
		}
	}
}
