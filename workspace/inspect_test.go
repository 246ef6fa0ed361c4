package workspace_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// onEachStore runs a test on each backend.
func onEachStore(t *testing.T, test func(*testing.T, workspace.Store)) {
	for name, open := range map[string]func(t *testing.T) (workspace.Store, error){
		"memstore": func(t *testing.T) (workspace.Store, error) { return memstore.New(), nil },
		"sqlite": func(t *testing.T) (workspace.Store, error) {
			return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
		},
		"postgres": func(t *testing.T) (workspace.Store, error) {
			if !testkit.Long() {
				t.Skip("with PostgreSQL only if SCRATCHPAD_TEST=all")
			}
			return postgres.Open(t.Context(), pgtest.URL(t), postgres.Options{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := open(t)
			testkit.Must(t, err)
			t.Cleanup(func() { store.Close() })
			test(t, store)
		})
	}
}

// storedAgents stores agents of all shapes of names, with ties in bytes and in time.
func storedAgents(t *testing.T, store workspace.Store, tenant string) (all []workspace.AgentInfo) {
	for i, name := range []string{"a", "a-", "a-1", "A-2", "ab", "abc", "abc-1", "b", "ba", "team", "team-a", "team-a-1", "team-b", "z_Team", "0", "_"} {
		u := workspace.Usage{Files: 1, Bytes: int64(i % 3)}
		at := time.Time{}
		if i%4 > 0 {
			at = time.Date(2026, 11, 22, 0, i%4, 0, 0, time.UTC)
		}
		err := store.Update(t.Context(), workspace.Owner{Tenant: tenant, Agent: name}, func(tx workspace.Tx) error {
			return tx.SaveOwner(workspace.OwnerState{Usage: u, Updated: at})
		})
		testkit.Must(t, err)
		all = append(all, workspace.AgentInfo{Agent: name, Usage: u, Updated: at})
	}
	return all
}

// found returns what a query finds on all its pages, the naive way.
func found(all []workspace.AgentInfo, q workspace.AgentsQuery) (names []string) {
	all = slices.SortedFunc(slices.Values(all), func(a, b workspace.AgentInfo) int {
		first := 0
		switch q.Order {
		case workspace.ByUpdated:
			first = b.Updated.Compare(a.Updated)
		case workspace.ByBytes:
			first = cmp.Compare(b.Usage.Bytes, a.Usage.Bytes)
		}
		return cmp.Or(first, cmp.Compare(a.Agent, b.Agent))
	})
	for _, a := range all {
		allowed := slices.ContainsFunc(q.Patterns, func(p string) bool {
			prefix, open := strings.CutSuffix(p, "*")
			return p == a.Agent || open && strings.HasPrefix(a.Agent, prefix)
		})
		if allowed && strings.Contains(strings.ToLower(a.Agent), strings.ToLower(q.Part)) {
			names = append(names, a.Agent)
		}
	}
	return names
}

// Whatever the patterns, the part of the name, the order and the size of a page are, the
// pages together have each agent that may be seen once, in order, as it is.
func TestFindAgents(t *testing.T) {
	onEachStore(t, func(t *testing.T, store workspace.Store) {
		svc := serviceOn(t, store, workspace.Options{})
		all := storedAgents(t, store, "local")
		storedAgents(t, store, "other")
		patterns := []string{"*", "a", "a*", "a-*", "ab", "abc*", "team-a", "team*", "team-*", "b", "none", "none*", "A*", "z_Team", "0"}
		random := rand.New(rand.NewPCG(1, 2))
		for range testkit.Pick(60, 200, 2000) {
			q := workspace.AgentsQuery{
				Order: workspace.OwnersOrder(random.IntN(3)), Limit: 1 + random.IntN(6),
				Part: []string{"", "", "a", "TEAM", "-1", "nothing"}[random.IntN(6)],
			}
			for range random.IntN(5) {
				q.Patterns = append(q.Patterns, patterns[random.IntN(len(patterns))])
			}
			var got []string
			for {
				page, err := svc.FindAgents(t.Context(), q)
				if err != nil || len(page.Agents) > q.Limit || len(got) > len(all) {
					t.Fatalf("FindAgents(%+v) = %+v, %v", q, page, err)
				}
				for _, a := range page.Agents {
					if got = append(got, a.Agent); !slices.Contains(all, a) {
						t.Fatalf("FindAgents(%+v) has %+v, which is not what was stored", q, a)
					}
				}
				if q.After = page.Next; q.After == "" {
					break
				}
			}
			if want := found(all, q); !slices.Equal(got, want) {
				t.Fatalf("FindAgents(%+v) = %q\nwant %q", q, got, want)
			}
		}
	})
}

func TestFindAgentsRefuses(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	for _, q := range []workspace.AgentsQuery{
		{Limit: -1}, {Limit: 201}, {Order: 9}, {Order: -1}, {Part: strings.Repeat("x", 129)}, {Patterns: make([]string, 101)},
		{Patterns: []string{"a/b"}}, {Patterns: []string{"a*b"}}, {Patterns: []string{"**"}}, {Patterns: []string{""}},
		{After: "a/b"}, {After: "../x"}, {After: "a", Order: workspace.ByBytes}, {After: "x.a", Order: workspace.ByBytes},
		{After: "1.a"}, {After: "1." + strings.Repeat("a", 129), Order: workspace.ByBytes}, {After: "9223372036854775807.a", Order: workspace.ByUpdated},
		{After: "-9223372036854775808.a", Order: workspace.ByUpdated},
	} {
		if q.Patterns == nil {
			q.Patterns = []string{"*"}
		}
		_, err := svc.FindAgents(t.Context(), q)
		wantErr(t, fmt.Sprintf("FindAgents(%.99q)", fmt.Sprint(q)), err, workspace.ErrInvalid)
	}
	_, err := svc.Agents(t.Context(), "", -1)
	wantErr(t, "Agents with a negative limit", err, workspace.ErrInvalid, "limit -1")
	if page, err := svc.FindAgents(t.Context(), workspace.AgentsQuery{}); err != nil || len(page.Agents) > 0 {
		t.Errorf("FindAgents without patterns = %+v, %v, want nothing", page, err)
	}
}

// The journal read backward is the journal, whatever the pages are, and says how far back
// it reaches.
func TestChangeLog(t *testing.T) {
	onEachStore(t, func(t *testing.T, store workspace.Store) {
		const kept, writes = 40, 145
		svc := serviceOn(t, store, workspace.Options{Limits: workspace.Limits{Changes: kept}})
		ws := agentOf(t, svc, "a")
		paths := map[int64]string{}
		for i := int64(1); i <= writes; i++ {
			paths[i] = fmt.Sprintf("d%d/f", i%3)
			write(t, ws, paths[i], "x")
		}
		for _, limit := range []int{0, 1, 7, 30} {
			for _, prefix := range []string{"", "d1/", "none/"} {
				if limit == 1 && prefix == "" {
					continue // slow, and like 7
				}
				var got, want []int64
				for i := int64(writes); i > writes-kept; i-- {
					if strings.HasPrefix(paths[i], prefix) {
						want = append(want, i)
					}
				}
				q := workspace.ChangeLogQuery{Prefix: prefix, Limit: limit}
				for {
					c, err := ws.ChangeLog(t.Context(), q)
					if err != nil || c.Last != writes || c.Oldest != writes-kept+1 || len(c.Changes) > cmp.Or(limit, 100) || len(got) > writes {
						t.Fatalf("ChangeLog(%+v) = %+v, %v", q, c, err)
					}
					for _, row := range c.Changes {
						if got = append(got, row.Revision); row.Path != paths[row.Revision] || row.Op == "" || row.Time.IsZero() {
							t.Errorf("ChangeLog(%+v) has %+v, want %s", q, row, paths[row.Revision])
						}
					}
					if q.Before = c.Next; q.Before == 0 {
						break
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("ChangeLog of %q in pages of %d = %d\nwant %d", prefix, limit, got, want)
				}
			}
		}
	})
}

// Paths before a move count. Nothing and what does not exist are empty pages. A wrong
// argument is refused.
func TestChangeLogOfLittle(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	if c, err := ws.ChangeLog(t.Context(), workspace.ChangeLogQuery{}); err != nil || len(c.Changes) != 0 || c.Next != 0 || c.Last != 0 || c.Oldest != 1 {
		t.Errorf("ChangeLog of nothing = %+v, %v", c, err)
	}
	write(t, ws, "old/f", "x")
	testkit.Must(t, failure(ws.MoveFile(t.Context(), "old/f", "new/f", workspace.MoveOptions{})))
	for prefix, want := range map[string]int{"old/": 2, "new/": 1, "f": 0} {
		c, err := ws.ChangeLog(t.Context(), workspace.ChangeLogQuery{Prefix: prefix})
		if err != nil || len(c.Changes) != want {
			t.Errorf("ChangeLog of %s = %+v, %v, want %d rows", prefix, c, err, want)
		}
	}
	for _, q := range []workspace.ChangeLogQuery{{Before: -1}, {Limit: 101}, {Limit: -1}, {Prefix: "/"}} {
		_, err := ws.ChangeLog(t.Context(), q)
		wantErr(t, fmt.Sprint(q), err, workspace.ErrInvalid)
	}
}

// told waits until a feed has told a name, or "". It returns all that was told before.
func told(t *testing.T, feed <-chan string, want string) (names []string) {
	t.Helper()
	for late := time.After(time.Minute); ; {
		select {
		case name := <-feed:
			if name == "" || name == want {
				return names
			}
			names = append(names, name)
		case <-late:
			t.Fatalf("the feed does not tell %q, only %q", want, names)
		}
	}
}

// A feed tells of the agents of its tenant that may be seen, from both Services of a store,
// and ends with its context or its store.
func TestServiceWatch(t *testing.T) {
	onEachStore(t, func(t *testing.T, store workspace.Store) {
		svc := serviceOn(t, store, workspace.Options{})
		other, err := svc.Tenant("other", workspace.StoreLimits{})
		testkit.Must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		feed, err := svc.Watch(ctx, func(agent string) bool { return agent != "secret" })
		testkit.Must(t, err)
		all, err := svc.Watch(t.Context(), nil)
		testkit.Must(t, err)
		for range 3 {
			write(t, agentOf(t, other, "hidden"), "f", "x")
			write(t, agentOf(t, svc, "secret"), "f", "x")
			write(t, agentOf(t, svc, "seen"), "f", "x")
			for _, name := range told(t, feed, "seen") {
				t.Errorf("the feed tells %q", name)
			}
			for _, name := range told(t, all, "seen") {
				if name != "secret" {
					t.Errorf("the feed of all tells %q", name)
				}
			}
		}
		cancel()
		for range feed { // it is closed
		}
		write(t, agentOf(t, svc, "last"), "f", "x")
		told(t, all, "last")
		store.Close()
		for range all {
		}
		if _, err := svc.Watch(t.Context(), nil); workspace.Kind(err) != workspace.ErrClosed {
			t.Errorf("Watch of a closed store = %v, want ErrClosed", err)
		}
	})
}

// Who does not read is told that any may have written, and makes nobody else wait.
func TestServiceWatchSlow(t *testing.T) {
	store := &countedStore{Store: memstore.New()}
	defer store.Close()
	svc := serviceOn(t, store, workspace.Options{})
	slow, err := svc.Watch(t.Context(), nil)
	testkit.Must(t, err)
	for i := range 200 {
		quick, err := svc.Watch(t.Context(), nil)
		testkit.Must(t, err)
		name := fmt.Sprint("agent-", i)
		write(t, agentOf(t, svc, name), "f", "x")
		told(t, quick, name)
	}
	last := "none"
	for len(slow) > 0 {
		last = <-slow
	}
	if last != "" {
		t.Errorf("after 200 writes the last that the slow one is told is %q, want that any may have written", last)
	}
	if n := store.watches.Load(); n != 1 {
		t.Errorf("the store has %d watches, want one", n)
	}
}
