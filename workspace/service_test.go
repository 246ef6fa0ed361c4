package workspace_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Agents and tenants see nothing of one another.
func TestNoAgentSeesTheDataOfAnother(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	a := agentOf(t, svc, "a")
	write(t, a, "f", "secret")
	appendLog(t, a, "l", "secret")
	testkit.Must(t, testkit.Err(a.WriteFile(t.Context(), "g", nil, workspace.WriteOptions{IdempotencyKey: "key"})))
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
	testkit.Must(t, testkit.Err(ws.DeleteLog(t.Context(), "often", workspace.DeleteLogOptions{IdempotencyKey: "key"})))
	write(t, other, "f", "x")

	found, err := svc.DeleteAgent(t.Context(), "a")
	if err != nil || !found {
		t.Fatalf("DeleteAgent = %t, %v, want it found", found, err)
	}
	page, err := svc.Agents(t.Context(), workspace.AgentsQuery{Patterns: []string{"*"}})
	if err != nil || len(page.Agents) != 1 || page.Agents[0].Agent != "b" {
		t.Errorf("Agents = %+v, %v, want the other one alone", page, err)
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

	if r := appendLog(t, ws, "often", "x"); r.First != 5 {
		t.Errorf("the log goes on with entry %d, want 5", r.First)
	}
	if res, err := ws.DeleteLog(t.Context(), "often", workspace.DeleteLogOptions{IdempotencyKey: "key"}); err != nil || res.Removed != 1 {
		t.Errorf("DeleteLog with a key from before = %+v, %v, want it done anew: one entry", res, err)
	}
}

// An operator looks without being counted, and sees what the agent sees. A write is
// an operation of the agent, whoever makes it.
func TestLook(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	write(t, ws, "f", "one")
	write(t, ws, "f", "two")
	appendLog(t, ws, "l", "x")
	read(t, ws, "f", workspace.ReadOptions{}) // not written yet
	look, err := svc.Look("a")
	testkit.Must(t, err)
	for range 2 {
		if r := read(t, look, "f", workspace.ReadOptions{}); string(r.Content) != "two" {
			t.Errorf("the operator reads %q, want two", r.Content)
		}
		if page := readLog(t, look, "l", workspace.ReadLogOptions{}); page.Last != 1 {
			t.Errorf("the operator reads the log up to %d, want 1", page.Last)
		}
		history(t, look, "f")
		testkit.Must(t, testkit.Err(fs.ReadFile(workspace.FS(t.Context(), look), "f")))
		if u := usage(t, look); u.Operations != 4 {
			t.Errorf("the operator sees %d operations, want the 4 of the agent", u.Operations)
		}
	}
	testkit.Must(t, svc.Close(t.Context()))
	if n := stored(t, svc); n != 4 {
		t.Errorf("%d operations are written after the looks, want 4", n)
	}
	write(t, look, "f", "three")
	if n := stored(t, svc); n != 5 {
		t.Errorf("%d operations are written after a write, want 5", n)
	}
	_, err = svc.Look("a b")
	wantErr(t, "Look at a bad name", err, workspace.ErrInvalid)
}

// Tenants of one Service see nothing of each other, have limits of their own, and count
// their reads together.
func TestTenant(t *testing.T) {
	svc, store := newService(t, workspace.Options{Store: workspace.StoreLimits{Agents: 1}})
	other, err := svc.Tenant("other", workspace.StoreLimits{Agents: 2})
	testkit.Must(t, err)
	write(t, agentOf(t, svc, "a"), "f", "of local")
	write(t, agentOf(t, other, "a"), "f", "of other")
	for _, c := range []struct {
		of   *workspace.Service
		want string
	}{{svc, "of local"}, {other, "of other"}} {
		if r, err := agentOf(t, c.of, "a").ReadFile(t.Context(), "f", workspace.ReadOptions{}); err != nil || string(r.Content) != c.want {
			t.Errorf("f has %q, %v, want %q", r.Content, err, c.want)
		}
	}
	write(t, agentOf(t, other, "b"), "f", "x")
	_, err = agentOf(t, svc, "b").WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "the second agent of local", err, workspace.ErrQuota, "(1 of 1)")
	_, err = agentOf(t, other, "c").WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "the third agent of other", err, workspace.ErrQuota, "(2 of 2)")

	testkit.Must(t, svc.Close(t.Context()))
	for _, tenant := range []string{"local", "other"} {
		again := serviceOn(t, store, workspace.Options{Tenant: tenant})
		look, err := again.Look("a")
		testkit.Must(t, err)
		if u, err := look.Usage(t.Context()); err != nil || u.Operations != 2 {
			t.Errorf("%s: %d operations, %v, want a write and a read", tenant, u.Operations, err)
		}
	}
	_, err = svc.Tenant("no tenant", workspace.StoreLimits{})
	wantErr(t, "a tenant with a space", err, workspace.ErrInvalid, "no tenant")
}

