package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// trips counts the round trips of calls, as a proxy sees them at the socket. What tells
// other processes of a write is left out: it is sent after the answer. So is the question to
// a connection that was idle for long, as on a busy machine.
type trips struct {
	mu  sync.Mutex // guards all
	all []string   // the SQL of each
}

func (c *trips) choose(b pgtest.Batch) pgtest.Fault {
	other := slices.ContainsFunc(b.SQL, func(sql string) bool {
		return strings.Contains(sql, "pg_notify") || strings.Contains(sql, "-- ping")
	})
	if b.RoundTrip && !other {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all = append(c.all, strings.Join(b.SQL, "; "))
	}
	return pgtest.Fault{}
}

func (c *trips) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

// takeCalls is take without what workspace reads once a second and keeps: an agent's
// profile and the sums of its tenant. On a busy machine any call may be the one that reads.
func (c *trips) takeCalls() []string {
	return slices.DeleteFunc(c.take(), func(trip string) bool {
		return trip == "SELECT key, value, revision, updated FROM records WHERE key = $1" || strings.HasPrefix(trip, "SELECT count(*), least(coalesce(sum(files)")
	})
}

// A tripCall is a call and the round trips that it takes.
type tripCall struct {
	name string
	want int
	do   func(context.Context, *workspace.Workspace) error
}

func lines(n int) []byte { return []byte(strings.Repeat("a line of text\n", n)) }

// The agent has version 1 of a.md before.
func tripCalls() []tripCall {
	one := int64(1)
	return slices.Concat([]tripCall{
		{"write", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.WriteFile(ctx, "b.md", lines(3), workspace.WriteOptions{}))
		}},
		{"large overwrite", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.WriteFile(ctx, "b.md", lines(60_000), workspace.WriteOptions{}))
		}},
		{"conditional write", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.WriteFile(ctx, "a.md", []byte("one two"), workspace.WriteOptions{IfVersion: &one}))
		}},
		{"write with a key", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.WriteFile(ctx, "c.md", lines(3), workspace.WriteOptions{IdempotencyKey: "write"}))
		}},
		{"append to a new log", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.AppendLogWith(ctx, "log.jsonl", workspace.AppendOptions{}, []byte("1")))
		}},
		{"append with a key", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.AppendLogWith(ctx, "log.jsonl", workspace.AppendOptions{IdempotencyKey: "append"}, []byte("2"), []byte("3")))
		}},
		{"edit", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.EditFile(ctx, "a.md", "two", "three", workspace.EditOptions{}))
		}},
	}, readTrips(), []tripCall{
		{"move", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.MoveFile(ctx, "c.md", "d.md", workspace.MoveOptions{}))
		}},
		{"delete", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.DeleteFile(ctx, "b.md", workspace.DeleteOptions{}))
		}},
		{"delete with a key", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.DeleteFile(ctx, "d.md", workspace.DeleteOptions{IdempotencyKey: "delete"}))
		}},
		{"delete a log", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.DeleteLog(ctx, "log.jsonl", workspace.DeleteLogOptions{}))
		}},
	})
}

func readTrips() []tripCall {
	var cursor int64
	var created time.Time
	return []tripCall{
		{"read a file", 1, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.ReadFile(ctx, "a.md", workspace.ReadOptions{}))
		}},
		{"read a large file", 1, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.ReadFile(ctx, "b.md", workspace.ReadOptions{}))
		}},
		{"read a log", 1, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.ReadLog(ctx, "log.jsonl", workspace.ReadLogOptions{}))
		}},
		{"list files", 1, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.ListFiles(ctx, workspace.ListOptions{}))
		}},
		{"list files and their authors", 1, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.ListFiles(ctx, workspace.ListOptions{Authors: true}))
		}},
		{"view a file", 1, func(ctx context.Context, w *workspace.Workspace) error {
			v, err := workspace.ViewFile(ctx, w, workspace.FileQuery{Path: "a.md"})
			created = v.File.Created
			return err
		}},
		{"view a file by its creation", 2, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(workspace.ViewFile(ctx, w, workspace.FileQuery{Created: created, Content: true}))
		}},
		{"list logs", 1, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.ListLogs(ctx, workspace.ListOptions{}))
		}},
		{"history", 1, func(ctx context.Context, w *workspace.Workspace) error { return testkit.Err(w.History(ctx, "a.md")) }},
		{"usage", 1, func(ctx context.Context, w *workspace.Workspace) error { return testkit.Err(w.Usage(ctx)) }},
		// The owner's state says whether there is anything to read. The function then runs
		// once more, on a snapshot that is kept open.
		{"changes, some new", 4, func(ctx context.Context, w *workspace.Workspace) error {
			c, err := w.Changes(ctx, workspace.ChangesOptions{})
			cursor = c.Cursor
			return err
		}},
		{"changes, none new", 1, func(ctx context.Context, w *workspace.Workspace) error {
			return testkit.Err(w.Changes(ctx, workspace.ChangesOptions{Since: cursor}))
		}},
	}
}

