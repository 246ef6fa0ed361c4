package workspace_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

func changes(t testing.TB, ws *workspace.Workspace, o workspace.ChangesOptions) workspace.Changes {
	t.Helper()
	c, err := ws.Changes(t.Context(), o)
	testkit.Must(t, err)
	return c
}

// brief returns the answer as a text: the cursor, the flags, and a word for each path.
func brief(c workspace.Changes) string {
	words := []string{fmt.Sprint(c.Cursor)}
	if c.TooOld {
		words = append(words, "too-old")
	}
	if c.More {
		words = append(words, "more")
	}
	for _, p := range c.Paths {
		path := p.Path
		if p.From != "" {
			path = p.From + ">" + path
		}
		words = append(words, fmt.Sprintf("%s:%s:%s:%d-%d", p.Op, p.Kind, path, p.Before, p.After))
	}
	return strings.Join(words, " ")
}

func wantChanges(t testing.TB, ws *workspace.Workspace, o workspace.ChangesOptions, want string) {
	t.Helper()
	if diff := cmp.Diff(want, brief(changes(t, ws, o))); diff != "" {
		t.Errorf("Changes(%+v) (-want +got):\n%s", o, diff)
	}
}

func since(n int64) workspace.ChangesOptions { return workspace.ChangesOptions{Since: n} }

func TestChanges(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	wantChanges(t, ws, since(0), "0")
	write(t, ws, "a", "1")
	write(t, ws, "b", "1")
	appendLog(t, ws, "l", "one", "two")
	wantChanges(t, ws, since(0), "3 create:file:a:0-1 create:file:b:0-1 append:log:l:0-2")
	wantChanges(t, ws, since(3), "3")
	write(t, ws, "a", "2")
	appendLog(t, ws, "l", "three")
	write(t, ws, "a", "3")
	wantChanges(t, ws, since(3), "6 append:log:l:2-3 edit:file:a:1-3")
	wantChanges(t, ws, workspace.ChangesOptions{Since: 3, Prefix: "a"}, "6 edit:file:a:1-3")
	wantChanges(t, ws, workspace.ChangesOptions{Since: 0, Limit: 1}, "1 more create:file:a:0-1")
	wantChanges(t, ws, workspace.ChangesOptions{Recent: true}, "6 edit:file:a:0-3 append:log:l:0-3 create:file:b:0-1")
	wantChanges(t, ws, workspace.ChangesOptions{Recent: true, Limit: 2}, "6 more edit:file:a:0-3 append:log:l:0-3")
	remove(t, ws, "b")
	wantChanges(t, ws, since(6), "7 delete:file:b:1-0")
	wantChanges(t, ws, since(1), "7 append:log:l:0-3 edit:file:a:1-3") // b came and went
	write(t, ws, "b", "2")
	wantChanges(t, ws, since(6), "8 create:file:b:1-2")
	mustMove(t, ws, "b", "c")
	mustMove(t, ws, "c", "d")
	wantChanges(t, ws, since(8), "10 move:file:b>d:2-4")
	wantChanges(t, ws, since(6), "10 delete:file:b:1-0 create:file:d:0-4")
	wantChanges(t, ws, workspace.ChangesOptions{Since: 8, Prefix: "b"}, "10 move:file:b>d:2-4")
	wantChanges(t, ws, workspace.ChangesOptions{Recent: true, Limit: 1}, "10 more create:file:d:0-4")
	_, err := ws.Changes(t.Context(), since(11))
	wantErr(t, "Changes ahead", err, workspace.ErrInvalid, "last revision is 10")
}

// Rows that are to be removed count as removed, so that an answer does not depend on when
// a write removes them.
func TestChangesTooOld(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Limits: workspace.Limits{Changes: 3}})
	ws := agentOf(t, svc, "a")
	for i := range 250 {
		write(t, ws, fmt.Sprintf("f%d", i%4), "x")
		last := int64(i + 1)
		for c := max(0, last-6); c <= last; c++ {
			got := changes(t, ws, workspace.ChangesOptions{Since: c})
			if tooOld := c < last-3; got.TooOld != tooOld || got.Cursor != last {
				t.Fatalf("Changes since %d of %d = %s, want too old %v", c, last, brief(got), tooOld)
			}
		}
	}
	wantChanges(t, ws, since(246), "250 too-old edit:file:f1:0-63 edit:file:f0:0-63 edit:file:f3:0-62 edit:file:f2:0-62")
	wantChanges(t, ws, workspace.ChangesOptions{Since: 5, Limit: 3}, "250 too-old more edit:file:f1:0-63 edit:file:f0:0-63 edit:file:f3:0-62")
	wantChanges(t, ws, workspace.ChangesOptions{Since: 5, Prefix: "f2"}, "250 too-old edit:file:f2:0-62")
	testkit.Must(t, testkit.Err(svc.DeleteAgent(t.Context(), "a")))
	wantChanges(t, ws, since(250), "254 too-old")
	wantChanges(t, ws, since(254), "254")
	svc, _ = newService(t, workspace.Options{Limits: workspace.Limits{Changes: math.MaxInt64}}) // is as good as none
	ws = agentOf(t, svc, "a")
	write(t, ws, "a", "1")
	wantChanges(t, ws, since(0), "1 create:file:a:0-1")
}