// A new agent is refused if there are enough. Present agents go on, deleted ones make
// room, and a deletion that finds nothing makes no agent.
func TestAgentLimit(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Store: workspace.StoreLimits{Agents: 2}})
	a, b, c := agentOf(t, svc, "a"), agentOf(t, svc, "b"), agentOf(t, svc, "c")
	write(t, a, "f", "x")
	appendLog(t, b, "l", "x")
	const says = "agent limit of this store reached (2 of 2)"
	_, err := c.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "the write of a third agent", err, workspace.ErrQuota, "write f: "+says, "StoreLimits")
	_, err = c.AppendLog(t.Context(), "l", nil)
	wantErr(t, "the append of a third agent", err, workspace.ErrQuota, "append to l: "+says)
	_, err = c.EditFile(t.Context(), "f", "x", "y", workspace.EditOptions{})
	wantErr(t, "the edit of a third agent", err, workspace.ErrNotFound)
	for range 2 {
		if r, err := c.DeleteFile(t.Context(), "f", workspace.DeleteOptions{IdempotencyKey: "key"}); err != nil || r.Deleted {
			t.Errorf("a deletion of a third agent = %+v, %v, want nothing deleted", r, err)
		}
	}
	if u, err := svc.StoreUsage(t.Context()); err != nil || u.Agents != 2 || u.Files != 1 || u.Logs != 1 || u.Versions != 1 || u.Entries != 1 || u.Bytes != 2 {
		t.Errorf("StoreUsage = %+v, %v, want those of two agents", u, err)
	}
	write(t, a, "g", "x")
	testkit.Must(t, testkit.Err(svc.DeleteAgent(t.Context(), "a")))
	write(t, c, "f", "x")
	_, err = a.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "the write of a deleted agent where another has its place", err, workspace.ErrQuota, says)
	write(t, b, "f", "x")

	none, _ := newService(t, workspace.Options{Store: workspace.StoreLimits{Agents: -1, Bytes: -1}})
	for i := range 5 {
		write(t, agentOf(t, none, fmt.Sprint(i)), "f", "x")
	}
}

// An adder counts how often a store adds up the totals.
type adder struct {
	workspace.Store
	sums atomic.Int64
	fail atomic.Bool
}

func (s *adder) Owners(ctx context.Context, q port.OwnersQuery) (l port.OwnerList, err error) {
	if q.Which == port.OwnerTotals {
		s.sums.Add(1)
		if s.fail.Load() {
			return l, workspace.ErrBusy
		}
	}
	return s.Store.Owners(ctx, q)
}

