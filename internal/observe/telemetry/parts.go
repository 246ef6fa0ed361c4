package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A number is a metric that is read from the state S of a part of the server.
type number[S any] struct {
	name, help string
	kind       prometheus.ValueType
	label      string // the value of the label of, or ""
	value      func(S) float64
	timing     func(S) store.Timing // in place of value: a histogram
}

const (
	counts = prometheus.CounterValue
	gauges = prometheus.GaugeValue
)

var httpNumbers = []number[httpserver.Stats]{
	{name: "connections", help: "Open connections.", kind: gauges,
		value: func(s httpserver.Stats) float64 { return float64(s.Connections) }},
	{name: "http_calls", help: "Requests to /mcp under way.", kind: gauges,
		value: func(s httpserver.Stats) float64 { return float64(s.Calls) }},
	{name: "console_calls", help: "Requests to the console under way, without those for events.", kind: gauges,
		value: func(s httpserver.Stats) float64 { return float64(s.Visits) }},
	{name: "console_pages", help: "Pages of the console that wait for changes.", kind: gauges,
		value: func(s httpserver.Stats) float64 { return float64(s.Pages) }},
	{name: "connections_accepted_total", help: "Connections that were accepted.", kind: counts,
		value: func(s httpserver.Stats) float64 { return float64(s.Accepted) }},
	{name: "connections_refused_total", help: "Connections that were closed because there were too many.", kind: counts,
		value: func(s httpserver.Stats) float64 { return float64(s.ClosedForRoom) }},
	{name: "heads_refused_total", help: "Connections that were closed because too many heads of requests arrived at " +
		"once.", kind: counts, value: func(s httpserver.Stats) float64 { return float64(s.RefusedHeads) }},
	{name: "rate_limited_total", label: "caller", help: limited, kind: counts,
		value: func(s httpserver.Stats) float64 { return float64(s.RefusedCallerRate) }},
	{name: "rate_limited_total", label: "agent", help: limited, kind: counts,
		value: func(s httpserver.Stats) float64 { return float64(s.RefusedAgentRate) }},
	{name: "rate_limited_total", label: "address", help: limited, kind: counts,
		value: func(s httpserver.Stats) float64 { return float64(s.RefusedBlocked) }},
	{name: "failed_keys_total", help: "Requests with a key or token that is wrong, has expired or was revoked.",
		kind: counts, value: func(s httpserver.Stats) float64 { return float64(s.FailedCredentials) }},
	{name: "panics_total", help: "Requests that ended in a panic.", kind: counts,
		value: func(s httpserver.Stats) float64 { return float64(s.Panics) }},
}

const limited = "Requests over a rate: that of their caller, that of their agent, or the failed keys of their address."

var mcpNumbers = []number[mcpserver.Stats]{
	{name: "sessions", help: "Open sessions of MCP.", kind: gauges,
		value: func(s mcpserver.Stats) float64 { return float64(s.Sessions) }},
	{name: "calls", help: "Calls under way.", kind: gauges,
		value: func(s mcpserver.Stats) float64 { return float64(s.Calls) }},
	{name: "memory_bytes", help: "Bytes that calls hold.", kind: gauges,
		value: func(s mcpserver.Stats) float64 { return float64(s.Memory) }},
	{name: "memory_limit_bytes", help: "Bytes that all calls together may hold.", kind: gauges,
		value: func(s mcpserver.Stats) float64 { return float64(s.MemoryLimit) }},
	{name: "memory_refused_total", help: "Calls that were refused because there was no memory.", kind: counts,
		value: func(s mcpserver.Stats) float64 { return float64(s.Refused) }},
}

var storeNumbers = []number[sqlite.Stats]{
	{name: "store_writes_total", help: "Writes that were stored. Divided by store_commit_seconds_count: writes per " +
		"commit.", kind: counts, value: func(s sqlite.Stats) float64 { return float64(s.Writes) }},
	{name: "store_failed_writes_total", help: "Writes that ended in an error, those included that are tried again.",
		kind: counts, value: func(s sqlite.Stats) float64 { return float64(s.Failed) }},
	{name: "store_queued_writes", help: "Writes that wait.", kind: gauges,
		value: func(s sqlite.Stats) float64 { return float64(s.Queued) }},
	{name: "store_commit_seconds", help: "Time of commits, from the begin of the transaction to the sync.",
		timing: func(s sqlite.Stats) store.Timing { return s.Commit }},
	{name: "store_turn_seconds", help: "Time that was waited for the turn to write, which another process had.",
		timing: func(s sqlite.Stats) store.Timing { return s.Turn }},
	{name: "store_checkpoint_seconds", help: "Time of checkpoints.",
		timing: func(s sqlite.Stats) store.Timing { return s.Fold }},
	{name: "store_wal_bytes", help: "Size of the write-ahead log.", kind: gauges,
		value: func(s sqlite.Stats) float64 { return float64(s.LogBytes) }},
	{name: "store_read_only", help: "1 if the store takes no writes until the server is started again.", kind: gauges,
		value: func(s sqlite.Stats) float64 { return truth(s.ReadOnly) }},
	{name: "store_readers", help: "The most connections for reading.", kind: gauges,
		value: func(s sqlite.Stats) float64 { return float64(s.Readers) }},
	{name: "store_readers_busy", help: "Connections for reading that are in use.", kind: gauges,
		value: func(s sqlite.Stats) float64 { return float64(s.ReadersBusy) }},
	{name: "store_reader_waits_total", help: "Reads that found no connection free.", kind: counts,
		value: func(s sqlite.Stats) float64 { return float64(s.ReaderWaits) }},
}

