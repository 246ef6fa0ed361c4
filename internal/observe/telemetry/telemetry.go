package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// Options of [New]. The zero value works.
type Options struct {
	Calls  *slog.Logger // gets a line for each call; nil: no lines
	Logger *slog.Logger // gets trouble with sending traces; nil: slog.Default

	// RequestID returns the number of the request of a context, for the log; nil: none.
	RequestID func(context.Context) string

	// These return the numbers of the parts of a server. They are asked at each scrape, by
	// many goroutines, and must be quick. nil: there is no such part.
	HTTP     func() httpserver.Stats
	MCP      func() mcpserver.Stats
	Store    func() sqlite.Stats
	Postgres func() postgres.Stats // in place of Store
}

// Telemetry observes one server. It is safe for concurrent use.
type Telemetry struct {
	o      Options
	m      *callMetrics
	tracer *tracer // nil: nobody wants traces
}

// New returns the observer of a server. Close ends it. Where traces go stands in the variables
// of OpenTelemetry, such as OTEL_EXPORTER_OTLP_ENDPOINT. Without an endpoint there are none.
// The error is [workspace.ErrInvalid] for variables that cannot be used.
func New(o Options) (*Telemetry, error) {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	t := &Telemetry{o: o, m: newMetrics()}
	wanted, err := wantsTraces()
	if wanted {
		t.tracer, err = newTracer(o.Logger)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Close sends the spans that wait, for two seconds at most, or until ctx ends. Spans of
// calls that end later are lost.
func (t *Telemetry) Close(ctx context.Context) error {
	if t.tracer == nil {
		return nil
	}
	return t.tracer.close(ctx)
}

// Around is for [mcpserver.Options].Around. It counts each call, logs it, and makes its
// first span.
func (t *Telemetry) Around(ctx context.Context, c mcpserver.Call) (context.Context, func(mcpserver.Outcome)) {
	began := time.Now()
	tool := labelOf(c.Tool)
	ctx, span := t.begin(ctx, tool, trace.SpanKindServer)
	return ctx, func(o mcpserver.Outcome) {
		outcome, took := outcomeOf(o.Err), time.Since(began)
		t.m.requests.WithLabelValues(tool, outcome).Inc()
		t.m.took.WithLabelValues(tool).Observe(took.Seconds())
		t.m.bytesIn.Add(float64(o.BytesIn))
		t.m.bytesOut.Add(float64(o.BytesOut))
		caller, _ := auth.FromContext(ctx)
		agent := agentOf(c, caller)
		label(span, "scratchpad.tool", tool)
		label(span, "scratchpad.outcome", outcome)
		label(span, "scratchpad.tenant", caller.Tenant)
		label(span, "scratchpad.agent", agent)
		end(span, o.Err)
		if t.o.Calls != nil && t.o.Calls.Enabled(ctx, slog.LevelInfo) {
			t.log(ctx, caller, agent, tool, outcome, took, o)
		}
	}
}

// Visited is for [httpserver.Options].Visited. It counts each request to the console, and
// logs it: what the client chose itself is not in it.
func (t *Telemetry) Visited(ctx context.Context, v httpserver.Visit) {
	route := cmp.Or(v.Route, other)
	t.m.visits.WithLabelValues(route, fmt.Sprintf("%dxx", v.Status/100)).Inc()
	if !v.Stream {
		t.m.visit.Observe(v.Took.Seconds())
	}
	if t.o.Calls == nil || !t.o.Calls.Enabled(ctx, slog.LevelInfo) {
		return
	}
	t.o.Calls.LogAttrs(ctx, slog.LevelInfo, "page",
		slog.String("request", t.request(ctx)), slog.String("key", v.Key), slog.String("route", route),
		slog.Int("status", v.Status), slog.Float64("ms", float64(v.Took.Microseconds())/1000))
}

// request returns the number of the request of a context, or "".
func (t *Telemetry) request(ctx context.Context) string {
	if t.o.RequestID == nil {
		return ""
	}
	return t.o.RequestID(ctx)
}

// AroundWork is for [mcpserver.Options].AroundWork. It makes the span of the workspace.
func (t *Telemetry) AroundWork(ctx context.Context, c mcpserver.Call) (context.Context, func(error)) {
	ctx, span := t.begin(ctx, "workspace", trace.SpanKindInternal)
	return ctx, func(err error) { end(span, err) }
}

// log writes the line of a call. Whatever the caller chose itself is left out: only names
// that were found valid are in it.
func (t *Telemetry) log(ctx context.Context, caller auth.Caller, agent, tool, outcome string, took time.Duration,
	o mcpserver.Outcome) {
	t.o.Calls.LogAttrs(ctx, slog.LevelInfo, "call",
		slog.String("request", t.request(ctx)), slog.String("key", caller.Key), slog.String("tenant",
			caller.Tenant), slog.String("agent", agent),
		slog.String("tool", tool), slog.String("outcome", outcome), slog.Float64("ms",
			float64(took.Microseconds())/1000),
		slog.Int64("bytes_in", o.BytesIn), slog.Int64("bytes_out", o.BytesOut))
}

// agentOf returns the agent of a call: the one that it names, or the only one of its caller.
func agentOf(c mcpserver.Call, caller auth.Caller) string {
	if c.AgentID != "" {
		return c.AgentID
	}
	agent, _ := caller.Agents.Only()
	return agent
}

// outcomeOf returns the word for how a call ended. There are not more than 17.
func outcomeOf(err error) string {
	var busy *mcpserver.Busy
	switch k := errorkind.Of(err); {
	case err == nil:
		return "ok"
	case errors.As(err, &busy):
		return "rate_limited"
	case k.Name != "":
		return k.Name
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "busy"
	}
	return "internal"
}
