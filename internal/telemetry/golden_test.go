package telemetry

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Dashboards, alerts and recordings are made of names, labels and types. The golden file was
// written by Prometheus's own library, which this package used before. A metric that is added
// is added there too; one that is there must stay.
func TestScrapeIsAsPrometheusWroteIt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the golden file has the metrics of a process on Linux")
	}
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
	got := steady(scrape(t, tel))
	golden := filepath.Join("testdata", "scrape.golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		testkit.Must(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	if diff := cmp.Diff(testkit.ReadFile(t, golden), got); diff != "" {
		t.Errorf("the scrape (-want +got):\n%s", diff)
	}
}

var (
	runtimeValue = regexp.MustCompile(`(?m)^(scratchpad_(?:go|process)_.*) \S+$`)
	timedValue   = regexp.MustCompile(`(?m)^(scratchpad_(?:request|summary)_seconds_(?:sum|bucket).*) \S+$`)
	goVersion    = regexp.MustCompile(`version="[^"]*"`)
)

// steady removes from a scrape the values that are others each time.
func steady(text string) string {
	for _, value := range []*regexp.Regexp{runtimeValue, timedValue} {
		text = value.ReplaceAllString(text, "$1 N")
	}
	return goVersion.ReplaceAllString(text, `version="V"`)
}

// Prometheus asks for a compressed scrape. A client that refuses that gets the text.
func TestCompressedScrape(t *testing.T) {
	tel := newTelemetry(t, Options{})
	server := httptest.NewServer(tel.Metrics())
	t.Cleanup(server.Close)
	for accept, compressed := range map[string]bool{"gzip": true, "deflate, gzip;q=0.5": true, "gzip;q=0": false, "identity": false, "x-gzip": false} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL, nil)
		testkit.Must(t, err)
		r.Header.Set("Accept-Encoding", accept)
		answer, err := server.Client().Do(r)
		testkit.Must(t, err)
		body := answer.Body
		if got := answer.Header.Get("Content-Encoding") == "gzip"; got != compressed {
			t.Errorf("Accept-Encoding %s: compressed %v, want %v", accept, got, compressed)
		} else if got {
			body, err = gzip.NewReader(body)
			testkit.Must(t, err)
		}
		text, err := io.ReadAll(body)
		testkit.Must(t, err)
		answer.Body.Close()
		if !strings.HasSuffix(string(text), "scratchpad_summary_tokens_total 0\n") {
			t.Errorf("Accept-Encoding %s: %.200q", accept, text)
		}
		if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4; charset=utf-8") {
			t.Errorf("the type is %q", kind)
		}
	}
}
