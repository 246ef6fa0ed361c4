package telemetry

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/testing/golden"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Every tool that a server has is known here.
func TestKnownTools(t *testing.T) {
	url, _ := serveWith(t, Options{}, func(o *mcpserver.Options) { o.Tools = mcpserver.AllTools })
	list, err := connect(t, url, nil, tester).ListTools(t.Context(), nil)
	testkit.Must(t, err)
	for _, tool := range list.Tools {
		if !slices.Contains(known, tool.Name) {
			t.Errorf("the tool %s is not known", tool.Name)
		}
	}
}

// Whatever callers name, the number of series does not grow.
func TestMetricsAreBounded(t *testing.T) {
	testkit.SkipInShort(t)
	tel := newTelemetry(t, Options{})
	end := func(tool, agent string, err error) {
		_, over := tel.Around(t.Context(), mcpserver.Call{Tool: tool, AgentID: agent})
		over(mcpserver.Outcome{Err: err, BytesIn: 1})
	}
	errs := []error{nil, context.Canceled, context.DeadlineExceeded, errors.New("of nobody"), &mcpserver.Busy{}, workspace.Errorf(errors.New("a new kind"), "x")}
	for _, k := range errorkind.All {
		errs = append(errs, workspace.Errorf(k.Err, "with text"))
	}
	for _, tool := range known {
		for _, err := range errs {
			end(tool, "a", err)
		}
	}
	before := strings.Count(scrape(t, tel), "\nscratchpad_request")
	if before < len(known)*len(errorkind.All) {
		t.Fatalf("only %d series", before)
	}
	for n := range 2000 {
		for _, evil := range []string{fmt.Sprint("tool-", n), strings.Repeat("x", n), fmt.Sprintf("evil\n# %d\"}{", n), fmt.Sprintf("\xff\x00%d", n)} {
			end(evil, evil, errs[n%len(errs)])
		}
	}
	text := scrape(t, tel)
	if after := strings.Count(text, "\nscratchpad_request"); after != before {
		t.Errorf("%d series have become %d", before, after)
	}
	if strings.Contains(text, "evil") || strings.Contains(text, "tool-") {
		t.Error("a name of a caller is in the scrape")
	}
	if len(text) > 500_000 {
		t.Errorf("the scrape has %d bytes", len(text))
	}
}

// A summarizer that is counted answers as without.
func TestSummarizer(t *testing.T) {
	tel := newTelemetry(t, Options{})
	if tel.Summarizer(nil) != nil {
		t.Error("nil has become a Summarizer")
	}
	errs := []error{nil, workspace.ErrProvider, nil}
	s := tel.Summarizer(&workspace.Summarizer{Method: "test", Summarize: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
		err := errs[0]
		errs = errs[1:]
		return workspace.SummaryText{Text: "short", Spent: 100}, err
	}})
	for _, want := range slices.Clone(errs) {
		if text, err := s.Summarize(t.Context(), workspace.SummaryRequest{}); err != want || text.Text != "short" || text.Spent != 100 {
			t.Errorf("Summarize = %+v, %v; want the text and %v", text, err, want)
		}
	}
	if s.Method != "test" {
		t.Errorf("the method is %q", s.Method)
	}
}

// Dashboards, alerts and recordings are made of names, labels and types. A metric of this
// program that is added is added to the golden file too; one that is there must stay. Each
// number of a part is another one, so that the file says which metric has which. Requests to
// the console count by route and by class of status.
func TestMetricsStay(t *testing.T) {
	testkit.SkipInShort(t)
	tel := newTelemetry(t, Options{
		HTTP: func() httpserver.Stats {
			return httpserver.Stats{Connections: 1, Calls: 2, Accepted: 1 << 30, ClosedForRoom: 4, RefusedHeads: 5, RefusedCallerRate: 6, RefusedAgentRate: 7, RefusedBlocked: 8, FailedCredentials: 9, Panics: 10, Visits: 23, Pages: 24}
		},
		MCP: func() mcpserver.Stats {
			return mcpserver.Stats{Sessions: 11, Calls: 12, Memory: 13, MemoryLimit: 14, Refused: 15}
		},
		Store: func() sqlite.Stats {
			return sqlite.Stats{Writes: 16, Failed: 17, Queued: 18, LogBytes: 19, ReadOnly: true, Readers: 20, ReadersBusy: 21, ReaderWaits: 22, Commit: sqlite.Timing{Count: 3, Sum: 1500 * time.Millisecond}}
		},
	})
	for _, v := range []httpserver.Visit{
		{Route: "GET /a/{agent}", Status: 200, Took: time.Second}, {Route: "GET /a/{agent}", Status: 206}, {Route: "GET /a/{agent}", Status: 403},
		{Route: "", Status: 429}, {Route: "GET /events", Status: 200, Took: time.Hour, Stream: true},
	} {
		tel.Visited(t.Context(), v)
	}
	for _, c := range []struct {
		tool string
		err  error
	}{{"initialize", nil}, {"read_file", workspace.ErrNotFound}, {"read_file", nil}, {"of nobody", workspace.ErrBusy}} {
		_, over := tel.Around(t.Context(), mcpserver.Call{Tool: c.tool})
		over(mcpserver.Outcome{Err: c.err, BytesIn: 1234567, BytesOut: 1})
	}
	failures := []error{nil, workspace.ErrProvider, nil}
	s := tel.Summarizer(&workspace.Summarizer{Summarize: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
		err := failures[0]
		failures = failures[1:]
		return workspace.SummaryText{Spent: 12}, err
	}})
	for range len(failures) {
		_, _ = s.Summarize(t.Context(), workspace.SummaryRequest{})
	}
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
