package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// hitsOf returns where the hits of a search are.
func hitsOf(t *testing.T, ws *workspace.Workspace, query string, o workspace.SearchOptions) string {
	t.Helper()
	r, err := ws.Search(t.Context(), query, o)
	testkit.Must(t, err)
	var hits []string
	for _, h := range r.Hits {
		if h.Entry > 0 {
			hits = append(hits, fmt.Sprintf("%s#%d", h.Path, h.Entry))
		} else {
			hits = append(hits, fmt.Sprintf("%s:%d", h.Path, h.Line))
		}
	}
	return strings.Join(hits, " ")
}

// Search reads the current version of each file and every entry of each log, in many
// pages, and nothing of another agent.
func TestSearchReadsEverything(t *testing.T) {
	testkit.SkipInShort(t)
	arranged(t, func(t *testing.T, store workspace.Store) {
		ws := agentOf(t, serviceOn(t, store, workspace.Options{}), "a")
		write(t, agentOf(t, serviceOn(t, store, workspace.Options{}), "b"), "f", "needle of another agent")
		for i := range 150 {
			path := fmt.Sprintf("f%03d", i)
			testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, []byte("an old needle"), workspace.WriteOptions{})))
			testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, fmt.Appendf(nil, "hay%d %s", i, strings.Repeat("x ", testkit.Pick(200, 2000, 2000))), workspace.WriteOptions{})))
		}
		for log := range 12 {
			var entries [][]byte
			for i := range 100 {
				entries = append(entries, fmt.Appendf(nil, "straw%dx%d %s", log, i, strings.Repeat("y ", 300)))
			}
			testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), fmt.Sprintf("l%02d", log), entries...)))
		}
		testkit.Must(t, testkit.Err(ws.TrimLog(t.Context(), "l07", 50, workspace.TrimLogOptions{})))
		for query, want := range map[string]string{
			"needle": "", "hay0": "f000:1", "hay149": "f149:1", "straw0x0": "l00#1", "straw11x99": "l11#100", "straw4x55": "l04#56", "straw7x49": "", "straw7x50": "l07#51",
		} {
			if got := hitsOf(t, ws, query, workspace.SearchOptions{}); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
			if got := hitsOf(t, ws, query+" ", workspace.SearchOptions{Exact: true}); got != want {
				t.Errorf("exact %s: %q, want %q", query, got, want)
			}
		}
		for o, want := range map[workspace.PathKind]int64{"": 1300, workspace.KindFile: 150, workspace.KindLog: 1150} {
			r, err := ws.Search(t.Context(), "x y", workspace.SearchOptions{Kind: o, MaxTokens: -1, Limit: 50})
			if err != nil || r.Total != want || len(r.Hits) != 50 || !r.More {
				t.Errorf("kind %q: %d hits of %d, %v, want 50 of %d", o, len(r.Hits), r.Total, err, want)
			}
		}
	})
}

// What is in the heading or the path, what has all words, and what has them side by side
// comes first. Of equal ones, the first path does.
func TestSearchOrder(t *testing.T) {
	clock := testkit.NewClock()
	ws := newWorkspace(t, workspace.Options{Now: clock.Now})
	write := func(path, text string) {
		t.Helper()
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, []byte(text), workspace.WriteOptions{})))
		clock.Advance(1e9)
	}
	write("old.txt", "the equal words")
	write("even.txt", "the equal words")
	write("b.md", "# Apple\n\nsome words of text here\n")
	write("a.md", "# Pear\n\nsome words of apple here\n")
	write("near.txt", "green tea is on the table with a cup and the sugar")
	write("far.txt", "green is on the table with a cup and the sugar tea")
	write("one.txt", "lemon lemon lemon lime of other sort")
	write("both.txt", "lemon cake lime of the other sort!!")
	write("lilac.txt", "violet flowers in the vase")
	write("vase.txt", "violet flowers in a pot....")
	for query, want := range map[string]string{
		"equal": "even.txt:1 old.txt:1", "apple": "b.md:1 a.md:3", "green tea": "near.txt:1 far.txt:1", "lemon cake": "both.txt:1 one.txt:1", "violet lilac": "lilac.txt:1 vase.txt:1",
	} {
		if got := hitsOf(t, ws, query, workspace.SearchOptions{}); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// Pages of a search have each hit once. Equal hits are in the order of path and place, and the
// entries of a log in their order.
func TestSearchPages(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	var want []string
	for i := range 60 {
		write(t, ws, fmt.Sprintf("f%03d", 59-i), "a needle here")
		want = append(want, fmt.Sprintf("f%03d:1", i))
	}
	for i := range 40 {
		testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "log", []byte("a needle here"))))
		want = append(want, fmt.Sprintf("log#%d", i+1))
	}
	for _, o := range []workspace.SearchOptions{{Limit: 50, MaxTokens: -1}, {Limit: 7}, {Limit: 50}, {Limit: 7, Exact: true}} {
		var got []string
		for more := true; more; {
			o.After = len(got)
			r, err := ws.Search(t.Context(), "needle", o)
			testkit.Must(t, err)
			if cut := o.Limit > len(r.Hits) && len(got)+len(r.Hits) < 100; cut != (r.Cut == 600) || !cut && r.Cut != 0 || len(r.Hits) == 0 {
				t.Fatalf("%+v: %d hits, cut by %d tokens", o, len(r.Hits), r.Cut)
			}
			got = append(got, strings.Fields(hitsOf(t, ws, "needle", o))...)
			more = r.More
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: the pages have %q, want %q", o, got, want)
		}
	}
	for _, after := range []int{100, 1000} {
		if r, err := ws.Search(t.Context(), "needle", workspace.SearchOptions{After: after}); err != nil || len(r.Hits) > 0 || r.More || r.Total != 100 {
			t.Errorf("after %d: %+v, %v", after, r, err)
		}
	}
	for page := range 3 { // a write between two pages moves hits, and breaks nothing
		hitsOf(t, ws, "needle", workspace.SearchOptions{After: 40 * page})
		testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), fmt.Sprintf("f%03d", page), workspace.DeleteOptions{})))
	}
	write(t, ws, "z", strings.Repeat("needle ", 900))
	if r, err := ws.Search(t.Context(), "needle", workspace.SearchOptions{Prefix: "z", MaxTokens: 50}); err != nil || len(r.Hits) != 1 || r.Cut != 50 || r.More {
		t.Errorf("one long hit: %+v, %v, want it cut", r, err)
	}
}

