package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	names "github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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
	session := connect(t, streamable(url, web))
	use(t, session, "write_file", m{"agent_id": "alice", "path": "long.md", "content": strings.Repeat("# A title\n\nSome text below the title.\n\n", 1000)})
	use(t, session, "summarize_file", m{"agent_id": "alice", "path": "long.md"})
	use(t, session, "read_file", m{"agent_id": "alice", "path": "long.md"})
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
	for _, want := range []string{"\nscratchpad_failed_keys_total 1\n", `scratchpad_requests_total{outcome="ok",tool="read_file"} 1`} {
		if !strings.Contains(text, want) {
			t.Errorf("the scrape has no %s", want)
		}
	}
	p := expfmt.NewTextParser(names.LegacyValidation)
	all, err := p.TextToMetricFamilies(strings.NewReader(text))
	if err != nil || len(all) < 40 {
		t.Fatalf("the scrape has %d metrics, %v", len(all), err)
	}
	return all
}

// What the parts of the server count arrives in a scrape. The guides and the dashboard name
// metrics and labels that a scrape has.
func TestMetrics(t *testing.T) {
	all := scrape(t)
	t.Run("Guides", func(t *testing.T) { checkGuides(t, all) })
	t.Run("Dashboard", func(t *testing.T) { checkDashboard(t, all) })
}

func checkGuides(t *testing.T, all map[string]*dto.MetricFamily) {
	series := seriesOf(all)
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

// checkDashboard checks that every expression of the dashboard parses, and that the dashboard
// shows every metric of this project.
func checkDashboard(t *testing.T, all map[string]*dto.MetricFamily) {
	series := seriesOf(all)
	used := map[string]bool{}
	text := readFile(t, filepath.Join(root, "deploy", "grafana.json"))
	var d dashboard
	testkit.Must(t, json.Unmarshal(text, &d))
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
