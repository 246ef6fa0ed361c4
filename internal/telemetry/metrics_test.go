package telemetry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
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
			t.Errorf("the tool %s is not in the list of known tools: add it", tool.Name)
		}
	}
	tools := slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		return name == other || name == "initialize" || name == "ping" || strings.Contains(name, "/") || slices.Contains(operations, name)
	})
	if len(list.Tools) != len(tools) {
		t.Errorf("the server has %d tools, and %d are known: %q", len(list.Tools), len(tools), tools)
	}
}

// The numbers of each part are shown under their names, all of which begin with the prefix.
func TestMetricsOfParts(t *testing.T) {
	commits := sqlite.Timing{Count: 3, Sum: 1500 * time.Millisecond}
	tel := newTelemetry(t, Options{
		HTTP: func() httpserver.Stats {
			return httpserver.Stats{Connections: 1, Calls: 2, Accepted: 3, ClosedForRoom: 4, RefusedHeads: 5, RefusedCallerRate: 6, RefusedAgentRate: 7, RefusedBlocked: 8, FailedCredentials: 9, Panics: 10, Visits: 23, Pages: 24}
		},
		MCP: func() mcpserver.Stats {
			return mcpserver.Stats{Sessions: 11, Calls: 12, Memory: 13, MemoryLimit: 14, Refused: 15}
		},
		Store: func() sqlite.Stats {
			return sqlite.Stats{Writes: 16, Failed: 17, Queued: 18, LogBytes: 19, ReadOnly: true, Readers: 20, ReadersBusy: 21, ReaderWaits: 22, Commit: commits}
		},
	})
	text := scrape(t, tel)
	for metric, want := range map[string]int{
		"connections": 1, "http_calls": 2, "connections_accepted_total": 3, "connections_refused_total": 4, "heads_refused_total": 5,
		`rate_limited_total{of="caller"}`: 6, `rate_limited_total{of="agent"}`: 7, `rate_limited_total{of="address"}`: 8, "failed_keys_total": 9, "panics_total": 10, "console_calls": 23, "console_pages": 24,
		"sessions": 11, "calls": 12, "memory_bytes": 13, "memory_limit_bytes": 14, "memory_refused_total": 15,
		"store_writes_total": 16, "store_failed_writes_total": 17, "store_queued_writes": 18, "store_wal_bytes": 19, "store_read_only": 1,
		"store_readers": 20, "store_readers_busy": 21, "store_reader_waits_total": 22, "store_commit_seconds_count": 3,
	} {
		if got := value(text, prefix+metric); got != fmt.Sprint(want) {
			t.Errorf("%s is %q, want %d", metric, got, want)
		}
	}
	if got := value(text, "scratchpad_store_commit_seconds_sum"); got != "1.5" {
		t.Errorf("the commits took %q, want 1.5", got)
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, prefix) && !strings.HasPrefix(line, "go_") && !strings.HasPrefix(line, "process_") {
			t.Errorf("a metric without the prefix: %s", line)
		}
	}
}

// Requests to the console are counted by route and by class of status.
func TestConsoleMetrics(t *testing.T) {
	tel := newTelemetry(t, Options{})
	for _, v := range []httpserver.Visit{
		{Route: "GET /a/{agent}", Status: 200, Took: time.Second}, {Route: "GET /a/{agent}", Status: 206}, {Route: "GET /a/{agent}", Status: 403},
		{Route: "", Status: 429}, {Route: "GET /events", Status: 200, Took: time.Hour, Stream: true},
	} {
		tel.Visited(t.Context(), v)
	}
	text := scrape(t, tel)
	for metric, want := range map[string]string{
		`requests_total{route="GET /a/{agent}",status="2xx"}`: "2", `requests_total{route="GET /a/{agent}",status="4xx"}`: "1",
		`requests_total{route="other",status="4xx"}`: "1", `requests_total{route="GET /events",status="2xx"}`: "1",
		"request_seconds_count": "4", "request_seconds_sum": "1",
	} {
		if got := value(text, "scratchpad_console_"+metric); got != want {
			t.Errorf("%s is %q, want %s", metric, got, want)
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
	for kind := range outcomes {
		errs = append(errs, workspace.Errorf(kind, "with text"))
	}
	for _, tool := range known {
		for _, err := range errs {
			end(tool, "a", err)
		}
	}
	before := strings.Count(scrape(t, tel), "\nscratchpad_request")
	if before < len(known)*len(outcomes) {
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
	text := scrape(t, tel)
	for metric, want := range map[string]string{
		`scratchpad_summaries_total{outcome="ok"}`: "2", `scratchpad_summaries_total{outcome="provider"}`: "1",
		"scratchpad_summary_tokens_total": "300", "scratchpad_summary_seconds_count": "3",
	} {
		if got := value(text, metric); got != want {
			t.Errorf("%s is %q, want %s", metric, got, want)
		}
	}
	if s.Method != "test" {
		t.Errorf("the method is %q", s.Method)
	}
}