// With History, a line is found once, in the newest version that has it, also in a deleted file.
// Redacted versions, and files that can be restored no more, are not found.
func TestSearchHistory(t *testing.T) {
	arranged(t, func(t *testing.T, store workspace.Store) {
		clock := testkit.NewClock()
		ws := agentOf(t, serviceOn(t, store, workspace.Options{Now: clock.Now, KeepDeleted: time.Hour}), "a")
		write(t, ws, "other.md", "rollback elsewhere\n")
		for _, text := range []string{"# Plan\n\n## Rollback\n\nUse the old image.\n\n## Price\nprice five\n", "# Plan\n\n## Price\nprice five\n",
			"# Plan\n\nImage gone\n\nprice secret\n", "# Plan\n\n## Price\nprice six\n\nUse the old image.\n", "# Plan\n\n## Price\n\nprice six\n\n"} {
			write(t, ws, "plan.md", text)
		}
		redact(t, ws, "plan.md", 3)
		write(t, ws, "gone.md", "first goodbye\n")
		write(t, ws, "gone.md", "last goodbye\n")
		testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "gone.md", workspace.DeleteOptions{})))
		testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "log", []byte("goodbye"))))
		find := func(query string, o workspace.SearchOptions) (hits string) {
			o.History = true
			r, err := ws.Search(t.Context(), query, o)
			testkit.Must(t, err)
			for _, h := range r.Hits {
				hits += fmt.Sprintf("%s@%d#%d:%d%s ", h.Path, h.Version, h.Entry, h.Line, map[bool]string{true: "!"}[h.Deleted])
			}
			return hits
		}
		for query, want := range map[string]string{
			"rollback": "plan.md@1#0:3 other.md@0#0:1 ", "price": "plan.md@0#0:5 plan.md@2#0:4 ", "five": "plan.md@2#0:4 ", "secret": "", "image": "plan.md@4#0:6 ",
			"goodbye": "gone.md@1#0:1! gone.md@2#0:1! log@0#1:1 ", "gone": "gone.md@2#0:1! ",
		} {
			got := strings.Fields(find(query, workspace.SearchOptions{}))
			slices.Sort(got)
			all := strings.Fields(want)
			if slices.Sort(all); !slices.Equal(got, all) {
				t.Errorf("%s: %q, want %q", query, got, all)
			}
		}
		if got, want := find("price ", workspace.SearchOptions{Exact: true}), "plan.md@0#0:5 plan.md@2#0:4 "; got != want {
			t.Errorf("exact: %q, want %q", got, want)
		}
		if got := find("goodbye", workspace.SearchOptions{Prefix: "gone", Kind: workspace.KindFile}); got != "gone.md@2#0:1! gone.md@1#0:1! " {
			t.Errorf("equal hits are not the newest first: %q", got)
		}
		clock.Advance(2 * time.Hour)
		if got := find("goodbye", workspace.SearchOptions{}); got != "log@0#1:1 " {
			t.Errorf("after the deadline: %q", got)
		}
		if got := hitsOf(t, ws, "five OR rollback", workspace.SearchOptions{}); got != "other.md:1" {
			t.Errorf("without History: %q", got)
		}
	})
}

