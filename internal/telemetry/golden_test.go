package telemetry

import (
	"context"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/golden"
	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Dashboards, alerts and recordings are made of names, labels and types. A metric of this
// program that is added is added to the golden file too; one that is there must stay.
func TestMetricsStay(t *testing.T) {
	testkit.SkipInShort(t)
	tel := newTelemetry(t, Options{
		HTTP: func() httpserver.Stats { return httpserver.Stats{Accepted: 1 << 30} },
		MCP:  func() mcpserver.Stats { return mcpserver.Stats{Sessions: 7} },
		Store: func() sqlite.Stats {
			return sqlite.Stats{Commit: sqlite.Timing{Count: 3, Sum: 1500 * time.Millisecond}}
		},
	})
	for _, c := range []struct {
		tool string
		err  error
	}{{"initialize", nil}, {"read_file", workspace.ErrNotFound}, {"read_file", nil}, {"of nobody", workspace.ErrBusy}} {
		_, over := tel.Around(t.Context(), mcpserver.Call{Tool: c.tool})
		over(mcpserver.Outcome{Err: c.err, BytesIn: 1234567, BytesOut: 1})
	}
	s := tel.Summarizer(&workspace.Summarizer{Summarize: func(ctx context.Context, _ workspace.SummaryRequest) (workspace.SummaryText, error) {
		return workspace.SummaryText{Spent: 12}, ctx.Err()
	}})
	_, err := s.Summarize(t.Context(), workspace.SummaryRequest{})
	testkit.Must(t, err)
	golden.Check(t, filepath.Join("testdata", "scrape.golden"), steady(scrape(t, tel)))
}

var (
	ofLibrary  = regexp.MustCompile(`(?m)^(?:# (?:HELP|TYPE) )?(?:go|process)_.*\n`)
	timedValue = regexp.MustCompile(`(?m)^(scratchpad_(?:request|summary)_seconds_(?:sum|bucket).*) \S+$`)
)

// steady removes from a scrape the metrics of Prometheus's own library, and the values that
// are others each time.
func steady(text string) string {
	return timedValue.ReplaceAllString(ofLibrary.ReplaceAllString(text, ""), "$1 N")
}
