package telemetry

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newTelemetry returns one that is closed at the end of the test.
func newTelemetry(t testing.TB, o Options) *Telemetry {
	t.Helper()
	tel, err := New(o)
	testkit.Must(t, err)
	t.Cleanup(func() { tel.Close(context.Background()) })
	return tel
}

// serve runs an MCP server on a real database over HTTP, as a server in front of it would:
// with a caller and the trace of each request. It returns the URL.
func serve(t testing.TB, o Options) (url string, tel *Telemetry) {
	t.Helper()
	return serveWith(t, o, func(*mcpserver.Options) {})
}

// serveWith is serve with changed options of the MCP server.
func serveWith(t testing.TB, o Options, change func(*mcpserver.Options)) (url string, tel *Telemetry) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlite.Options{Logger: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	t.Cleanup(func() { store.Close() })
	o.Store = store.Stats
	var server *mcpserver.Server
	o.MCP = func() mcpserver.Stats { return server.Stats() }
	tel = newTelemetry(t, o)
	outline := summarize.Outline(summarize.OutlineOptions{})
	summarizer := tel.Summarizer(&outline)
	svc, err := workspace.New(tel.Traced(store), workspace.Options{Summarizer: summarizer})
	testkit.Must(t, err)
	mo := mcpserver.Options{
		Around: tel.Around, AroundWork: tel.AroundWork, Logger: slog.New(slog.DiscardHandler), Summarizer: summarizer,
		Caller:    func(context.Context) string { return "caller" },
		Workspace: func(_ context.Context, c mcpserver.Call) (*workspace.Workspace, error) { return svc.Agent(c.AgentID) },
	}
	change(&mo)
	server, err = mcpserver.New(mo)
	testkit.Must(t, err)
	t.Cleanup(server.Close)
	agents, err := auth.ParseAgents("*")
	testkit.Must(t, err)
	caller := auth.Caller{ID: "key:k1234567", Tenant: "acme", Key: "k1234567", Agents: agents}
	traced := tel.Trace(server.Handler())
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traced.ServeHTTP(w, r.WithContext(auth.NewContext(r.Context(), caller)))
	}))
	t.Cleanup(front.Close)
	return front.URL, tel
}

// headers sets headers of every request of a client.
type headers map[string]string

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t testing.TB, url string, h headers, who *mcp.Implementation) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(who, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: h}}, nil)
	testkit.Must(t, err)
	t.Cleanup(func() {
		session.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return session
}

var tester = &mcp.Implementation{Name: "test", Version: "1"}

func call(t testing.TB, s *mcp.ClientSession, tool string, args map[string]any) {
	t.Helper()
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args}); err != nil && !strings.Contains(err.Error(), "unknown tool") {
		t.Error(err)
	}
}

// scrape returns what Prometheus gets.
func scrape(t testing.TB, tel *Telemetry) string {
	t.Helper()
	w := httptest.NewRecorder()
	tel.Metrics().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != 200 {
		t.Fatalf("scrape: status %d, %v", w.Code, err)
	}
	return string(text)
}

// value returns the value of a metric of a scrape, as it is written, or "".
func value(text, metric string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, metric+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
