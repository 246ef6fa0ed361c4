package telemetry

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The kinds of a span, as OTLP numbers them.
const (
	kindInternal = 1
	kindServer   = 2
	kindClient   = 3
)

// place says where in a trace something happens.
type place struct {
	trace [16]byte
	span  [8]byte // the zero value: nothing of the trace is known yet
}

// A span is a part of a call. nil is a span that nobody wants.
type span struct {
	t      *tracer
	at     place
	parent [8]byte
	name   string
	kind   int
	began  time.Time

	mu         sync.Mutex // guards the following
	attributes [][2]string
	ended      time.Time // zero: it has not
	failed     string    // the word for its error; "": it went well
}

type placeKey struct{}

// notTraced is the place of a call that is not traced. So its parts are not traced either.
var notTraced = &place{}

// begin begins a span below the one of the context. Without traces it returns the context
// as it is.
func (t *Telemetry) begin(ctx context.Context, name string, kind int) (context.Context, *span) {
	if t.tracer == nil {
		return ctx, nil
	}
	above, _ := ctx.Value(placeKey{}).(*place)
	if above == notTraced || above == nil && kind != kindServer {
		return ctx, nil
	}
	if above == nil && !t.tracer.chosen() {
		return context.WithValue(ctx, placeKey{}, notTraced), nil
	}
	s := &span{t: t.tracer, name: name, kind: kind, began: time.Now()}
	if above != nil {
		s.at.trace, s.parent = above.trace, above.span
	} else {
		binary.BigEndian.PutUint64(s.at.trace[:], rand.Uint64()|1) // never all zero
		binary.BigEndian.PutUint64(s.at.trace[8:], rand.Uint64())
	}
	binary.BigEndian.PutUint64(s.at.span[:], rand.Uint64()|1)
	return context.WithValue(ctx, placeKey{}, &s.at), s
}

// chosen reports whether a call is traced whose caller does not say.
func (t *tracer) chosen() bool {
	return t.o.Ratio == 0 || rand.Float64() < t.o.Ratio
}

// add adds an attribute, unless it is empty.
func (s *span) add(name, value string) {
	if s == nil || value == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attributes = append(s.attributes, [2]string{name, value})
}

// end ends the span and hands it over. The text of the error is not kept.
func (s *span) end(err error) {
	if s == nil {
		return
	}
	s.mu.Lock()
	if !s.ended.IsZero() {
		s.mu.Unlock()
		return
	}
	s.ended = s.began.Add(time.Since(s.began)) // by the clock that is never set
	if err != nil {
		s.failed = outcomeOf(err)
	}
	s.mu.Unlock()
	s.t.take(s)
}

// Trace returns a handler that reads the trace context of each request, the header
// traceparent: https://www.w3.org/TR/trace-context/. Without traces it returns next. A
// header that is wrong is not looked at.
func (t *Telemetry) Trace(next http.Handler) http.Handler {
	if t.tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if values := r.Header.Values("Traceparent"); len(values) == 1 {
			if p := parsePlace(values[0]); p != nil {
				r = r.WithContext(context.WithValue(r.Context(), placeKey{}, p))
			}
		}
		next.ServeHTTP(w, r)
	})
}

// parsePlace reads a traceparent. It returns nil for a wrong one, and notTraced if the
// caller does not record the trace.
func parsePlace(s string) *place {
	if len(s) < 55 || len(s) > 512 || s[2] != '-' || s[35] != '-' || s[52] != '-' || strings.ToLower(s) != s {
		return nil
	}
	var version, flags [1]byte
	var p place
	for _, part := range []struct {
		to   []byte
		text string
	}{{version[:], s[:2]}, {p.trace[:], s[3:35]}, {p.span[:], s[36:52]}, {flags[:], s[53:55]}} {
		if _, err := hex.Decode(part.to, []byte(part.text)); err != nil {
			return nil
		}
	}
	switch {
	case version[0] == 0xff, version[0] == 0 && len(s) != 55, len(s) > 55 && s[55] != '-': // later versions may add parts
		return nil
	case p.trace == [16]byte{}, p.span == [8]byte{}:
		return nil
	case flags[0]&1 == 0:
		return notTraced
	}
	return &p
}
