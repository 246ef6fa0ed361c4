package workspace_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
	ws := newWorkspace(t, workspace.Options{})
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
	wantChanges(t, ws, since(6), "8 edit:file:b:1-2")
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
	write(t, ws, "again", "x")
	wantChanges(t, ws, since(250), "255 too-old create:file:again:0-64")
	wantChanges(t, ws, since(254), "255 create:file:again:0-64")
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
	wantChanges(t, mine, except, "5 create:file:theirs:0-1 edit:file:both:1-3")
	except.Since = 4
	wantChanges(t, mine, except, "5")
	remove(t, theirs, "both")
	write(t, mine, "both", "4")
	remove(t, mine, "theirs")
	except.Since = 5
	wantChanges(t, mine, except, "8 edit:file:both:3-4")
	wantChanges(t, mine, since(5), "8 edit:file:both:3-4 delete:file:theirs:1-0")
	except.Since, except.Limit = 2, 1 // what is left out does not fill a page
	wantChanges(t, mine, except, "8 edit:file:both:1-4")
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
	for _, o := range []workspace.ChangesOptions{since(0), since(2), {Recent: true}, {Recent: true, Each: true}} {
		_, err := ws.Changes(t.Context(), o)
		wantErr(t, "Changes of a journal with a gap", err, workspace.ErrCorrupt, "change 4 is where change 3 belongs")
	}
	_, err := ws.ChangeLog(t.Context(), workspace.ChangeLogQuery{Before: 4})
	wantErr(t, "ChangeLog that begins with the gap", err, workspace.ErrCorrupt, "change 3 is missing")
}

// A file that was moved back is one that was edited. What the journal names last changed last, whatever
// its time is.
func TestChangesMovedBack(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "a", "1")
	mustMove(t, ws, "a", "b")
	mustMove(t, ws, "b", "a")
	wantChanges(t, ws, since(1), "3 edit:file:a:1-3")
	importFile(t, ws, "old", imports(1, 1))
	wantChanges(t, ws, workspace.ChangesOptions{Recent: true, Limit: 1}, "4 more create:file:old:0-1")
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

// The reader knows what it wrote itself before the first change of somebody else.
func TestChangesFromWhatTheReaderKnows(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	me := workspace.Author{Client: "client", Session: "1"}
	mine, theirs := agentOf(t, svc, "a").As(me), agentOf(t, svc, "a").As(workspace.Author{Client: "client", Session: "2"})
	except := workspace.ChangesOptions{Except: &me, Diffs: true}
	text := strings.Repeat("a line that stays\n", 20)
	write(t, mine, "plan", text+"one\n")
	appendLog(t, mine, "log", "mine")
	if got := changes(t, mine, except); brief(got) != "2" || got.Own != 2 {
		t.Errorf("after own writes: %s, own %d, want none, 2", brief(got), got.Own)
	}
	except.Prefix = "plan"
	if got := changes(t, mine, except); got.Own != 1 {
		t.Errorf("after own writes: own %d below the prefix, want 1", got.Own)
	}
	except.Prefix = ""
	write(t, theirs, "plan", text+"two\n")
	appendLog(t, theirs, "log", "theirs")
	write(t, mine, "plan", text+"unseen\n")
	write(t, theirs, "plan", text+"four\n")
	got := changes(t, mine, except)
	if want := "6 append:log:log:1-2 edit:file:plan:1-4"; brief(got) != want {
		t.Errorf("Changes = %s, want %s", brief(got), want)
	}
	if text := diffs(got); !strings.Contains(text, "-one\n+four\n") || !strings.Contains(text, "[2,0,\"theirs\"]") {
		t.Errorf("the differences are\n%s", text)
	}
	remove(t, theirs, "plan")
	write(t, mine, "plan", text+"again\n")
	write(t, theirs, "plan", text+"six\n")
	wantChanges(t, mine, except, "9 append:log:log:1-2 edit:file:plan:1-6")
}

