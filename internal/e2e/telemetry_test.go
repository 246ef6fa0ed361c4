package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	names "github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/telemetry"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// observed runs some calls on a server with telemetry.
func observed(t *testing.T, endpoint string, header http.RoundTripper) *telemetry.Telemetry {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "zone=a")
	quiet := slog.New(slog.DiscardHandler)
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlite.Options{Logger: quiet})
	must(err)
	t.Cleanup(func() { store.Close() })
	var server *mcpserver.Server
	tel, err := telemetry.New(telemetry.Options{
		HTTP: func() httpserver.Stats { return httpserver.Stats{} }, MCP: func() mcpserver.Stats { return server.Stats() }, Store: store.Stats,
		Logger: quiet,
	})
	must(err)
	t.Cleanup(func() { tel.Close(context.Background()) })
	outline := summarize.Outline(summarize.OutlineOptions{})
	summarizer := tel.Summarizer(&outline)
	svc, err := workspace.New(tel.Traced(store), workspace.Options{Summarizer: summarizer})
	must(err)
	server, err = mcpserver.New(mcpserver.Options{
		Around: tel.Around, AroundWork: tel.AroundWork, Summarizer: summarizer, Logger: quiet,
		Workspace: func(_ context.Context, c mcpserver.Call) (*workspace.Workspace, error) { return svc.Agent(c.AgentID) },
	})
	must(err)
	t.Cleanup(server.Close)
	front := httptest.NewServer(tel.Trace(server.Handler()))
	t.Cleanup(front.Close)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: front.URL, HTTPClient: &http.Client{Transport: header}}, nil)
	must(err)
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"write_file", map[string]any{"agent_id": "alice", "path": "long.md", "content": strings.Repeat("# A title\n\nSome text below the title.\n\n", 1000)}},
		{"summarize_file", map[string]any{"agent_id": "alice", "path": "long.md"}},
		{"read_file", map[string]any{"agent_id": "alice", "path": "none.md"}},
	} {
		_, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
		must(err)
	}
	client.Close()
	front.Close() // when all calls have ended, which they do after their answers
	return tel
}