// A search of 10,000 versions in many pages finds each text once, also where it reads pages again.
func TestSearchManyVersions(t *testing.T) {
	testkit.SkipInShort(t)
	n := testkit.Pick(300, 1000, 10_000)
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Bytes: 1 << 30, Versions: int64(n)}})
	same := strings.Repeat("a line that all versions have, with the needle\n", 40)
	for i := range n {
		own := fmt.Sprintf("needle%d number %05d\n", i%10, i) + strings.Repeat(fmt.Sprintf("own words %05d\n", i), 60)
		write(t, ws, "a/f", own+same)
		if i%100 == 0 {
			write(t, ws, fmt.Sprintf("g%05d", i), "other\n")
		}
	}
	r, err := ws.Search(t.Context(), "needle7", workspace.SearchOptions{History: true, Limit: 50, MaxTokens: -1})
	if testkit.Must(t, err); r.Total != int64(n/10) || len(r.Hits) != min(50, n/10) {
		t.Fatalf("%d hits of %d, want %d", len(r.Hits), r.Total, n/10)
	}
	for i, h := range r.Hits {
		if at := n - 2 - 10*i; h.Version != int64(at) || h.Line != 1 || h.Text != fmt.Sprintf("needle7 number %05d", at-1) {
			t.Errorf("hit %d is %+v, want that of version %d", i, h, at)
		}
	}
	r, err = ws.Search(t.Context(), "a line that all versions", workspace.SearchOptions{History: true, Exact: true})
	if err != nil || r.Total != 40 || r.Hits[0].Version != 0 {
		t.Errorf("what all versions have: %+v, %v, want the current version's alone", r, err)
	}
}

