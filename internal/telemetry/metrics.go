package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

const prefix = "scratchpad_" // of every metric

// known are the values of the label tool: the tools and the methods of MCP that package
// mcpserver knows. All else is "other".
var known = []string{
	"append_log", "changes", "delete_file", "delete_log", "edit_file", "get_usage_stats", "list_files", "list_logs", "move_file",
	"read_file", "read_log", "search", "summarize_file", "write_file",
	"completion/complete", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list", "resources/list", "resources/read",
	"resources/subscribe", "resources/templates/list", "resources/unsubscribe", "server/discover", "subscriptions/listen", "tools/list",
	other,
}

const other = "other"

// seconds are the bounds of the histograms of calls.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// metrics are the counters that calls push.
type metrics struct {
	requests  *prometheus.CounterVec
	took      *prometheus.HistogramVec
	tools     map[string]*toolMetrics // of all known tools; never changed
	bytesIn   prometheus.Counter
	bytesOut  prometheus.Counter
	summaries *prometheus.CounterVec
	tokens    prometheus.Counter
	summary   prometheus.Histogram
}

// toolMetrics are those of one tool.
type toolMetrics struct {
	name     string
	took     prometheus.Observer
	requests *prometheus.CounterVec // has the label outcome left
}

func newMetrics() metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: prefix + name, Help: help})
	}
	m := metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: prefix + "requests_total", Help: "Calls that have ended, by tool or method and by how they ended.",
		}, []string{"tool", "outcome"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: prefix + "request_seconds", Help: "Time of calls, until the answer was written.", Buckets: seconds,
		}, []string{"tool"}),
		tools:    map[string]*toolMetrics{},
		bytesIn:  counter("request_bytes_total", "Bytes of the requests of calls."),
		bytesOut: counter("answer_bytes_total", "Bytes of the answers of calls."),
		summaries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: prefix + "summaries_total", Help: "Summaries that were made, or that failed, by how that ended. Summaries that were kept from before do not count.",
		}, []string{"outcome"}),
		tokens: counter("summary_tokens_total", "Tokens that models read and wrote for summaries, also for those that failed."),
		summary: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: prefix + "summary_seconds", Help: "Time to make a summary.", Buckets: []float64{.01, .1, .5, 1, 2.5, 5, 10, 30, 60, 180, 600},
		}),
	}
	for _, name := range known {
		m.tools[name] = &toolMetrics{name, m.took.WithLabelValues(name), m.requests.MustCurryWith(prometheus.Labels{"tool": name})}
	}
	return m
}

// tool returns the metrics of a tool. Callers may name any.
func (m *metrics) tool(name string) *toolMetrics {
	if t, ok := m.tools[name]; ok {
		return t
	}
	return m.tools[other]
}

func (t *toolMetrics) ended(outcome string, took time.Duration) {
	t.requests.WithLabelValues(outcome).Inc()
	t.took.Observe(took.Seconds())
}

// register adds all metrics to a registry.
func (m *metrics) register(r *prometheus.Registry, o Options, t *tracer) {
	r.MustRegister(m.requests, m.took, m.bytesIn, m.bytesOut, m.summaries, m.tokens, m.summary)
	if o.HTTP != nil {
		r.MustRegister(partOf(httpNumbers, o.HTTP))
	}
	if o.MCP != nil {
		r.MustRegister(partOf(mcpNumbers, o.MCP))
	}
	if o.Store != nil {
		r.MustRegister(partOf(storeNumbers, o.Store))
	}
	if t != nil {
		r.MustRegister(partOf(traceNumbers, t.stats))
	}
	runtime := prometheus.WrapRegistererWithPrefix(prefix, r)
	runtime.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
}