// Authors are the last three, and count once whatever their sessions are.
func TestChangesAuthors(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for i, name := range []string{"a", "b", "c", "d", "b", "b", "e"} {
		write(t, ws.As(workspace.Author{Client: name, Session: fmt.Sprint(i)}), "f", fmt.Sprint(i))
	}
	remove(t, ws.As(workspace.Author{Key: "key"}), "f")
	write(t, ws.As(workspace.Author{Client: "e"}), "f", "again")
	names := func(o workspace.ChangesOptions) (names []string) {
		for _, a := range changes(t, ws, o).Authors[0] {
			names = append(names, a.Client+a.Key)
		}
		return names
	}
	if diff := cmp.Diff([]string{"e", "key", "b"}, names(since(1))); diff != "" {
		t.Errorf("the authors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"e", "key"}, names(since(6))); diff != "" {
		t.Errorf("the last authors (-want +got):\n%s", diff)
	}
}

// Each shows the rows of the journal, as far as they are kept: from the cursor on, or the newest.
func TestChangesEach(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Changes: 600}})
	me := workspace.Author{Client: "me", Session: "1"}
	for i := range 700 {
		write(t, ws, fmt.Sprint("f", i%3), fmt.Sprint(i))
	}
	write(t, ws.As(me), "x", "1")
	mustMove(t, ws, "x", "f0/x")
	each := workspace.ChangesOptions{Each: true, Since: 701}
	wantChanges(t, ws, each, "702 move:file:x>f0/x:1-2")
	each.Since, each.Limit = 698, 2
	wantChanges(t, ws, each, "700 more edit:file:f2:232-233 edit:file:f0:233-234")
	each.Since = 700
	wantChanges(t, ws, each, "702 create:file:x:0-1 move:file:x>f0/x:1-2")
	each.Except = &me
	wantChanges(t, ws, each, "702 move:file:x>f0/x:1-2")
	newest := workspace.ChangesOptions{Each: true, Recent: true, Prefix: "x"}
	wantChanges(t, ws, newest, "702 move:file:x>f0/x:1-2 create:file:x:0-1")
	newest.Prefix, newest.Limit = "f0", 2
	wantChanges(t, ws, newest, "702 more move:file:x>f0/x:1-2 edit:file:f0:233-234")
	wantChanges(t, ws, workspace.ChangesOptions{Each: true, Since: 5, Prefix: "f1", Limit: 1}, "702 too-old more edit:file:f1:232-233")
	seen := map[int64]bool{}
	for all := (workspace.ChangesOptions{Each: true, Since: 102, Prefix: "f1"}); ; {
		c := changes(t, ws, all)
		for _, p := range c.Paths {
			seen[p.After] = true
		}
		if all.Since = c.Cursor; !c.More {
			break
		}
	}
	if len(seen) != 199 { // versions 35 to 233
		t.Errorf("%d changes of f1 are shown, want 199", len(seen))
	}
}

// Each watcher gets every change once and in order, whenever it begins.
func TestWatch(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	const writes, watchers = 304, 8
	ended := make(chan error, watchers)
	watch := func(since int64) error {
		next := since + 1
		for c, err := range ws.Watch(t.Context(), since) {
			if err != nil || c.Revision != next || c.Path != fmt.Sprint("f", next%7) {
				return fmt.Errorf("the watcher since %d got %+v, %v, want change %d", since, c, err, next)
			}
			if next++; next > writes {
				return nil
			}
		}
		return fmt.Errorf("the watcher since %d ended before change %d", since, next)
	}
	for i := range writes {
		if i%(writes/watchers) == 0 {
			go func() { ended <- watch(int64(i) / 2) }()
		}
		write(t, ws, fmt.Sprint("f", (i+1)%7), "x")
		write(t, agentOf(t, svc, "other"), "f", "x")
	}
	for range watchers {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// countedStore counts the watches of a store.
type countedStore struct {
	workspace.Store
	watches atomic.Int64
}

func (s *countedStore) Watch(ctx context.Context) (<-chan port.Owner, error) {
	s.watches.Add(1)
	return s.Store.Watch(ctx)
}

func TestWatchEnds(t *testing.T) {
	svc, store := newService(t, workspace.Options{Limits: workspace.Limits{Changes: 3}})
	ws := agentOf(t, svc, "a")
	for range 10 {
		write(t, ws, "f", "x")
	}
	first := func(ctx context.Context, since int64) (n int, err error) {
		for _, err = range ws.Watch(ctx, since) {
			n++
		}
		return n, err
	}
	_, err := first(t.Context(), 6)
	wantErr(t, "Watch too old", err, workspace.ErrNotFound, "changes after 6 are not kept", "Changes says")
	_, err = first(t.Context(), 11)
	wantErr(t, "Watch ahead", err, workspace.ErrInvalid, "Since is 11, the last revision is 10")
	_, err = first(t.Context(), -1)
	wantErr(t, "Watch below 0", err, workspace.ErrInvalid, "Since is -1")
	_, err = first(nil, 1)
	wantErr(t, "Watch without a context", err, workspace.ErrInvalid, "context is nil")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err = range ws.Watch(ctx, 7) {
		if n++; n == 3 {
			time.AfterFunc(20*time.Millisecond, cancel) // it waits for more by then
		}
	}
	if n != 3 || err != nil {
		t.Errorf("a Watch that ended with its context gave %d changes, %v, want 3 and no error", n, err)
	}
	if n, err := first(ctx, 7); n != 0 || err != nil {
		t.Errorf("a Watch whose context had ended gave %d changes, %v, want none", n, err)
	}
	for c, err := range ws.Watch(t.Context(), 8) {
		if c.Revision == 10 {
			store.Close()
		}
		if c.Revision == 0 {
			wantErr(t, "Watch of a store that was closed", err, workspace.ErrClosed)
		}
	}
}
