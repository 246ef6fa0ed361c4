package workspace_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

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
