package telemetry

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/memorystores"
	"github.com/agent-scratchpad/scratchpad/internal/promtext"
)

const prefix = "scratchpad_" // of every metric

// tools are the tools that package mcpserver knows.
var tools = []string{
	"append_log", "changes", "delete_file", "delete_log", "edit_file", "get_usage_stats", "list_files", "list_logs", "memory", "move_file",
	"read_file", "read_log", "search", "summarize_file", "write_file",
}

// operations are the routes of memory stores.
var operations = memorystores.Operations()

// known are the values of the label tool: the tools, the routes of memory stores, and the
// methods of MCP that package mcpserver knows. All else is "other".
var known = append(slices.Concat(tools, operations),
	"completion/complete", "initialize", "logging/setLevel", "ping", "prompts/get", "prompts/list", "resources/list", "resources/read",
	"resources/subscribe", "resources/templates/list", "resources/unsubscribe", "server/discover", "subscriptions/listen", "tools/list",
	other)

const other = "other"

// seconds are the bounds of the histograms of calls.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// callMetrics are the counters that calls push.
type callMetrics struct {
	tools             map[string]*toolMetrics // of all known tools; never changed
	bytesIn, bytesOut atomic.Int64
	summaries         tally
	tokens            atomic.Int64
	summary           *promtext.Timer
	visits            visits
	visit             *promtext.Timer
}

// toolMetrics are those of one tool.
type toolMetrics struct {
	name     string
	took     *promtext.Timer
	requests tally
}

// visits counts requests to the console. Its zero value is empty.
type visits struct {
	counts sync.Map // of *atomic.Int64, by visitKind
}

// A visitKind is a route of the console, of which there are a few, and a class of statuses.
type visitKind struct{ route, status string }

func (q *visits) add(kind visitKind) {
	n, ok := q.counts.Load(kind)
	if !ok {
		n, _ = q.counts.LoadOrStore(kind, new(atomic.Int64))
	}
	n.(*atomic.Int64).Add(1)
}

func (q *visits) series() (all []promtext.Series) {
	for kind, n := range q.counts.Range {
		k := kind.(visitKind)
		all = append(all, promtext.Series{Labels: promtext.Label("route", k.route) + "," + promtext.Label("status", k.status), Value: float64(n.(*atomic.Int64).Load())})
	}
	return all
}

// A tally counts how calls ended. Its zero value is empty.
type tally struct {
	counts sync.Map // of *atomic.Int64, by outcome
}

func (t *tally) add(outcome string) {
	n, ok := t.counts.Load(outcome)
	if !ok {
		n, _ = t.counts.LoadOrStore(outcome, new(atomic.Int64))
	}
	n.(*atomic.Int64).Add(1)
}

// series returns a series for each outcome. more are labels that all have, or "".
func (t *tally) series(more string) (all []promtext.Series) {
	for outcome, n := range t.counts.Range {
		all = append(all, promtext.Series{Labels: promtext.Label("outcome", outcome.(string)) + more, Value: float64(n.(*atomic.Int64).Load())})
	}
	return all
}

func newMetrics() *callMetrics {
	m := &callMetrics{tools: map[string]*toolMetrics{}, summary: promtext.NewTimer([]float64{.01, .1, .5, 1, 2.5, 5, 10, 30, 60, 180, 600}), visit: promtext.NewTimer(seconds)}
	for _, name := range known {
		m.tools[name] = &toolMetrics{name: name, took: promtext.NewTimer(seconds)}
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
	t.requests.add(outcome)
	t.took.Observe(took.Seconds())
}

// families returns all metrics of the moment.
func (t *Telemetry) families() []promtext.Family {
	m := t.m
	requests := family("requests_total", "Calls that have ended, by tool or method and by how they ended.", promtext.Counter)
	took := family("request_seconds", "Time of calls, until the answer was written.", promtext.Histogram)
	for _, tool := range m.tools {
		requests.Series = append(requests.Series, tool.requests.series(","+promtext.Label("tool", tool.name))...)
		took.Series = append(took.Series, tool.took.Series(promtext.Label("tool", tool.name)))
	}
	counter := func(name, help string, n *atomic.Int64) promtext.Family {
		return family(name, help, promtext.Counter, promtext.Series{Value: float64(n.Load())})
	}
	all := []promtext.Family{
		requests, took,
		counter("request_bytes_total", "Bytes of the requests of calls.", &m.bytesIn),
		counter("answer_bytes_total", "Bytes of the answers of calls.", &m.bytesOut),
		family("summaries_total", "Summaries that were made, or that failed, by how that ended. Summaries that were kept from before do not count.", promtext.Counter, m.summaries.series("")...),
		counter("summary_tokens_total", "Tokens that models read and wrote for summaries, also for those that failed.", &m.tokens),
		family("console_requests_total", "Requests to the console that have ended, by route and by class of status.", promtext.Counter, m.visits.series()...),
		family("console_request_seconds", "Time of requests to the console, without those for events.", promtext.Histogram, m.visit.Series("")),
		family("summary_seconds", "Time to make a summary.", promtext.Histogram, m.summary.Series("")),
	}
	all = append(all, partOf(httpNumbers, t.o.HTTP)...)
	all = append(all, partOf(mcpNumbers, t.o.MCP)...)
	all = append(all, partOf(storeNumbers, t.o.Store)...)
	all = append(all, partOf(postgresNumbers, t.o.Postgres)...)
	if t.tracer != nil {
		all = append(all, partOf(traceNumbers, t.tracer.stats)...)
	}
	return append(append(all, goFamilies()...), processFamilies()...)
}

func family(name, help string, kind promtext.Kind, series ...promtext.Series) promtext.Family {
	return promtext.Family{Name: prefix + name, Help: help, Kind: kind, Series: series}
}
