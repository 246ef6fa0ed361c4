package workspace_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

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
