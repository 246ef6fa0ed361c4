package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxWaiting = 2048            // spans that wait or are being sent; more are dropped
	closeWait  = 2 * time.Second // the longest that Close takes
)

// wantsTraces reports whether the environment has an endpoint for traces. The error is
// [workspace.ErrInvalid]. It does not show the endpoint, which may contain a password.
func wantsTraces() (bool, error) {
	of := func(name string) string {
		return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	endpoint := of("ENDPOINT")
	if endpoint == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") ||
		os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false, nil
	}
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return false, workspace.Errorf(workspace.ErrInvalid,
			"the endpoint for traces is not a URL; give one such as http://localhost:4318 in "+
				"OTEL_EXPORTER_OTLP_ENDPOINT")
	}
	if p := of("PROTOCOL"); p != "" && p != "http/json" && p != "http/protobuf" {
		return false, workspace.Errorf(workspace.ErrInvalid,
			"OTEL_EXPORTER_OTLP_PROTOCOL is %.20q; traces are sent over HTTP only: set "+
				"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf and the endpoint for HTTP, which mostly has port "+
				"4318", p)
	}
	return true, nil
}

// A tracer makes spans, and sends them to the endpoint in the background. Nobody waits for
// it. It is an exporter and a processor that count.
type tracer struct {
	trace.Tracer
	sdktrace.SpanProcessor
	provider *sdktrace.TracerProvider
	exporter *otlptrace.Exporter
	log      *slog.Logger
	failing  atomic.Bool // the last spans were lost, and that was logged

	waiting, sent, dropped atomic.Int64 // spans
}

// traceStats are counters of spans.
type traceStats struct{ sent, dropped int64 }

func (t *tracer) stats() traceStats { return traceStats{t.sent.Load(), t.dropped.Load()} }

// newTracer returns a tracer with the options that the environment has. The library reads
// them.
func newTracer(log *slog.Logger) (*tracer, error) {
	otel.SetLogger(logr.Discard()) // it would show headers that are wrong, and they are secret
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn("traces", "cause",
			fmt.Sprintf("%.300s", err))
	}))
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, workspace.Errorf(workspace.ErrInvalid, "the variables OTEL_EXPORTER_OTLP_* for traces: %v", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "scratchpad")),
		resource.WithFromEnv())
	if err != nil {
		return nil, workspace.Errorf(workspace.ErrInvalid, "OTEL_RESOURCE_ATTRIBUTES: %v", err)
	}
	t := &tracer{exporter: exporter, log: log}
	t.SpanProcessor = sdktrace.NewBatchSpanProcessor(sending{t}, sdktrace.WithMaxQueueSize(maxWaiting))
	t.provider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(t), sdktrace.WithResource(about))
	t.Tracer = t.provider.Tracer("scratchpad")
	return t, nil
}

// OnEnd implements [sdktrace.SpanProcessor]. It takes a span, or drops it if too many wait.
func (t *tracer) OnEnd(s sdktrace.ReadOnlySpan) {
	if t.waiting.Add(1) > maxWaiting {
		t.waiting.Add(-1)
		t.dropped.Add(1)
		return
	}
	t.SpanProcessor.OnEnd(s)
}

// sending is the exporter of a tracer.
type sending struct{ t *tracer }

// ExportSpans implements [sdktrace.SpanExporter].
func (s sending) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	t, n := s.t, int64(len(spans))
	err := t.exporter.ExportSpans(ctx, spans)
	t.waiting.Add(-n)
	if err != nil {
		t.dropped.Add(n)
		if !t.failing.Swap(true) {
			t.log.Warn("traces are lost: the endpoint does not take them", "cause", fmt.Sprintf("%.300s", err))
		}
		return nil // it is logged
	}
	t.sent.Add(n)
	if t.failing.Swap(false) {
		t.log.Info("traces are sent again")
	}
	return nil
}

// Shutdown implements [sdktrace.SpanExporter].
func (s sending) Shutdown(ctx context.Context) error { return s.t.exporter.Shutdown(ctx) }

// close sends what waits, and gives up after two seconds or when ctx ends.
func (t *tracer) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	if t.provider.Shutdown(ctx) == nil {
		return nil
	}
	_ = t.exporter.Shutdown(ctx) // ends the request under way
	return workspace.Errorf(workspace.ErrBusy, "%d spans of traces were lost; look at the endpoint for traces",
		t.dropped.Load()+t.waiting.Load())
}
