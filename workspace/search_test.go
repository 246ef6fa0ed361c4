package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// searchStores are stores on which a search gives the same.
func searchStores(t *testing.T) map[string]workspace.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db"), sqlite.Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { db.Close() })
	return map[string]workspace.Store{"memstore": memstore.New(), "sqlite": db}
}

func searchedBy(t *testing.T, store workspace.Store, o workspace.Options) *workspace.Workspace {
	t.Helper()
	return agentOf(t, serviceOn(t, store, o), "a")
}

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
	for name, store := range searchStores(t) {
		t.Run(name, func(t *testing.T) {
			ws := searchedBy(t, store, workspace.Options{})
			write(t, agentOf(t, serviceOn(t, store, workspace.Options{}), "b"), "f", "needle of another agent")
			for i := range 150 {
				path := fmt.Sprintf("f%03d", i)
				testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, []byte("an old needle"), workspace.WriteOptions{})))
				testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, fmt.Appendf(nil, "hay%d %s", i, strings.Repeat("x ", testkit.Pick(200, 2000, 2000))), workspace.WriteOptions{})))
			}
			for log := range 12 {
				var entries [][]byte
				for i := range 100 {
					entries = append(entries, fmt.Appendf(nil, "straw%dx%d %s", log, i, strings.Repeat("y ", 100)))
				}
				testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), fmt.Sprintf("l%02d", log), entries...)))
			}
			testkit.Must(t, testkit.Err(ws.TrimLog(t.Context(), "l07", 50, workspace.DeleteOptions{})))
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
}

// What is in the heading or the path, what has all words, and what has them side by side
// comes first. Of equal ones, the first path does.
func TestSearchOrder(t *testing.T) {
	clock := testkit.NewClock()
	for name, store := range searchStores(t) {
		t.Run(name, func(t *testing.T) {
			ws := searchedBy(t, store, workspace.Options{Now: clock.Now})
			write := func(path, text string) {
				t.Helper()
				testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, []byte(text), workspace.WriteOptions{})))
				clock.Advance(1e9)
			}
			write("old.txt", "the equal words")
			write("even.txt", "the equal words")
			write("a.md", "# Apple\n\nsome words of text here\n")
			write("b.md", "# Pear\n\nsome words of apple here\n")
			write("near.txt", "green tea is on the table with a cup and the sugar")
			write("far.txt", "green is on the table with a cup and the sugar tea")
			write("one.txt", "lemon lemon lemon lime of other sort")
			write("both.txt", "lemon cake lime of the other sort!!")
			write("lilac.txt", "violet flowers in the vase")
			write("vase.txt", "violet flowers in a pot....")
			for query, want := range map[string]string{
				"equal": "even.txt:1 old.txt:1", "apple": "a.md:1 b.md:3", "green tea": "near.txt:1 far.txt:1", "lemon cake": "both.txt:1 one.txt:1", "violet lilac": "lilac.txt:1 vase.txt:1",
			} {
				if got := hitsOf(t, ws, query, workspace.SearchOptions{}); got != want {
					t.Errorf("%s: %q, want %q", query, got, want)
				}
			}
		})
	}
}

// Pages of a search have each hit once. Equal hits are in the order of path and place, and the
// entries of a log in their order.
func TestSearchPages(t *testing.T) {
	for name, store := range searchStores(t) {
		t.Run(name, func(t *testing.T) {
			ws := searchedBy(t, store, workspace.Options{})
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
		})
	}
}

// Wrong arguments are refused before anything is read.
func TestSearchRefuses(t *testing.T) {
	ws := searchedBy(t, memstore.New(), workspace.Options{})
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
	hitsOf(t, ws, strings.Repeat("é", 1000), workspace.SearchOptions{})
}

// The text of a hit is one line that shows in the order in which it is written.
func TestSearchTextIsPlain(t *testing.T) {
	ws := searchedBy(t, memstore.New(), workspace.Options{})
	write(t, ws, "a", "needle\u202e one\u202c\ttwo\r\x1b[31m three\u2028four\u0085\u2066five\u2069 \u200eend\nnext")
	r, err := ws.Search(t.Context(), "needle", workspace.SearchOptions{})
	testkit.Must(t, err)
	if want := "needle one two [31m three four five \u200eend"; len(r.Hits) != 1 || r.Hits[0].Text != want {
		t.Errorf("Search = %+v, want the text %q", r.Hits, want)
	}
}