// The bytes of all agents are added up every five seconds at most. A write that would
// exceed the limit is refused. A write that makes less is not refused, nor is a deletion,
// even if adding up fails.
func TestTotalBytes(t *testing.T) {
	clock := testkit.NewClock()
	store := &adder{Store: memstore.New()}
	defer store.Close()
	svc := serviceOn(t, store, workspace.Options{Now: clock.Now, Limits: workspace.Limits{Versions: 1}, Store: workspace.StoreLimits{Agents: -1, Bytes: 2*oneFile + 1000}})
	a, b := agentOf(t, svc, "a"), agentOf(t, svc, "b")
	write(t, a, "f", strings.Repeat("x", 600))
	write(t, b, "f", strings.Repeat("x", 400))
	for range 20 {
		write(t, a, "f", strings.Repeat("x", 600))
		clock.Advance(249 * time.Millisecond)
	}
	if n := store.sums.Load(); n != 1 {
		t.Errorf("it was added up %d times within 4.98 seconds, want once", n)
	}
	clock.Advance(time.Second)
	_, err := b.WriteFile(t.Context(), "f", make([]byte, 401), workspace.WriteOptions{})
	wantErr(t, "a byte more", err, workspace.ErrQuota, "write f: all agents of this store use 1700 bytes of 1700, this write adds 1;", "StoreLimits")
	_, err = b.AppendLog(t.Context(), "l", nil)
	wantErr(t, "an empty entry more", err, workspace.ErrQuota, "this write adds 300;")
	if n := store.sums.Load(); n != 2 {
		t.Errorf("it was added up %d times, want twice", n)
	}
	write(t, b, "f", strings.Repeat("y", 400))
	write(t, b, "f", "shorter")
	clock.Advance(6 * time.Second)
	write(t, a, "f", strings.Repeat("x", 900))
	clock.Advance(-time.Hour) // a sum from the future is not waited for
	_, err = a.WriteFile(t.Context(), "f", make([]byte, 1000), workspace.WriteOptions{})
	wantErr(t, "a hundred bytes more", err, workspace.ErrQuota, "use 1607 bytes of 1700, this write adds 100")
	if n := store.sums.Load(); n != 4 {
		t.Errorf("it was added up %d times, want four times", n)
	}

	store.fail.Store(true)
	clock.Advance(time.Hour)
	_, err = a.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "a write that cannot be weighed", err, workspace.ErrBusy)
	if r, err := a.DeleteFile(t.Context(), "f", workspace.DeleteOptions{IdempotencyKey: "key"}); err != nil || !r.Deleted {
		t.Errorf("a deletion that cannot be weighed = %+v, %v, want it done", r, err)
	}
}

// A version and an entry keep their author. What a client says about itself is cut to 256
// bytes of valid text.
func TestAuthor(t *testing.T) {
	plain := newWorkspace(t, workspace.Options{})
	for _, test := range []struct{ given, want workspace.Author }{
		{workspace.Author{}, workspace.Author{}},
		{workspace.Author{Client: "claude", Version: "2.1", Key: "key-7"}, workspace.Author{Client: "claude", Version: "2.1", Key: "key-7"}},
		{workspace.Author{Client: strings.Repeat("x", 256)}, workspace.Author{Client: strings.Repeat("x", 256)}},
		{workspace.Author{Client: strings.Repeat("x", 9999)}, workspace.Author{Client: strings.Repeat("x", 256)}},
		{workspace.Author{Version: strings.Repeat("日", 100)}, workspace.Author{Version: strings.Repeat("日", 85)}},
		{workspace.Author{Key: "a\xffb"}, workspace.Author{Key: "a\uFFFDb"}},
		{workspace.Author{Client: "a\x00b", Session: "\x00"}, workspace.Author{Client: "a\uFFFDb"}},
	} {
		ws := plain.As(test.given)
		write(t, ws, "f", "x")
		appendLog(t, ws, "l", "x")
		h, err := plain.History(t.Context(), "f")
		if err != nil || h[len(h)-1].Author != test.want {
			t.Errorf("the version's author is %+v, %v, want %+v", h[len(h)-1].Author, err, test.want)
		}
		if r := read(t, plain, "f", workspace.ReadOptions{}); r.Author != test.want {
			t.Errorf("the file's author is %+v, want %+v", r.Author, test.want)
		}
		if page := readLog(t, plain, "l", workspace.ReadLogOptions{Tail: 1}); page.Entries[0].Author != test.want {
			t.Errorf("the entry's author is %+v, want %+v", page.Entries[0].Author, test.want)
		}
	}
	write(t, plain, "f", "x")
	if r := read(t, plain, "f", workspace.ReadOptions{}); r.Author != (workspace.Author{}) {
		t.Errorf("the author is %+v, want none: As leaves the workspace as it was", r.Author)
	}
}

// stored returns the operations that are written, without counting anything.
func stored(t testing.TB, svc *workspace.Service) int64 {
	t.Helper()
	page, err := svc.Agents(t.Context(), workspace.AgentsQuery{Patterns: []string{"*"}})
	if err != nil || len(page.Agents) > 1 {
		t.Fatalf("Agents = %+v, %v, want one at most", page, err)
	}
	if len(page.Agents) == 0 {
		return 0
	}
	return page.Agents[0].Usage.Operations
}

// Reads that no write takes along are written within ten seconds.
func TestReadsAreFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		defer store.Close()
		svc, err := workspace.New(store, workspace.Options{})
		testkit.Must(t, err)
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
