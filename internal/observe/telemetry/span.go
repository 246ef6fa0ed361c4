package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// begin begins a span below the one of the context. Without traces it returns the context
// as it is. Only a call makes a span that is below no other.
func (t *Telemetry) begin(ctx context.Context, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	if t.tracer == nil || kind != trace.SpanKindServer && !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, noop.Span{}
	}
	return t.tracer.Start(ctx, name, trace.WithSpanKind(kind))
}

// end ends a span with the word for its error. The text of the error is not kept. A span that
// is ended by defer alone would keep the value of a panic.
func end(s trace.Span, err error) {
	if err != nil {
		s.SetStatus(codes.Error, outcomeOf(err))
	}
	s.End()
}

// label adds an attribute to a span, unless the value is empty.
func label(s trace.Span, name, value string) {
	if value != "" {
		s.SetAttributes(attribute.String(name, value))
	}
}

// Trace returns a handler that reads the trace context of each request, the header
// traceparent: https://www.w3.org/TR/trace-context/. Without traces it returns next. The
// header tracestate is not read: it is a text of the caller.
func (t *Telemetry) Trace(next http.Handler) http.Handler {
	if t.tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		carrier := propagation.MapCarrier{"traceparent": r.Header.Get("Traceparent")}
		next.ServeHTTP(w, r.WithContext(propagation.TraceContext{}.Extract(r.Context(), carrier)))
	})
}