// Wrong arguments are refused before anything is read.
func TestSearchRefuses(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, c := range []struct {
		query string
		o     workspace.SearchOptions
	}{
		{"", workspace.SearchOptions{}}, {" ", workspace.SearchOptions{}}, {"-a", workspace.SearchOptions{}}, {"\xff", workspace.SearchOptions{}},
		{strings.Repeat("é", 1001), workspace.SearchOptions{}}, {"a", workspace.SearchOptions{Limit: 51}}, {"a", workspace.SearchOptions{Limit: -1}}, {"a", workspace.SearchOptions{After: -1}}, {"a", workspace.SearchOptions{After: 1001}},
		{"a", workspace.SearchOptions{MaxTokens: -2}}, {"a", workspace.SearchOptions{Kind: "x"}}, {"a", workspace.SearchOptions{Exact: true, Regexp: true}},
		{"a\n", workspace.SearchOptions{Exact: true}}, {"(", workspace.SearchOptions{Regexp: true}}, {"a", workspace.SearchOptions{Prefix: "../"}},
	} {
		if _, err := ws.Search(t.Context(), c.query, c.o); !errors.Is(err, workspace.ErrInvalid) {
			t.Errorf("Search(%.20q, %+v) = %v, want ErrInvalid", c.query, c.o, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ws.Search(ctx, "a", workspace.SearchOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Search with an ended context = %v", err)
	}
	_, err := ws.Search(t.Context(), "?", workspace.SearchOptions{})
	wantErr(t, "Search", err, workspace.ErrInvalid, "no letter or digit; set Exact")
	hitsOf(t, ws, strings.Repeat("é", 1000), workspace.SearchOptions{})
}

// The text of a hit is one line that shows in the order in which it is written.
func TestSearchTextIsPlain(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	write(t, ws, "a", "needle\u202e one\u202c\ttwo\r\x1b[31m three\u2028four\u0085\u2066five\u2069 \u200eend\nnext")
	r, err := ws.Search(t.Context(), "needle", workspace.SearchOptions{})
	testkit.Must(t, err)
	if want := "needle one two [31m three four five \u200eend"; len(r.Hits) != 1 || r.Hits[0].Text != want {
		t.Errorf("Search = %+v, want the text %q", r.Hits, want)
	}
}

// A search over several agents finds what a search of one agent finds that has all of it,
// in the same order.
func TestServiceSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	words := []string{"budget", "deploy", "the", "the", "server", "needle", "plan", "of"}
	text := func() string {
		var b strings.Builder
		for range 5 + random.IntN(60) {
			b.WriteString(words[random.IntN(len(words))] + []string{" ", " ", " ", "\n", "\n\n", "\n# "}[random.IntN(6)])
		}
		return b.String()
	}
	clock := testkit.NewClock()
	svc, _ := newService(t, workspace.Options{Now: clock.Now})
	whole := agentOf(t, svc, "whole")
	for i := range 12 {
		ws := agentOf(t, svc, fmt.Sprintf("part-%02d", i))
		for j := range 1 + random.IntN(6) {
			clock.Advance(time.Millisecond) // both files are written at one time
			path, content := fmt.Sprintf("f%02d-%d.md", i, j), text()
			write(t, ws, path, content)
			write(t, whole, path, content)
		}
		log, entry := fmt.Sprintf("f%02d-log", i), text()
		appendLog(t, ws, log, entry, "budget")
		appendLog(t, whole, log, entry, "budget")
		write(t, agentOf(t, svc, fmt.Sprint("secret-", i)), "needle.md", strings.Repeat("needle budget ", 50))
	}
	for _, query := range []string{"needle", "budget plan", `"the server"`, "deploy -needle", "f03", "missing", "plan"} {
		for _, o := range []workspace.SearchOptions{{Limit: 50, MaxTokens: -1}, {Limit: 7}, {Exact: true, Limit: 50, MaxTokens: -1}, {Kind: workspace.KindLog}} {
			want, err := whole.Search(t.Context(), query, o)
			testkit.Must(t, err)
			got, err := svc.Search(t.Context(), []string{"part-1*", "part-0*"}, query, o)
			if err != nil || got.Agents != 12 || got.Left || got.Damaged != 0 {
				t.Fatalf("Search(%q, %+v) = %+v, %v, want 12 agents searched", query, o, got, err)
			}
			for i, h := range got.Hits {
				if h.Agent != "part-"+h.Path[1:3] {
					t.Errorf("the agent of %s is %s", h.Path, h.Agent)
				}
				got.Hits[i].Agent = ""
			}
			if fmt.Sprint(got.SearchResult) != fmt.Sprint(want) {
				t.Errorf("Search(%q, %+v) over all = %+v\nin one %+v", query, o, got.SearchResult, want)
			}
		}
	}
}

// Texts of equal paths of several agents are texts of their own.
func TestServiceSearchSamePaths(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	for i := range 5 {
		write(t, agentOf(t, svc, fmt.Sprint("a", i)), "needle.md", "nothing but the path "+fmt.Sprint(i))
	}
	r, err := svc.Search(t.Context(), []string{"*"}, "needle", workspace.SearchOptions{MaxTokens: -1})
	if err != nil || len(r.Hits) != 5 || r.Total != 5 {
		t.Errorf("Search = %+v, %v, want a hit of each of 5 agents", r, err)
	}
	if r, err := svc.Search(t.Context(), nil, "needle", workspace.SearchOptions{}); err != nil || len(r.Hits) != 0 || r.Agents != 0 || r.Left {
		t.Errorf("Search without agents = %+v, %v, want nothing", r, err)
	}
	_, err = svc.Search(t.Context(), []string{"*"}, "", workspace.SearchOptions{})
	wantErr(t, "Search", err, workspace.ErrInvalid, "the query is empty")
	_, err = svc.Search(t.Context(), []string{"a/b"}, "x", workspace.SearchOptions{})
	wantErr(t, "Search", err, workspace.ErrInvalid, "pattern")
}

// Of very many agents those are searched that were written last, and the answer says that
// there are more.
func TestServiceSearchIsBounded(t *testing.T) {
	clock := testkit.NewClock()
	store := memstore.New()
	defer store.Close()
	svc := serviceOn(t, store, workspace.Options{Now: clock.Now})
	for i := range 1003 {
		clock.Advance(time.Second)
		write(t, agentOf(t, svc, fmt.Sprint("agent-", i)), "f", fmt.Sprintf("needle n%d", i))
	}
	for query, want := range map[string]int64{"needle": 1000, "n3": 1, "n2": 0} {
		r, err := svc.Search(t.Context(), []string{"*"}, query, workspace.SearchOptions{})
		if err != nil || r.Total != want || r.Agents != 1000 || !r.Left {
			t.Errorf("Search(%q) = %d passages of %d agents, %v, %v, want %d of 1000, and more", query, r.Total, r.Agents, r.Left, err, want)
		}
	}
}

// An agent whose memory is damaged is left out, and the others are searched.
func TestServiceSearchLeavesDamagedOut(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	for _, name := range []string{"a", "b", "c"} {
		write(t, agentOf(t, svc, name), "f", "needle")
	}
	writeDamaged(t, store, "b", "needle bad")
	r, err := svc.Search(t.Context(), []string{"*"}, "needle", workspace.SearchOptions{})
	if err != nil || len(r.Hits) != 2 || r.Total != 2 || r.Damaged != 1 || r.Left {
		t.Errorf("Search = %+v, %v, want a hit of a and of c, and one damaged agent", r, err)
	}
}
