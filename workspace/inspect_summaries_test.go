package workspace_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The pages have the summaries that are kept, of the files that have some, among many that
// have none.
func TestSummaries(t *testing.T) {
	onEachStore(t, func(t *testing.T, store workspace.Store) {
		var m model
		svc := serviceOn(t, store, workspace.Options{Summarizer: m.remote(), Limits: workspace.Limits{Files: 2000}})
		ws := agentOf(t, svc, "a")
		var want []string
		for i := range 40 {
			path := fmt.Sprintf("f%03d", i)
			write(t, ws, path, longText(path))
			if i%5 == 0 {
				summarize(t, ws, path)
				want = append(want, path)
			}
		}
		write(t, ws, want[0], longText("again")) // forgets the summary
		want = want[1:]
		before := usage(t, ws)
		for _, limit := range []int{0, 1, 4, 50} {
			var got []string
			q := workspace.SummariesQuery{Limit: limit}
			for {
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
				t.Errorf("Summaries in pages of %d = %q, want %q", limit, got, want)
			}
		}
		one, err := ws.Summaries(t.Context(), workspace.SummariesQuery{Path: want[1]})
		if err != nil || len(one.Summaries) != 1 || one.Summaries[0].Path != want[1] || one.Summaries[0].Text != summarize(t, ws, want[1]).Text || one.Next != "" {
			t.Errorf("Summaries of %s = %+v, %v", want[1], one, err)
		}
		if one, err := ws.Summaries(t.Context(), workspace.SummariesQuery{Path: "none"}); err != nil || len(one.Summaries) > 0 {
			t.Errorf("Summaries of no file = %+v, %v", one, err)
		}
		if after := usage(t, ws); after.Operations != before.Operations+2 {
			t.Errorf("Summaries is counted: %+v, then %+v", before, after)
		}
		_, err = ws.Summaries(t.Context(), workspace.SummariesQuery{Limit: 51})
		wantErr(t, "Summaries", err, workspace.ErrInvalid)
	})
}

// What was spent is of one agent in the present month.
func TestSummarySpend(t *testing.T) {
	clock := testkit.NewClock()
	var m model
	svc, _ := newService(t, workspace.Options{Summarizer: m.remote(), SummaryTokens: 50_000, Now: clock.Now})
	ws := agentOf(t, svc, "a")
	write(t, ws, "f", longText("x"))
	summarize(t, ws, "f")
	summarize(t, ws, "f")
	spent := func(ws *workspace.Workspace) workspace.SummarySpend {
		s, err := ws.SummarySpend(t.Context())
		testkit.Must(t, err)
		return s
	}
	now := clock.Now().UTC()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	if got, want := spent(ws), (workspace.SummarySpend{Month: month, Tokens: 100, Limit: 50_000}); got != want {
		t.Errorf("SummarySpend = %+v, want %+v", got, want)
	}
	if got := spent(agentOf(t, svc, "b")); got.Tokens != 0 {
		t.Errorf("SummarySpend of another agent = %+v", got)
	}
	clock.Advance(31 * 24 * time.Hour)
	if got := spent(ws); got.Tokens != 0 || !got.Month.After(month) {
		t.Errorf("SummarySpend a month later = %+v", got)
	}
}