// The first three have the names and the meaning of those of SQLite.
var postgresNumbers = []number[postgres.Stats]{
	{name: "store_writes_total", help: "Writes that were stored. Divided by store_commit_seconds_count: writes per " +
		"commit.", kind: counts, value: func(s postgres.Stats) float64 { return float64(s.Writes) }},
	{name: "store_failed_writes_total", help: "Writes that ended in an error, those included that are tried again.",
		kind: counts, value: func(s postgres.Stats) float64 { return float64(s.Failed) }},
	{name: "store_commit_seconds", help: "Time of commits, from sending the writes to the answer of the server.",
		timing: func(s postgres.Stats) store.Timing { return s.Commit }},
	{name: "store_retries_total", help: "Writes that ran again, because it was known that nothing had happened.",
		kind: counts, value: func(s postgres.Stats) float64 { return float64(s.Again) }},
	{name: "store_writers", help: "Writes that have a connection or wait for one.", kind: gauges,
		value: func(s postgres.Stats) float64 { return float64(s.Writers) }},
	{name: "store_connections", help: "Open connections to the database.", kind: gauges,
		value: func(s postgres.Stats) float64 { return float64(s.Conns) }},
	{name: "store_connections_busy", help: "Connections to the database that are in use.", kind: gauges,
		value: func(s postgres.Stats) float64 { return float64(s.ConnsBusy) }},
	{name: "store_connections_limit", help: "The most connections to the database.", kind: gauges,
		value: func(s postgres.Stats) float64 { return float64(s.MaxConns) }},
	{name: "store_connection_waits_total", help: "Calls that found no connection to the database free.", kind: counts,
		value: func(s postgres.Stats) float64 { return float64(s.Waits) }},
	{name: "store_connection_wait_seconds_total", help: "Time that calls waited for a connection to the database.",
		kind: counts, value: func(s postgres.Stats) float64 { return s.Waited.Seconds() }},
}

var traceNumbers = []number[traceStats]{
	{name: "spans_sent_total", help: "Spans of traces that were accepted by the endpoint.", kind: counts,
		value: func(s traceStats) float64 { return float64(s.sent) }},
	{name: "spans_dropped_total", help: "Spans of traces that were lost, because the endpoint was slow or refused them.", kind: counts, value: func(s traceStats) float64 { return float64(s.dropped) }},
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// A part collects the numbers of one part of the server, all of one moment.
type part[S any] struct {
	numbers []number[S]
	descs   []*prometheus.Desc // of the numbers
	state   func() S
}

// register adds the numbers of a part to all metrics. state is nil if there is no such part.
func register[S any](all *prometheus.Registry, numbers []number[S], state func() S) {
	if state == nil {
		return
	}
	p := part[S]{numbers: numbers, state: state}
	for _, n := range numbers {
		var labels prometheus.Labels
		if n.label != "" {
			labels = prometheus.Labels{"of": n.label}
		}
		p.descs = append(p.descs, prometheus.NewDesc(prefix+n.name, n.help, nil, labels))
	}
	all.MustRegister(p)
}

// Describe implements [prometheus.Collector].
func (p part[S]) Describe(to chan<- *prometheus.Desc) {
	for _, d := range p.descs {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (p part[S]) Collect(to chan<- prometheus.Metric) {
	now := p.state()
	for i, n := range p.numbers {
		if n.timing == nil {
			to <- prometheus.MustNewConstMetric(p.descs[i], n.kind, n.value(now))
			continue
		}
		t := n.timing(now)
		buckets := make(map[float64]uint64, len(t.Buckets))
		for _, b := range t.Buckets {
			buckets[b.AtMost.Seconds()] = uint64(b.Count)
		}
		to <- prometheus.MustNewConstHistogram(p.descs[i], uint64(t.Count), t.Sum.Seconds(), buckets)
	}
}
