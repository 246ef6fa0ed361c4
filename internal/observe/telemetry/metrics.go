package telemetry

import (
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/agent-scratchpad/scratchpad/internal/server/memorystores"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
)

const prefix = "scratchpad_" // of every metric of this program

// known are the values of the label tool: the tools and methods of MCP, and the routes of
// memory stores. All else is "other".
var known = slices.Concat(mcpserver.Operations(), memorystores.Operations(), []string{other})

const other = "other"

// seconds are the bounds of the histograms of calls.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// callMetrics are the metrics that calls push.
type callMetrics struct {
	requests          *prometheus.CounterVec
	took              *prometheus.HistogramVec
	bytesIn, bytesOut prometheus.Counter
	summaries         *prometheus.CounterVec
	tokens            prometheus.Counter
	summary           prometheus.Histogram
	visits            *prometheus.CounterVec
	visit             prometheus.Histogram
}

func newMetrics() *callMetrics {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Name: prefix + name, Help: help}
	}
	histogram := func(name, help string, buckets []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: buckets}
	}
	m := &callMetrics{
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
		m.took.WithLabelValues(name) // a tool that nobody has called has a count of 0
	}
	return m
}

// labelOf returns the label of a tool. Callers may name any.
func labelOf(tool string) string {
	if slices.Contains(known, tool) {
		return tool
	}
	return other
}

// Metrics returns the handler of /metrics. Two scrapes run at the same time; more get 503.
func (t *Telemetry) Metrics() http.Handler {
	m, all := t.m, prometheus.NewRegistry()
	all.MustRegister(m.requests, m.took, m.bytesIn, m.bytesOut, m.summaries, m.tokens, m.summary, m.visits, m.visit,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	register(all, t.o.HTTP, httpMetrics)
	register(all, t.o.MCP, mcpMetrics)
	register(all, t.o.Store, sqliteMetrics)
	register(all, t.o.Postgres, postgresMetrics)
	if t.tracer != nil {
		register(all, t.tracer.stats, traceMetrics)
	}
	return promhttp.HandlerFor(all, promhttp.HandlerOpts{MaxRequestsInFlight: 2,
		ErrorHandling: promhttp.ContinueOnError})
}
