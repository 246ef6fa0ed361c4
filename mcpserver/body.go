package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	firstBytes    = 4 << 10          // of a body, which connections bound
	bodyTimeout   = 10 * time.Second // for a body to arrive, and a tenth more for each MiB that has
	answerTimeout = time.Minute      // for an answer to be taken, and a second more for each MiB
)

// A refusal is an HTTP error for a request that goes no further.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// readBody reads a whole body. What it holds grows with what has arrived, and
// waits where the bodies of others leave no room.
func readBody(w http.ResponseWriter, r *http.Request, a *arrival, timeout time.Duration) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, errTooLong
	}
	deadline := http.NewResponseController(w).SetReadDeadline // an error where the server has none
	defer deadline(time.Time{})                               // the call may take longer
	body := make([]byte, 0, firstBytes)
	allowed := time.Now().Add(timeout)
	for {
		if len(body) == cap(body) {
			start, more := time.Now(), min(len(body), maxBody+1-len(body))
			if err := a.grow(r.Context(), int64(more)); err != nil {
				return nil, &refusal{http.StatusServiceUnavailable, "the request was given up while it waited"}
			}
			allowed = allowed.Add(time.Since(start))
			body = append(make([]byte, 0, len(body)+more), body...)
		}
		arrived := time.Duration(len(body)>>20) * timeout / 10
		_ = deadline(allowed.Add(arrived))
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if begin := bytes.TrimLeft(body[:min(len(body), firstBytes)], " \t\r\n"); len(begin) > 0 && begin[0] == '[' {
			return nil, errBatch
		}
		switch {
		case len(body) > maxBody:
			return nil, errTooLong
		case err == io.EOF:
			return body, nil
		case err != nil:
			return nil, &refusal{http.StatusBadRequest, "the body did not arrive: " + err.Error()}
		}
	}
}

var (
	errTooLong = &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes", maxBody)}
	errBatch   = &refusal{http.StatusBadRequest, "send one message, no batch"}
)

// admitBodies reads the body of each request, refuses one that is no single message
// or that two decoders could read differently, and lets it on when there is memory
// for what it asks for. The charge is the request's until its answer is written.
func (s *Server) admitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := s.budget.open()
		defer c.leave()
		r = r.WithContext(context.WithValue(r.Context(), chargeKey{}, c))
		w = &timedWriter{w, c, s.limits.answer}
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		body, lasts, err := s.admitBody(w, r, c)
		if err != nil {
			refuse(w, err)
			return
		}
		if !lasts {
			if s.budget.calls.Acquire(r.Context(), 1) != nil {
				return // the client has left
			}
			defer s.budget.calls.Release(1)
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{bytes.NewReader(body), r.Body}
		next.ServeHTTP(w, r)
	})
}

type chargeKey struct{}

func chargeOf(ctx context.Context) *charge { return ctx.Value(chargeKey{}).(*charge) }

// admitBody returns the body when the charge has its weight. What the body held
// while it arrived is given back then. lasts says that the request asks for a stream
// of news without an end, which weighs nothing: connections bound those.
func (s *Server) admitBody(w http.ResponseWriter, r *http.Request, c *charge) (body []byte, lasts bool, err error) {
	a := &arrival{in: &s.budget.bodies}
	defer a.end()
	body, err = readBody(w, r, a, s.limits.body)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return body, false, err // the SDK says what is wrong with an empty one
	}
	m, bad := look(body)
	if bad != nil {
		return nil, false, &refusal{http.StatusBadRequest, bad.problem}
	}
	switch string(m.fields["method"]) {
	case `"notifications/initialized"`:
		s.completeHandshake(r.Context())
	case `"subscriptions/listen"`:
		if len(body) <= firstBytes {
			return body, true, nil
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
	defer cancel()
	if err := c.take(ctx, m.weight(len(body))); err != nil {
		return nil, false, &refusal{http.StatusServiceUnavailable, "too many large requests are under way; try again"}
	}
	return body, false, nil
}

// completeHandshake notes that the client of a session is ready. The SDK handles the
// notification only after the request has been answered, when nobody knows whose it is.
func (s *Server) completeHandshake(ctx context.Context) {
	if m, ok := ctx.Value(memberKey{}).(member); ok && m.session != nil {
		s.sessions.ready(m.session)
	}
}

func refuse(w http.ResponseWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		r = &refusal{http.StatusBadRequest, err.Error()}
	}
	if r.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, r.text, r.status)
}

// timedWriter gives a client that does not take its answer up after a time. When
// the answer is JSON, which is all of it at once, the charge falls to what it takes.
type timedWriter struct {
	http.ResponseWriter
	charge  *charge
	timeout time.Duration
}

// Unwrap is for [http.ResponseController].
func (t *timedWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Write implements [http.ResponseWriter].
func (t *timedWriter) Write(p []byte) (int, error) {
	allowed := t.timeout + time.Duration(len(p)>>20)*t.timeout/60
	_ = http.NewResponseController(t.ResponseWriter).SetWriteDeadline(time.Now().Add(allowed))
	if t.Header().Get("Content-Type") == "application/json" {
		t.charge.shrink(writtenWeight(len(p)))
	}
	return t.ResponseWriter.Write(p)
}
