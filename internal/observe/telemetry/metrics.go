package telemetry

import (
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/agent-scratchpad/scratchpad/internal/server/memorystores"
)

const prefix = "scratchpad_" // of every metric of this program

// tools are the tools that package mcpserver knows.
var tools = []string{
	"append_log", "changes", "delete_file", "delete_log", "edit_file", "get_usage_stats", "list_files", "list_logs",
	"memory", "move_file",
	"read_file", "read_log", "search", "summarize_file", "write_file",
}

// operations are the routes of memory stores.
var operations = memorystores.Operations()

// known are the values of the label tool: the tools, the routes of memory stores, and the
// methods of MCP that package mcpserver knows. All else is "other".
var known = append(slices.Concat(tools, operations),
	"completion/complete", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list", "resources/list",
	"resources/read",
	"resources/subscribe", "resources/templates/list", "resources/unsubscribe", "server/discover",
	"subscriptions/listen", "tools/list",
	other)

const other = "other"

// seconds are the bounds of the histograms of calls.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// callMetrics are the metrics that calls push.
type callMetrics struct {
	tools             map[string]*toolMetrics // of all known tools; never changed
	requests          *prometheus.CounterVec
	took              *prometheus.HistogramVec
	bytesIn, bytesOut prometheus.Counter
	summaries         *prometheus.CounterVec
	tokens            prometheus.Counter
	summary           prometheus.Histogram
	visits            *prometheus.CounterVec
	visit             prometheus.Histogram
}

// toolMetrics are those of one tool.
type toolMetrics struct {
	name     string
	took     prometheus.Observer
	requests *prometheus.CounterVec // has the label outcome left
}

func newMetrics() *callMetrics {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Name: prefix + name, Help: help}
	}
	histogram := func(name, help string, buckets []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: buckets}
	}
	m := &callMetrics{
		tools: map[string]*toolMetrics{},
		requests: prometheus.NewCounterVec(counter("requests_total",
			"Calls that have ended, by tool or method and by how they ended."), []string{"tool", "outcome"}),
		took: prometheus.NewHistogramVec(histogram("request_seconds",
			"Time of calls, until the answer was written.", seconds), []string{"tool"}),
		bytesIn:  prometheus.NewCounter(counter("request_bytes_total", "Bytes of the requests of calls.")),
		bytesOut: prometheus.NewCounter(counter("answer_bytes_total", "Bytes of the answers of calls.")),
		summaries: prometheus.NewCounterVec(counter("summaries_total",
			"Summaries that were made, or that failed, by how that ended. Summaries that were kept from before do "+
				"not count."), []string{"outcome"}),
		tokens: prometheus.NewCounter(counter("summary_tokens_total",
			"Tokens that models read and wrote for summaries, also for those that failed.")),
		summary: prometheus.NewHistogram(histogram("summary_seconds", "Time to make a summary.",
			[]float64{.01, .1, .5, 1, 2.5, 5, 10, 30, 60, 180, 600})),
		visits: prometheus.NewCounterVec(counter("console_requests_total",
			"Requests to the console that have ended, by route and by class of status."), []string{"route", "status"}),
		visit: prometheus.NewHistogram(histogram("console_request_seconds",
			"Time of requests to the console, without those for events.", seconds)),
	}
	for _, name := range known {
		m.tools[name] = &toolMetrics{name, m.took.WithLabelValues(name),
			m.requests.MustCurryWith(prometheus.Labels{"tool": name})}
	}
	return m
}

// tool returns the metrics of a tool. Callers may name any.
func (m *callMetrics) tool(name string) *toolMetrics {
	if t, ok := m.tools[name]; ok {
		return t
	}
	return m.tools[other]
}

func (t *toolMetrics) ended(outcome string, took time.Duration) {
	t.requests.WithLabelValues(outcome).Inc()
	t.took.Observe(took.Seconds())
}

// Metrics returns the handler of /metrics. Two scrapes run at the same time; more get 503.
func (t *Telemetry) Metrics() http.Handler {
	m, all := t.m, prometheus.NewRegistry()
	all.MustRegister(m.requests, m.took, m.bytesIn, m.bytesOut, m.summaries, m.tokens, m.summary, m.visits, m.visit,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	register(all, httpNumbers, t.o.HTTP)
	register(all, mcpNumbers, t.o.MCP)
	register(all, storeNumbers, t.o.Store)
	register(all, postgresNumbers, t.o.Postgres)
	if t.tracer != nil {
		register(all, traceNumbers, t.tracer.stats)
	}
	return promhttp.HandlerFor(all, promhttp.HandlerOpts{MaxRequestsInFlight: 2,
		ErrorHandling: promhttp.ContinueOnError})
}
