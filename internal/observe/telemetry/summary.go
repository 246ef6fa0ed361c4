package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Summarizer returns a Summarizer that counts what s does. It returns nil for nil.
func (t *Telemetry) Summarizer(s *workspace.Summarizer) *workspace.Summarizer {
	if s == nil {
		return nil
	}
	counted := *s
	counted.Summarize = func(ctx context.Context, r workspace.SummaryRequest) (text workspace.SummaryText, err error) {
		began := time.Now()
		ctx, span := t.begin(ctx, "summarize", trace.SpanKindInternal)
		outcome := "internal" // of a panic, which goes on to the caller
		defer func() {
			t.m.summaries.WithLabelValues(outcome).Inc()
			t.m.summary.Observe(time.Since(began).Seconds())
			t.m.tokens.Add(float64(max(text.Spent, 0)))
			end(span, err)
		}()
		text, err = s.Summarize(ctx, r)
		outcome = outcomeOf(err)
		return text, err
	}
	return &counted
}
