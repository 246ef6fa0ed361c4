package workspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tokens"
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

// A difference of several hundred tokens is given where it is a part of the file, in few
// long lines as in many short ones. The bytes of a line do not count.
func TestChangesDiffsOfManyTokens(t *testing.T) {
	words := "the %d committee of the harbour decides on Thursday whether the crane is mended or sold, and who pays"
	for _, c := range []struct {
		name         string
		line         string
		lines, every int
	}{
		{"one line in ten", words, 90, 10},
		{"long lines", strings.Repeat(words+"; ", 20), 20, 10},
		{"short lines", "item %d is due", 900, 10},
		{"lines of dashes", "%d " + strings.Repeat("-", 400), 60, 4},
	} {
		ws := newWorkspace(t, workspace.Options{})
		var old, text strings.Builder
		changed := 0
		for i := range c.lines {
			line := strings.ReplaceAll(c.line, "%d", fmt.Sprint(i)) + "\n"
			old.WriteString(line)
			if i%c.every == 0 {
				line = "now " + line
				changed++
			}
			text.WriteString(line)
		}
		write(t, ws, "plan", old.String())
		write(t, ws, "plan", text.String())
		got := changes(t, ws, workspace.ChangesOptions{Since: 1, Diffs: true})
		if len(got.Diffs) != 1 || got.Omitted != 0 {
			t.Errorf("%s: %d differences, %d omitted, want one", c.name, len(got.Diffs), got.Omitted)
			continue
		}
		if n := strings.Count(string(got.Diffs[0].Text), "\n+now "); n != changed {
			t.Errorf("%s: the difference has %d added lines, want %d", c.name, n, changed)
		}
		if n := tokens.EstimateBytes(got.Diffs[0].Text); n < 200 || n > 4000 {
			t.Errorf("%s: the difference has %d tokens, want several hundred", c.name, n)
		}
	}
	ws := newWorkspace(t, workspace.Options{})
	for range 160 {
		appendLog(t, ws, "log", strings.Repeat("-", 500))
	}
	if got := changes(t, ws, workspace.ChangesOptions{Since: 1, Diffs: true}); len(got.Diffs) != 1 || len(got.Diffs[0].Text) < 79500 {
		t.Errorf("entries of dashes: %d differences, %d omitted, want one of 80,000 bytes", len(got.Diffs), got.Omitted)
	}
}
