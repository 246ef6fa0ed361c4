package workspace_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// storedAgents stores agents of all shapes of names, with ties in bytes and in time.
func storedAgents(t *testing.T, store workspace.Store, tenant string) (all []workspace.AgentInfo) {
	for i, name := range []string{"a", "a-", "a-1", "A-2", "ab", "abc", "abc-1", "b", "ba", "team", "team-a", "team-a-1", "team-b", "z_Team", "0", "_"} {
		u := workspace.Usage{Files: 1, Bytes: int64(i % 3)}
		at := time.Time{}
		if i%4 > 0 {
			at = time.Date(2026, 11, 22, 0, i%4, 0, 0, time.UTC)
		}
		err := store.Update(t.Context(), port.Owner{Tenant: tenant, Agent: name}, func(tx port.Tx) error {
			return tx.Apply(port.OwnerState{Usage: u, Updated: at})
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
		case port.ByUpdated:
			first = b.Updated.Compare(a.Updated)
		case port.ByBytes:
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
func TestAgents(t *testing.T) {
	store := newStore(t)
	svc := serviceOn(t, store, workspace.Options{})
	all := storedAgents(t, store, "local")
	storedAgents(t, store, "other")
	patterns := []string{"*", "a", "a*", "a-*", "ab", "abc*", "team-a", "team*", "team-*", "b", "none", "none*", "A*", "z_Team", "0"}
	random := rand.New(rand.NewPCG(1, 2))
	for range testkit.Pick(60, 200, 2000) {
		q := workspace.AgentsQuery{
			Order: port.OwnersOrder(random.IntN(3)), Limit: 1 + random.IntN(6),
			Part: []string{"", "", "a", "TEAM", "-1", "nothing"}[random.IntN(6)],
		}
		for range random.IntN(5) {
			q.Patterns = append(q.Patterns, patterns[random.IntN(len(patterns))])
		}
		var got []string
		for {
			page, err := svc.Agents(t.Context(), q)
			if err != nil || len(page.Agents) > q.Limit || len(got) > len(all) {
				t.Fatalf("Agents(%+v) = %+v, %v", q, page, err)
			}
			for _, a := range page.Agents {
				if got = append(got, a.Agent); !slices.Contains(all, a) {
					t.Fatalf("Agents(%+v) has %+v, which is not what was stored", q, a)
				}
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		if want := found(all, q); !slices.Equal(got, want) {
			t.Fatalf("Agents(%+v) = %q\nwant %q", q, got, want)
		}
	}
}

func TestAgentsRefuses(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	for _, q := range []workspace.AgentsQuery{
		{Limit: -1}, {Limit: 201}, {Order: 9}, {Order: -1}, {Part: strings.Repeat("x", 129)}, {Patterns: make([]string, 101)},
		{Patterns: []string{"a/b"}}, {Patterns: []string{"a*b"}}, {Patterns: []string{"**"}}, {Patterns: []string{""}},
		{After: "a/b"}, {After: "../x"}, {After: "a", Order: port.ByBytes}, {After: "x.a", Order: port.ByBytes},
		{After: "1.a"}, {After: "1." + strings.Repeat("a", 129), Order: port.ByBytes}, {After: "9223372036854775807.a", Order: port.ByUpdated},
		{After: "-9223372036854775808.a", Order: port.ByUpdated},
	} {
		if q.Patterns == nil {
			q.Patterns = []string{"*"}
		}
		_, err := svc.Agents(t.Context(), q)
		wantErr(t, fmt.Sprintf("Agents(%.99q)", fmt.Sprint(q)), err, workspace.ErrInvalid)
	}
	if page, err := svc.Agents(t.Context(), workspace.AgentsQuery{}); err != nil || len(page.Agents) > 0 {
		t.Errorf("Agents without patterns = %+v, %v, want nothing", page, err)
	}
}

// The journal read backward is the journal, whatever the pages are, and says how far back
// it reaches.
func TestChangeLog(t *testing.T) {
	const kept, writes = 40, 145
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Changes: kept}})
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
}

// Appends to one log in a row are one row, however many, with any page. Rows are selected by
// author and kind before that.
func TestChangeLogJoined(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Limits: workspace.Limits{Changes: 30_000, Entries: 30_000}})
	ws := agentOf(t, svc, "a")
	bob := ws.As(workspace.Author{Client: "Bob"})
	add := func(w *workspace.Workspace, path string, n int) {
		for range n {
			testkit.Must(t, testkit.Err(w.AppendLog(t.Context(), path, []byte("x"))))
		}
	}
	add(ws, "l", 2)
	write(t, ws, "f", "x")
	add(ws, "l", 700)
	add(bob, "m", 1)
	add(ws, "l", 11_000)
	other := agentOf(t, svc, "b")
	add(other, "l", 2)
	add(other.As(workspace.Author{Client: "Bob", Session: "1"}), "l", 1)
	add(other.As(workspace.Author{Client: "Bob", Session: "2"}), "l", 1)
	page, err := other.ChangeLog(t.Context(), workspace.ChangeLogQuery{Join: true})
	if err != nil || len(page.Changes) != 2 || page.Changes[0].Entries != 2 || page.Changes[1].Entries != 2 {
		t.Errorf("the appends of two authors are %+v, %v, want a row for each author", page.Changes, err)
	}
	for _, c := range []struct {
		q    workspace.ChangeLogQuery
		want string // path, Before, After and Entries of each row
	}{
		{workspace.ChangeLogQuery{}, "l 1702 11702 10000; l 702 1702 1000; m 0 1 1; l 2 702 700; f 0 1 0; l 0 2 2"},
		{workspace.ChangeLogQuery{Limit: 1}, "l 1702 11702 10000; l 702 1702 1000; m 0 1 1; l 2 702 700; f 0 1 0; l 0 2 2"},
		{workspace.ChangeLogQuery{Author: "bob"}, "m 0 1 1"},
		{workspace.ChangeLogQuery{Kind: workspace.KindFile}, "f 0 1 0"},
		{workspace.ChangeLogQuery{Kind: workspace.KindLog, Prefix: "l"}, "l 1702 11702 10000; l 0 1702 1702"},
	} {
		var got []string
		for q := c.q; ; {
			q.Join = true
			page, err := ws.ChangeLog(t.Context(), q)
			testkit.Must(t, err)
			for _, row := range page.Changes {
				got = append(got, fmt.Sprint(row.Path, " ", row.Before, " ", row.After, " ", row.Entries))
			}
			if q.Before = page.Next; q.Before == 0 {
				break
			}
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%+v: %s\nwant %s", c.q, got, c.want)
		}
	}
	_, err = ws.ChangeLog(t.Context(), workspace.ChangeLogQuery{Author: strings.Repeat("x", 1001)})
	wantErr(t, "a long author", err, workspace.ErrInvalid)
}

// Paths before a move count. Nothing and what does not exist are empty pages. A wrong
// argument is refused.
func TestChangeLogOfLittle(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	if c, err := ws.ChangeLog(t.Context(), workspace.ChangeLogQuery{}); err != nil || len(c.Changes) != 0 || c.Next != 0 || c.Last != 0 || c.Oldest != 1 {
		t.Errorf("ChangeLog of nothing = %+v, %v", c, err)
	}
	write(t, ws, "old/f", "x")
	testkit.Must(t, testkit.Err(ws.MoveFile(t.Context(), "old/f", "new/f", workspace.MoveOptions{})))
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
	store := newStore(t)
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
	any := false
	for len(slow) > 0 { // the last write may be told meanwhile
		any = <-slow == "" || any
	}
	if !any {
		t.Error("after 200 writes the slow one is not told that any may have written")
	}
	if n := store.watches.Load(); n != 1 {
		t.Errorf("the store has %d watches, want one", n)
	}
}

// filledLog appends entries of many sizes by several authors, and trims the log. It returns
// what the log has, by number.
func filledLog(t *testing.T, ws *workspace.Workspace, random *rand.Rand) (all []workspace.Entry) {
	authors := []workspace.Author{{Client: "Claude Code", Version: "2.1", Key: "key-a"}, {Client: "cursor", Version: "2.1"}, {}}
	words := []string{"Deploy", "deploy ÄÖ", "nothing", "budget"}
	for id := int64(1); id <= 400; {
		var batch []string
		by := authors[random.IntN(len(authors))]
		for range 1 + random.IntN(40) {
			text := fmt.Sprintf("%s %d %s", words[random.IntN(len(words))], id, strings.Repeat("x", random.IntN(50)))
			if random.IntN(20) == 0 {
				text += strings.Repeat("y", 60_000)
			}
			batch = append(batch, text)
			all = append(all, workspace.Entry{ID: id, Author: by, Content: []byte(text)})
			id++
		}
		appendLog(t, ws.As(by), "log", batch...)
	}
	testkit.Must(t, testkit.Err(ws.TrimLog(t.Context(), "log", 20, workspace.TrimLogOptions{})))
	return all[20:]
}

// The pages of a log have each entry that matches once, the newest first, as it was
// written, whatever the query is.
func TestViewLog(t *testing.T) {
	testkit.SkipInShort(t)
	store := newStore(t)
	svc := serviceOn(t, store, workspace.Options{})
	ws := agentOf(t, svc, "a")
	random := rand.New(rand.NewPCG(3, 4))
	all := filledLog(t, ws, random)
	last := all[len(all)-1].ID
	for range testkit.Pick(10, 100, 1000) {
		q := workspace.LogQuery{
			Author: []string{"", "", "claude", "CODE 2.1 KEY", "2.1", "nobody"}[random.IntN(6)],
			Text:   []string{"", "", "DEPLOY", "äö", "yyyy", "missing"}[random.IntN(6)],
			Limit:  []int{0, 3, 17, 100}[random.IntN(4)],
			After:  []int64{0, 0, 5, 200, last, last + 9}[random.IntN(6)],
			Before: []int64{0, 0, 10, 300, last + 5}[random.IntN(5)],
		}
		var want, got []int64
		for _, e := range slices.Backward(all) {
			by := strings.ToLower(e.Author.Client + " " + e.Author.Version + " " + e.Author.Key)
			if e.ID > q.After && (q.Before == 0 || e.ID < q.Before) && strings.Contains(by, strings.ToLower(q.Author)) &&
				strings.Contains(strings.ToLower(string(e.Content)), strings.ToLower(q.Text)) {
				want = append(want, e.ID)
			}
		}
		first := q
		for {
			v, err := ws.ViewLog(t.Context(), "log", q)
			if err != nil || !v.Exists || v.First != 21 || v.Last != last || len(got) > len(all) {
				t.Fatalf("ViewLog(%+v) = %d-%d, %v, want %d-%d", q, v.First, v.Last, err, 21, last)
			}
			size := 0
			for _, e := range v.Entries {
				got = append(got, e.ID)
				size += len(e.Content)
				if stored := all[e.ID-21]; string(e.Content) != string(stored.Content) || e.Author != stored.Author || e.Time.IsZero() {
					t.Fatalf("ViewLog(%+v) has another entry %d than was written", q, e.ID)
				}
			}
			if len(v.Entries) > 1 && size > 256<<10 || len(v.Entries) > 100 {
				t.Fatalf("ViewLog(%+v) has %d entries of %d bytes", q, len(v.Entries), size)
			}
			if q.Before = v.Next; q.Before == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("all pages of ViewLog(%+v) = %d\nwant %d", first, got, want)
		}
	}
}

// No log is an empty page, also a deleted one. A wrong argument is refused. No call is
// counted.
func TestViewLogOfLittle(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	if v, err := ws.ViewLog(t.Context(), "none", workspace.LogQuery{}); err != nil || v.Exists || v.Next != 0 {
		t.Errorf("ViewLog of none = %+v, %v", v, err)
	}
	appendLog(t, ws, "log", "x", "y")
	testkit.Must(t, testkit.Err(ws.TrimLog(t.Context(), "log", 2, workspace.TrimLogOptions{})))
	if v, err := ws.ViewLog(t.Context(), "log", workspace.LogQuery{}); err != nil || !v.Exists || len(v.Entries) != 0 || v.Next != 0 || v.First != 3 {
		t.Errorf("ViewLog of an empty log = %+v, %v", v, err)
	}
	before := usage(t, ws)
	for _, q := range []workspace.LogQuery{{Before: -1}, {After: -1}, {Limit: 101}, {Limit: -1}, {Text: strings.Repeat("x", 1001)}, {Author: strings.Repeat("x", 1001)}} {
		_, err := ws.ViewLog(t.Context(), "log", q)
		wantErr(t, "ViewLog", err, workspace.ErrInvalid)
	}
	_, err := ws.ViewLog(t.Context(), "../x", workspace.LogQuery{})
	wantErr(t, "ViewLog", err, workspace.ErrInvalid)
	if after := usage(t, ws); after.Operations != before.Operations+1 {
		t.Errorf("the calls are counted: %+v, then %+v", before, after)
	}
}

// The pages have the summaries that are kept, of the files that have some, among many that
// have none.
func TestSummaries(t *testing.T) {
	var m model
	ws := newWorkspace(t, workspace.Options{Summarizer: m.remote(), Limits: workspace.Limits{Files: 2000}})
	var want []string
	for i := range 1002 {
		path := fmt.Sprintf("f%04d", i)
		write(t, ws, path, longText(path))
		if i%200 == 0 || i == 1001 {
			summarize(t, ws, path)
			want = append(want, path)
		}
	}
	write(t, ws, want[0], longText("again")) // forgets the summary
	want = want[1:]
	before := usage(t, ws)
	var got []string
	for q := (workspace.SummariesQuery{}); ; {
		page, err := ws.Summaries(t.Context(), q)
		testkit.Must(t, err)
		for _, s := range page.Summaries {
			got = append(got, s.Path)
			if s.Version != 1 || s.Current != 1 || s.Bytes < 8000 || s.Method != "provider" || s.Model != "model-1" || s.Prompt != "1" || s.Tokens == 0 || s.Time.IsZero() {
				t.Errorf("Summaries has %+v", s)
			}
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("Summaries = %q, want %q", got, want)
	}
	one, err := ws.Summaries(t.Context(), workspace.SummariesQuery{Path: want[1]})
	if err != nil || len(one.Summaries) != 1 || one.Summaries[0].Path != want[1] || string(one.Summaries[0].Content) != summarize(t, ws, want[1]).Text || one.Next != "" {
		t.Errorf("Summaries of %s = %+v, %v", want[1], one, err)
	}
	if one, err := ws.Summaries(t.Context(), workspace.SummariesQuery{Path: "none"}); err != nil || len(one.Summaries) > 0 {
		t.Errorf("Summaries of no file = %+v, %v", one, err)
	}
	if after := usage(t, ws); after.Operations != before.Operations+2 {
		t.Errorf("Summaries is counted: %+v, then %+v", before, after)
	}
}