// The round trips of each call, counted at the socket.
func TestRoundTrips(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	w := agent(t, openWith(t, proxy.URL(), postgres.Options{}), "agent")
	testkit.Must(t, testkit.Err(w.WriteFile(t.Context(), "a.md", lines(3), workspace.WriteOptions{})))
	var c trips
	proxy.Break(c.choose)
	for _, call := range tripCalls() {
		if err := call.do(t.Context(), w); err != nil {
			t.Errorf("%s: %v", call.name, err)
		}
		if got := c.takeCalls(); len(got) != call.want {
			t.Errorf("%s: %d round trips, want %d:\n%s", call.name, len(got), call.want, strings.Join(got, "\n"))
		}
	}
}

// An agent's first write makes the owner's row on the way.
func TestRoundTripsFirst(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	s := open(t, proxy.URL())
	update := func(agent string) {
		testkit.Must(t, s.Update(t.Context(), store.Owner{Tenant: "local", Agent: agent}, countFile))
	}
	update("before") // opens the connection
	var c trips
	proxy.Break(c.choose)
	for _, want := range []int{3, 2} {
		update("agent")
		if got := c.take(); len(got) != want {
			t.Errorf("%d round trips, want %d:\n%s", len(got), want, strings.Join(got, "\n"))
		}
	}
}

// The round trips of a search do not depend on how many files there are. A page of files is
// one. That of the logs is another, or four if there are any: the function runs once more, on
// a snapshot that is kept open.
func TestRoundTripsSearch(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	w := agent(t, openWith(t, proxy.URL(), postgres.Options{}), "agent")
	search := func(files int, o workspace.SearchOptions) {
		t.Helper()
		r, err := w.Search(t.Context(), "text", o)
		if err != nil || r.Total != int64(files) {
			t.Errorf("Search = %d hits, %v, want %d", r.Total, err, files)
		}
	}
	var c trips
	const files = 60
	for i := range files {
		testkit.Must(t, testkit.Err(w.WriteFile(t.Context(), fmt.Sprintf("%02d.md", i), lines(1), workspace.WriteOptions{})))
	}
	proxy.Break(c.choose)
	for _, call := range []struct {
		o          workspace.SearchOptions
		hits, want int
	}{{workspace.SearchOptions{}, files, 2}, {workspace.SearchOptions{Kind: store.KindFile}, files, 1}, {workspace.SearchOptions{Prefix: "00"}, 1, 2}, {workspace.SearchOptions{Exact: true}, files, 2}} {
		search(call.hits, call.o)
		if got := c.takeCalls(); len(got) != call.want {
			t.Errorf("Search(%+v): %d round trips, want %d:\n%s", call.o, len(got), call.want, strings.Join(got, "\n"))
		}
	}
	testkit.Must(t, testkit.Err(w.AppendLog(t.Context(), "log", []byte("a text"))))
	c.take()
	search(files+1, workspace.SearchOptions{})
	if got := c.takeCalls(); len(got) != 5 {
		t.Errorf("with a log: %d round trips, want 5:\n%s", len(got), strings.Join(got, "\n"))
	}
}

// A page of versions takes a round trip for each file that may have one of them, and not for
// those that are on the pages before or after it.
func TestRoundTripsVersions(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	w := agent(t, openWith(t, proxy.URL(), postgres.Options{}), "agent")
	const files, limit = 30, 5
	for i := range files {
		testkit.Must(t, testkit.Err(w.WriteFile(t.Context(), fmt.Sprintf("%02d.md", i), lines(1), workspace.WriteOptions{})))
	}
	var c trips
	proxy.Break(c.choose)
	q, seen := workspace.VersionsQuery{Limit: limit}, 0
	for more := true; more; {
		page, err := workspace.ViewVersions(t.Context(), w, q)
		testkit.Must(t, err)
		if got := c.take(); len(got) > limit+6 { // the heads twice, files at both ends of the page, COMMIT
			t.Errorf("a page after %d versions takes %d round trips", seen, len(got))
		}
		seen, more = seen+len(page.Versions), page.More
		last := page.Versions[len(page.Versions)-1]
		q.After = &workspace.VersionRef{Time: last.Version.Time, Created: last.File.Created, Number: last.Version.Number}
	}
	if seen != files {
		t.Errorf("the pages have %d versions, want %d", seen, files)
	}
}