// A path is left out if all of its changes are the reader's own.
func TestChangesExcept(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	me := workspace.Author{Client: "client", Version: "1", Session: strings.Repeat("s", 300)}
	mine, theirs := agentOf(t, svc, "a").As(me), agentOf(t, svc, "a").As(workspace.Author{Client: "client", Version: "1", Session: "t"})
	write(t, mine, "mine", "1")
	write(t, theirs, "theirs", "1")
	write(t, mine, "both", "1")
	write(t, theirs, "both", "2")
	write(t, mine, "both", "3")
	except := workspace.ChangesOptions{Except: &me}
	wantChanges(t, mine, except, "5 create:file:theirs:0-1 create:file:both:0-3")
	except.Since = 4
	wantChanges(t, mine, except, "5")
	remove(t, theirs, "both")
	write(t, mine, "both", "4")
	remove(t, mine, "theirs")
	except.Since = 5
	wantChanges(t, mine, except, "8 create:file:both:3-4")
	wantChanges(t, mine, since(5), "8 create:file:both:3-4 delete:file:theirs:1-0")
	except.Since, except.Limit = 2, 1 // what is left out does not fill a page
	wantChanges(t, mine, except, "8 create:file:both:0-4")
	wantChanges(t, mine, workspace.ChangesOptions{Recent: true, Except: &me}, "8 create:file:both:0-4 create:file:mine:0-1")
}

func TestChangesOptions(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "a", "1")
	for _, test := range []struct {
		o    workspace.ChangesOptions
		says string
	}{
		{workspace.ChangesOptions{Since: -1}, "Since is -1, the least is 0"},
		{workspace.ChangesOptions{Since: 2}, "Since is 2, the last revision is 1"},
		{workspace.ChangesOptions{Since: 1, Recent: true}, "Since and Recent exclude each other"},
		{workspace.ChangesOptions{Limit: -1}, "Limit is -1, allowed are 1-100"},
		{workspace.ChangesOptions{Limit: 101}, "Limit is 101, allowed are 1-100"},
		{workspace.ChangesOptions{Prefix: "/a"}, "begins with a slash"},
	} {
		_, err := ws.Changes(t.Context(), test.o)
		wantErr(t, fmt.Sprintf("Changes(%+v)", test.o), err, workspace.ErrInvalid, test.says)
	}
}

// The rows of an owner whose journal has a gap are not answered.
func TestChangesGap(t *testing.T) {
	_, store := newService(t, workspace.Options{})
	svc := serviceOn(t, gapStore{store}, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for i := range 5 {
		write(t, ws, fmt.Sprint("f", i), "x")
	}
	for _, o := range []workspace.ChangesOptions{since(0), since(2), {Recent: true}} {
		_, err := ws.Changes(t.Context(), o)
		wantErr(t, "Changes of a journal with a gap", err, workspace.ErrCorrupt, "change 4 is where change 3 belongs")
	}
}

type gapStore struct{ workspace.Store }

func (s gapStore) View(ctx context.Context, o port.Owner, fn func(port.Reader) error) error {
	return s.Store.View(ctx, o, func(r port.Reader) error { return fn(gapReader{r}) })
}

type gapReader struct{ port.Reader }

func (r gapReader) Changes(after int64, limit int) (rows []workspace.Change, err error) {
	all, err := r.Reader.Changes(after, limit)
	for _, row := range all {
		if row.Revision != 3 {
			rows = append(rows, row)
		}
	}
	return rows, err
}

func remove(t testing.TB, ws *workspace.Workspace, path string) {
	t.Helper()
	testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), path, workspace.DeleteOptions{})))
}

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
	testkit.Must(t, testkit.Err(ws.TrimLog(t.Context(), "trimmed", 1, workspace.DeleteOptions{})))
	appendLog(t, ws, "cut", "three", "four")
	testkit.Must(t, testkit.Err(ws.TrimLog(t.Context(), "cut", 3, workspace.DeleteOptions{})))
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
