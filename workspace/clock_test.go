package workspace_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Spending in a future month, by a clock that was ahead, is forgotten when a new month
// begins. The months around the present one are kept.
func TestSpendOfTheFuture(t *testing.T) {
	clock := testkit.NewClock()
	m := &model{}
	store, ps := processes(t, 1, workspace.Options{Summarizer: m.remote(), Now: clock.Now})
	const prefix = "spend/summary/local/a/"
	for _, month := range []string{"2026-09", "2026-10", "2026-12", "2027-01", "2036-01"} {
		testkit.Must(t, failure(store.System(t.Context()).Put(prefix+month, []byte("7"), 0)))
	}
	write(t, ps[0], "f", longText("one"))
	summarize(t, ps[0], "f")
	var months []string
	for _, r := range records(t, store, prefix) {
		months = append(months, strings.TrimPrefix(r.Key, prefix))
	}
	if want := []string{"2026-10", "2026-11", "2026-12"}; !slices.Equal(months, want) {
		t.Errorf("the months %v are kept, want %v", months, want)
	}
}

// A failure that has used tokens is the answer for 30 s, but not if the clock was set back
// since.
func TestFailureOfTheFuture(t *testing.T) {
	clock := testkit.NewClock()
	m := &model{do: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
		return workspace.SummaryText{Spent: 1}, errors.New("it failed")
	}}
	ws := newWorkspace(t, workspace.Options{Summarizer: m.remote(), Now: clock.Now})
	write(t, ws, "f", longText("one"))
	for _, back := range []time.Duration{0, 0, time.Hour} {
		clock.Advance(-back)
		_, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
		wantSummaryErr(t, "Summarize", err, workspace.ErrProvider, "it failed")
	}
	m.wantCalls(t, 2)
}