// scrape uses scratchpad serve for a while, with callers that have no right, and returns
// its metrics, as Prometheus reads them.
func scrape(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+process.FreeAddress(t)) // nobody listens; its metrics are there
	db := filepath.Join(t.TempDir(), "test.db")
	key := strings.TrimSpace(process.Run(t, scratchpadPath, "keys", "create", "--db", db, "--agents", "*", "--rate", "0.01:7"))
	watcher := strings.TrimSpace(process.Run(t, scratchpadPath, "keys", "create", "--db", db, "--scopes", "metrics"))
	url := process.Serve(t, scratchpadPath, "--db", db)
	web := &http.Client{Transport: bearer{key, http.DefaultTransport}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: web, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*mcp.CallToolParams{
		{Name: "write_file", Arguments: m{"agent_id": "alice", "path": "long.md", "content": strings.Repeat("# A title\n\nSome text below the title.\n\n", 1000)}},
		{Name: "summarize_file", Arguments: m{"agent_id": "alice", "path": "long.md"}},
		{Name: "read_file", Arguments: m{"agent_id": "alice", "path": "none.md"}},
	} {
		if _, err := session.CallTool(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 { // over the rate of the key
		status(t, web, "GET", url)
	}
	status(t, &http.Client{Transport: bearer{"sp_wrong", http.DefaultTransport}}, "GET", url)
	status(t, http.DefaultClient, "GET", strings.TrimSuffix(url, "/mcp")+"/") // a page
	var text string
	for began := time.Now(); !strings.Contains(text, "\nscratchpad_console_requests_total{") && time.Since(began) < time.Minute; time.Sleep(20 * time.Millisecond) { // a page counts after its answer
		var code int
		code, text = status(t, &http.Client{Transport: bearer{watcher, http.DefaultTransport}}, "GET", strings.TrimSuffix(url, "/mcp")+"/metrics")
		if code != http.StatusOK {
			t.Fatalf("GET /metrics with a key that has the scope = %d", code)
		}
	}
	p := expfmt.NewTextParser(names.LegacyValidation)
	all, err := p.TextToMetricFamilies(strings.NewReader(text))
	if err != nil || len(all) < 40 {
		t.Fatalf("the scrape has %d metrics, %v", len(all), err)
	}
	return all
}

// What the parts of the server count arrives in the scrape.
func TestServedMetrics(t *testing.T) {
	all := scrape(t)
	for _, c := range []struct {
		name, label string
		least, most float64
	}{
		{"scratchpad_connections", "", 1, 100},
		{"scratchpad_connections_accepted_total", "", 1, 100},
		{"scratchpad_rate_limited_total", "caller", 1, 10},
		{"scratchpad_rate_limited_total", "agent", 0, 0},
		{"scratchpad_failed_keys_total", "", 1, 1},
		{"scratchpad_http_calls", "", 0, 1},
		{"scratchpad_requests_total", "read_file", 1, 1},
		{"scratchpad_requests_total", "summarize_file", 1, 1},
		{"scratchpad_request_bytes_total", "", 20000, 200000},
		{"scratchpad_store_writes_total", "", 1, 100},
		{"scratchpad_store_read_only", "", 0, 0},
		{"scratchpad_memory_limit_bytes", "", 1 << 20, 1 << 30},
		{"scratchpad_panics_total", "", 0, 0},
		{"scratchpad_console_requests_total", "GET /{$}", 1, 1},
		{"scratchpad_console_pages", "", 0, 0},
	} {
		found := false
		for _, metric := range all[c.name].GetMetric() {
			fits := c.label == ""
			for _, l := range metric.Label {
				fits = fits || l.GetValue() == c.label
			}
			if !fits {
				continue
			}
			found = true
			if v := metric.GetCounter().GetValue() + metric.GetGauge().GetValue(); v < c.least || v > c.most {
				t.Errorf("%s of %q is %v, want %v to %v", c.name, c.label, v, c.least, c.most)
			}
		}
		if !found {
			t.Errorf("the scrape has no %s of %q", c.name, c.label)
		}
	}
}

// The guides name metrics that a server has.
func TestMetricsInGuides(t *testing.T) {
	series := seriesOf(scrape(t))
	pattern := regexp.MustCompile(`\bscratchpad_[a-z_]+[a-z]`)
	found := 0
	for _, name := range tracked(t) {
		if !strings.HasSuffix(name, ".md") || name == "CHANGELOG.md" {
			continue
		}
		for _, metric := range pattern.FindAllString(string(readFile(t, moduleFile(name).local())), -1) {
			found++
			if series[metric] == nil && series[metric+"_bucket"] == nil {
				t.Errorf("%s: a server has no metric %s", name, metric)
			}
		}
	}
	if found == 0 {
		t.Error("no guide names a metric")
	}
}

// seriesOf returns the labels of each series name of a scrape. Prometheus adds instance.
func seriesOf(all map[string]*dto.MetricFamily) map[string][]string {
	series := map[string][]string{}
	for name, f := range all {
		labels := []string{"instance", "job"}
		for _, l := range f.Metric[0].Label {
			labels = append(labels, l.GetName())
		}
		if f.GetType() == dto.MetricType_HISTOGRAM {
			series[name+"_bucket"] = append(labels, "le")
			series[name+"_sum"], series[name+"_count"] = labels, labels
			continue
		}
		series[name] = labels
	}
	return series
}

type dashboard struct {
	Templating struct {
		List []struct{ Name, Type, Query string }
	}
	Panels []struct {
		Type, Title string
		Targets     []struct{ Expr, LegendFormat string }
	}
}

func readDashboard(t *testing.T) (d dashboard, text []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d, text
}

// Every expression of the dashboard parses, and names metrics and labels that a scrape
// of a server has. Every metric of this project is in the dashboard.
func TestDashboardMetrics(t *testing.T) {
	all := scrape(t)
	series := seriesOf(all)
	used := map[string]bool{}
	d, text := readDashboard(t)
	expressions := 0
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			expressions++
			checkExpression(t, p.Title, target.Expr, target.LegendFormat, series, used)
		}
		if len(p.Targets) == 0 && p.Type != "row" {
			t.Errorf("%s shows nothing", p.Title)
		}
	}
	if expressions < 30 {
		t.Errorf("only %d expressions", expressions)
	}
	if q := "label_values(scratchpad_connections, instance)"; !strings.Contains(string(text), q) || series["scratchpad_connections"] == nil {
		t.Errorf("the variable instance is not %s", q)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		own := strings.HasPrefix(name, "scratchpad_")
		if own && !used[name] && !used[name+"_bucket"] && !used[name+"_count"] {
			t.Errorf("no panel shows %s", name)
		}
	}
}

// The guide for operators names metrics that there are.
func TestGuideMetrics(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "team-server.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := scrape(t)
	named := regexp.MustCompile("scratchpad_[a-z_]+").FindAllString(string(text), -1)
	if len(named) < 3 {
		t.Errorf("the guide names only %q", named)
	}
	for _, name := range named {
		if all[strings.TrimSuffix(name, "_bucket")] == nil {
			t.Errorf("there is no metric %s", name)
		}
	}
}

var variables = strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")

func checkExpression(t *testing.T, title, expr, legend string, series map[string][]string, used map[string]bool) {
	t.Helper()
	parsed, err := parser.ParseExpr(variables.Replace(expr))
	if err != nil {
		t.Errorf("%s: %s: %v", title, expr, err)
		return
	}
	var labels []string
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			labels, used[n.Name] = series[n.Name], true
			if labels == nil {
				t.Errorf("%s: a scrape has no %s", title, n.Name)
			}
			for _, m := range n.LabelMatchers {
				if m.Name != "__name__" && !slices.Contains(labels, m.Name) {
					t.Errorf("%s: %s has no label %s", title, n.Name, m.Name)
				}
			}
		}
		return nil
	})
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		if a, ok := n.(*parser.AggregateExpr); ok {
			for _, label := range a.Grouping {
				if !slices.Contains(labels, label) {
					t.Errorf("%s: there is no label %s to sum by", title, label)
				}
			}
		}
		return nil
	})
	if from, _, ok := strings.Cut(legend, "}}"); ok {
		if _, label, _ := strings.Cut(from, "{{"); !slices.Contains(labels, label) {
			t.Errorf("%s: the legend %s names no label", title, legend)
		}
	}
}

