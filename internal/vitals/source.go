package vitals

import (
	"runtime"
	"runtime/metrics"

	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/meter"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// The units of figures. A number of things has none.
const (
	perSecond = "/s"
	seconds   = "s"
	bytes     = "B"
	things    = ""
)

// A source is where the readings of a series come from.
type source struct {
	name, unit string
	kind       kind
	read       func() reading
}

// sourcesOf returns what a page shows of a server: first what its callers see, then the
// store, then the process.
func sourcesOf(o Options) []source {
	var all []source
	if o.Tools != nil {
		all = append(all, rate("Calls of tools", func() float64 { return float64(o.Tools().Count) }), times("Time of a call (99 of 100)", o.Tools))
	}
	if o.HTTP != nil {
		all = append(all, httpSources(o.HTTP)...)
	}
	if o.MCP != nil {
		all = append(all, mcpSources(o.MCP)...)
	}
	switch s := o.Store.(type) {
	case *sqlite.Store:
		all = append(all, sqliteSources(s.Stats)...)
	case *postgres.Store:
		all = append(all, postgresSources(s.Stats)...)
	}
	memory := func() float64 {
		if o.Memory != nil {
			if n := o.Memory(); n > 0 {
				return n
			}
		}
		return goMemory()
	}
	return append(all, level("Memory of the process", bytes, memory),
		level("Goroutines", things, func() float64 { return float64(runtime.NumGoroutine()) }))
}

func httpSources(stats func() httpserver.Stats) []source {
	return []source{
		level("Connections", things, func() float64 { return float64(stats().Connections) }),
		rate("Refused by a rate", func() float64 {
			s := stats()
			return float64(s.RefusedCallerRate + s.RefusedAgentRate + s.RefusedBlocked)
		}),
		rate("Wrong keys", func() float64 { return float64(stats().FailedCredentials) }),
	}
}

func mcpSources(stats func() mcpserver.Stats) []source {
	return []source{
		level("Sessions", things, func() float64 { return float64(stats().Sessions) }),
		level("Memory of calls", bytes, func() float64 { return float64(stats().Memory) }),
	}
}

func sqliteSources(stats func() sqlite.Stats) []source {
	return []source{
		rate("Writes", func() float64 { return float64(stats().Writes) }),
		times("Time of a commit (99 of 100)", func() meter.Timing { return stats().Commit }),
		level("Writes that wait", things, func() float64 { return float64(stats().Queued) }),
		level("Write-ahead log", bytes, func() float64 { return float64(stats().LogBytes) }),
		level("Readers in use", things, func() float64 { return float64(stats().ReadersBusy) }),
	}
}

func postgresSources(stats func() postgres.Stats) []source {
	return []source{
		rate("Writes", func() float64 { return float64(stats().Writes) }),
		times("Time of a commit (99 of 100)", func() meter.Timing { return stats().Commit }),
		level("Writers", things, func() float64 { return float64(stats().Writers) }),
		level("Connections to the database in use", things, func() float64 { return float64(stats().ConnsBusy) }),
		rate("Waits for a connection to the database", func() float64 { return float64(stats().Waits) }),
	}
}

func level(name, unit string, value func() float64) source {
	return source{name, unit, gauge, func() reading { return reading{number: value()} }}
}

func rate(name string, value func() float64) source {
	return source{name, perSecond, counter, func() reading { return reading{number: value()} }}
}

func times(name string, value func() meter.Timing) source {
	return source{name, seconds, latency, func() reading { return reading{timing: value()} }}
}

// goMemory returns the memory that the Go runtime has from the system, in bytes.
func goMemory() float64 {
	all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(all)
	return float64(all[0].Value.Uint64() - all[1].Value.Uint64())
}
