package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func httpMetrics(s httpserver.Stats) []prometheus.Metric {
	const limited = "Requests over a rate: that of their caller, that of their agent, or the failed keys of their " +
		"address."
	return []prometheus.Metric{
		gauge("connections", "Open connections.", s.Connections),
		gauge("http_calls", "Requests to /mcp under way.", s.Calls),
		gauge("console_calls", "Requests to the console under way, without those for events.", s.Visits),
		gauge("console_pages", "Pages of the console that wait for changes.", s.Pages),
		count("connections_accepted_total", "Connections that were accepted.", s.Accepted),
		count("connections_refused_total", "Connections that were closed because there were too many.",
			s.ClosedForRoom),
		count("heads_refused_total",
			"Connections that were closed because too many heads of requests arrived at once.", s.RefusedHeads),
		countOf("rate_limited_total", "caller", limited, s.RefusedCallerRate),
		countOf("rate_limited_total", "agent", limited, s.RefusedAgentRate),
		countOf("rate_limited_total", "address", limited, s.RefusedBlocked),
		count("failed_keys_total", "Requests with a key or token that is wrong, has expired or was revoked.",
			s.FailedCredentials),
		count("panics_total", "Requests that ended in a panic.", s.Panics),
	}
}

func mcpMetrics(s mcpserver.Stats) []prometheus.Metric {
	return []prometheus.Metric{
		gauge("sessions", "Open sessions of MCP.", s.Sessions),
		gauge("calls", "Calls under way.", s.Calls),
		gauge("memory_bytes", "Bytes that calls hold.", s.Memory),
		gauge("memory_limit_bytes", "Bytes that all calls together may hold.", s.MemoryLimit),
		count("memory_refused_total", "Calls that were refused because there was no memory.", s.Refused),
	}
}

const (
	writesHelp = "Writes that were stored. Divided by store_commit_seconds_count: writes per commit."
	failedHelp = "Writes that ended in an error, those included that are tried again."
)

func sqliteMetrics(s sqlite.Stats) []prometheus.Metric {
	readOnly := 0
	if s.ReadOnly {
		readOnly = 1
	}
	return []prometheus.Metric{
		count("store_writes_total", writesHelp, s.Writes),
		count("store_failed_writes_total", failedHelp, s.Failed),
		gauge("store_queued_writes", "Writes that wait.", s.Queued),
		timing("store_commit_seconds", "Time of commits, from the begin of the transaction to the sync.", s.Commit),
		timing("store_turn_seconds", "Time that was waited for the turn to write, which another process had.", s.Turn),
		timing("store_checkpoint_seconds", "Time of checkpoints.", s.Checkpoint),
		gauge("store_wal_bytes", "Size of the write-ahead log.", s.LogBytes),
		gauge("store_read_only", "1 if the store takes no writes until the server is started again.", readOnly),
		gauge("store_readers", "The most connections for reading.", s.Readers),
		gauge("store_readers_busy", "Connections for reading that are in use.", s.ReadersBusy),
		count("store_reader_waits_total", "Reads that found no connection free.", s.ReaderWaits),
	}
}

// postgresMetrics begin with three that have the names and the meaning of those of SQLite.
func postgresMetrics(s postgres.Stats) []prometheus.Metric {
	return []prometheus.Metric{
		count("store_writes_total", writesHelp, s.Writes),
		count("store_failed_writes_total", failedHelp, s.Failed),
		timing("store_commit_seconds", "Time of commits, from sending the writes to the answer of the server.",
			s.Commit),
		count("store_retries_total", "Writes that ran again, because it was known that nothing had happened.", s.Again),
		gauge("store_writers", "Writes that have a connection or wait for one.", s.Writers),
		gauge("store_connections", "Open connections to the database.", s.Conns),
		gauge("store_connections_busy", "Connections to the database that are in use.", s.ConnsBusy),
		gauge("store_connections_limit", "The most connections to the database.", s.MaxConns),
		count("store_connection_waits_total", "Calls that found no connection to the database free.", s.Waits),
		count("store_connection_wait_seconds_total", "Time that calls waited for a connection to the database.",
			s.Waited.Seconds()),
	}
}

func traceMetrics(s traceStats) []prometheus.Metric {
	return []prometheus.Metric{
		count("spans_sent_total", "Spans of traces that were accepted by the endpoint.", s.sent),
		count("spans_dropped_total",
			"Spans of traces that were lost, because the endpoint was slow or refused them.", s.dropped),
	}
}

// A figure is a number of a part of the server.
type figure interface {
	int | int64 | uint64 | float64
}

func gauge[F figure](name, help string, value F) prometheus.Metric {
	return prometheus.MustNewConstMetric(describe(name, help, nil), prometheus.GaugeValue, float64(value))
}

func count[F figure](name, help string, value F) prometheus.Metric {
	return prometheus.MustNewConstMetric(describe(name, help, nil), prometheus.CounterValue, float64(value))
}

// countOf returns a counter with a value of the label of.
func countOf(name, of, help string, value int64) prometheus.Metric {
	d := describe(name, help, prometheus.Labels{"of": of})
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value))
}

func timing(name, help string, t store.Timing) prometheus.Metric {
	buckets := make(map[float64]uint64, len(t.Buckets))
	for _, b := range t.Buckets {
		buckets[b.AtMost.Seconds()] = uint64(b.Count)
	}
	return prometheus.MustNewConstHistogram(describe(name, help, nil), uint64(t.Count), t.Sum.Seconds(), buckets)
}

func describe(name, help string, labels prometheus.Labels) *prometheus.Desc {
	return prometheus.NewDesc(prefix+name, help, nil, labels)
}

// A part collects the metrics of one part of the server, all of one moment.
type part func() []prometheus.Metric

// register adds a part to all metrics. state is nil if there is no such part.
func register[S any](all *prometheus.Registry, state func() S, metrics func(S) []prometheus.Metric) {
	if state != nil {
		all.MustRegister(part(func() []prometheus.Metric { return metrics(state()) }))
	}
}

// Describe implements [prometheus.Collector]. Collect alone says which metrics there are.
func (p part) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (p part) Collect(to chan<- prometheus.Metric) {
	for _, m := range p() {
		to <- m
	}
}