// The dashboard has the form of Grafana's own schema. TypeScript reports members that the
// schema does not have, and values of a wrong type.
func TestDashboardSchema(t *testing.T) {
	_, text := readDashboard(t)
	wrong := strings.NewReplacer(`"refresh"`, `"refreshes"`, `"schemaVersion": 42`, `"schemaVersion": "42"`, `"gridPos"`, `"gridPosition"`, `"type": "datasource"`, `"type": "data"`)
	for name, c := range map[string]struct {
		text string
		say  []string
	}{
		"Good":  {string(text), nil},
		"Wrong": {wrong.Replace(string(text)), []string{"refreshes", "'string' is not assignable to type 'number'", "gridPosition", `"data"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("node_modules", ".dashboard-")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			const how = `{"compilerOptions": {"noEmit": true, "strict": true, "skipLibCheck": true, "types": [], "module": "esnext", "moduleResolution": "bundler"}, "files": ["dashboard.ts"]}`
			source := "import type { Dashboard } from '../@grafana/schema/dist/types/raw/dashboard/x/types.gen';\nexport const dashboard: Dashboard = " + c.text
			for file, text := range map[string]string{"tsconfig.json": how, "dashboard.ts": source} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out, err := node(t, filepath.Join("node_modules", "typescript", "bin", "tsc"), "--project", dir).CombinedOutput()
			if (err == nil) != (c.say == nil) {
				t.Errorf("tsc: %v\n%.2000s", err, out)
			}
			for _, say := range c.say {
				if !strings.Contains(string(out), say) {
					t.Errorf("tsc does not say %q:\n%.4000s", say, out)
				}
			}
		})
	}
}

// traceHeader sets the trace context of each request.
type traceHeader string

func (h traceHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("traceparent", string(h))
	return http.DefaultTransport.RoundTrip(r)
}

// A collector decodes spans as that of OpenTelemetry does.
type collector struct {
	t *testing.T

	mu       sync.Mutex // guards the following
	spans    map[string]ptrace.Span
	resource string // the last one
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := ptraceotlp.NewExportRequest()
	if err == nil {
		err = request.UnmarshalProto(body)
	}
	if err != nil || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("the collector refuses %v, %v", r.Header, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rs := range request.Traces().ResourceSpans().All() {
		c.resource = fmt.Sprint(rs.Resource().Attributes().AsRaw())
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				c.spans[s.Name()] = s
			}
		}
	}
	answer, err := ptraceotlp.NewExportResponse().MarshalProto()
	if err != nil {
		c.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.Write(answer)
}

// The OpenTelemetry collector's own decoder reads the spans that the server sends.
func TestTracesForACollector(t *testing.T) {
	c := &collector{t: t, spans: map[string]ptrace.Span{}}
	endpoint := httptest.NewServer(c)
	t.Cleanup(endpoint.Close)
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	before := time.Now()
	tel := observed(t, endpoint.URL+"/v1/traces", traceHeader("00-"+trace+"-"+parent+"-01"))
	if err := tel.Close(t.Context()); err != nil {
		t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resource != "map[service.name:scratchpad zone:a]" {
		t.Errorf("the resource is %s", c.resource)
	}
	for name, kind := range map[string]ptrace.SpanKind{
		"write_file": ptrace.SpanKindServer, "summarize_file": ptrace.SpanKindServer, "read_file": ptrace.SpanKindServer,
		"workspace": ptrace.SpanKindInternal, "summarize": ptrace.SpanKindInternal, "store.update": ptrace.SpanKindClient, "store.view": ptrace.SpanKindClient,
	} {
		s, ok := c.spans[name]
		if !ok || s.Kind() != kind || s.TraceID().String() != trace || s.SpanID().IsEmpty() {
			t.Errorf("span %s: there %v, %+v", name, ok, s)
			continue
		}
		began, ended := s.StartTimestamp().AsTime(), s.EndTimestamp().AsTime()
		if began.Before(before.Add(-time.Second)) || ended.Before(began) || ended.After(time.Now().Add(time.Second)) {
			t.Errorf("span %s: from %v to %v", name, began, ended)
		}
	}
	read := c.spans["read_file"]
	if read.ParentSpanID().String() != parent || read.Status().Code() != ptrace.StatusCodeError || read.Status().Message() != "not_found" {
		t.Errorf("read_file: parent %s, status %v %q", read.ParentSpanID(), read.Status().Code(), read.Status().Message())
	}
	if tool, ok := read.Attributes().Get("scratchpad.tool"); !ok || tool.Str() != "read_file" {
		t.Errorf("read_file: attributes %v", read.Attributes().AsRaw())
	}
}
