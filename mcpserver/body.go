package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/arrival"
	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/plain"
)

const (
	largeBody     = 4 << 20          // from here on garbage is collected before a body's memory grows
	firstBytes    = 4 << 10          // of a body, read without asking the budget; the number of connections limits them
	bodyTimeout   = 10 * time.Second // for a body to arrive, and a tenth of it more for each MiB that has arrived
	answerTimeout = time.Minute      // for a client to take an answer, and a second more for each MiB
)

// A refusal is the HTTP error that answers a request at once.
type refusal struct {
	status int
	text   string
	id     json.RawMessage // of the request, for an error of JSON-RPC; nil: plain text
	after  int64           // seconds until the client may try again; 0: not told
	cause  error           // what [Outcome] says; nil: what the status says
}

func (r *refusal) Error() string { return r.text }

// readBody reads a whole body. Its memory grows with the bytes that have arrived. It
// waits while other bodies take all the memory for bodies.
func readBody(w http.ResponseWriter, r *http.Request, a *arrival.Body, timeout time.Duration) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, errTooLong
	}
	if r.Body == nil {
		return nil, nil
	}
	deadline := http.NewResponseController(w).SetReadDeadline // fails if the server has no deadlines
	defer deadline(time.Time{})                               // the call may take longer
	first := int64(firstBytes / 4)                            // most calls are shorter
	if r.ContentLength >= 0 {
		first = min(first, r.ContentLength+1) // one more for the end
	}
	body := make([]byte, 0, first)
	allowed := time.Now().Add(timeout)
	for {
		if len(body) == cap(body) && len(body) < firstBytes {
			body = append(make([]byte, 0, firstBytes), body...)
		} else if len(body) == cap(body) {
			start, more := time.Now(), min(len(body), maxBody+1-len(body))
			if err := a.Grow(r.Context(), int64(more)); err != nil {
				return nil, errGivenUp
			}
			if len(body) >= largeBody {
				runtime.GC() // the arrays before it are garbage that nobody weighs
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
			return nil, notArrived(err)
		}
	}
}

var (
	errTooLong = &refusal{status: http.StatusRequestEntityTooLarge, text: fmt.Sprintf("the body is longer than %d bytes", maxBody)}
	errBatch   = &refusal{status: http.StatusBadRequest, text: "send one message, no batch"}
	errGivenUp = &refusal{status: http.StatusServiceUnavailable, text: "the request was given up while it waited", cause: errLeft}
)

// notArrived says why a body did not arrive. It does not repeat the error, which names
// addresses of the machine.
func notArrived(err error) error {
	text := "the body did not arrive as a whole; send the request again"
	if errors.Is(err, os.ErrDeadlineExceeded) {
		text = "the body did not arrive in time; send the request again"
	}
	return &refusal{status: http.StatusBadRequest, text: text}
}

// skipBody reads a body that has no meaning and drops it. While a body is unread, the
// HTTP server does not notice that the client hangs up.
func skipBody(w http.ResponseWriter, r *http.Request, timeout time.Duration) error {
	if r.Body != nil && r.ContentLength != 0 {
		deadline := http.NewResponseController(w).SetReadDeadline
		_ = deadline(time.Now().Add(timeout))
		defer deadline(time.Time{})
		n, err := io.Copy(io.Discard, io.LimitReader(r.Body, maxBody+1))
		if err != nil {
			return notArrived(err)
		}
		if n > maxBody {
			return errTooLong
		}
	}
	r.Body, r.ContentLength = http.NoBody, 0
	return nil
}

// admitBody reads the body of a request. It refuses a body that is not one message, or
// that two decoders could read differently. It returns when the request has a place
// among the calls and its charge has the body's weight; leave gives the place back. A
// request for an endless stream of events takes neither: the number of connections
// limits those.
func (s *Server) admitBody(w http.ResponseWriter, r *http.Request, q *request) (leave func(), err error) {
	leave = func() {}
	if r.Method != http.MethodPost {
		return leave, skipBody(w, r, s.limits.body)
	}
	a := s.budget.arrival(r.ContentLength, s.group(q.client))
	defer a.End()
	body, err := readBody(w, r, a, s.limits.body)
	if err != nil {
		return leave, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		r.Body = http.NoBody // the SDK answers with the error
		return leave, nil
	}
	m, bad := inspect(body)
	if bad != nil {
		return leave, &refusal{status: http.StatusBadRequest, text: bad.problem}
	}
	q.message = m
	if err := s.admit(q.client, m, len(body), q.charge); err != nil {
		return leave, err
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(body), r.Body}
	switch {
	case m.method == "notifications/initialized" && q.session != nil:
		// The SDK handles it after it has answered the request, when it is no longer known
		// whose it is.
		s.sessions.Ready(q.session)
	case m.method == "notifications/cancelled" && q.session != nil:
		s.sessions.Cancel(q.session, plain.IDOf(m.params["requestId"]))
	case m.method == listen && len(body) <= firstBytes:
		return leave, nil
	}
	if s.budget.calls.Acquire(q.client, 1) != nil {
		return leave, errGivenUp
	}
	leave = func() { s.budget.calls.Release(1) }
	if weight := m.weight(len(body)); !q.charge.tryTake(weight) {
		ctx, cancel := context.WithTimeout(q.client, s.o.Timeout)
		defer cancel()
		if err := s.budget.takeSoon(ctx, q.charge, weight); err != nil {
			leave()
			s.budget.refused.Add(1)
			return nil, &refusal{status: http.StatusServiceUnavailable, text: errFull.Error(), id: m.fields["id"], cause: errTooMuch}
		}
	}
	return leave, nil
}

// group returns the group of the caller of a request.
func (s *Server) group(ctx context.Context) string {
	if s.o.Group == nil {
		return ""
	}
	return s.o.Group(ctx)
}

func refuse(w *timedWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		r = &refusal{status: http.StatusBadRequest, text: err.Error()}
	}
	w.charge.seen.fail(r.cause)
	r.write(w)
}

// timedWriter gives up on a client that does not take its answer in time. An answer in
// JSON is written at once, and the charge falls to the weight of its bytes.
type timedWriter struct {
	http.ResponseWriter
	charge  *charge
	timeout time.Duration
	status  int // of the answer; 0: not yet known
}

// WriteHeader implements [http.ResponseWriter].
func (t *timedWriter) WriteHeader(status int) {
	if t.status == 0 && status >= http.StatusOK {
		t.status = status
	}
	t.ResponseWriter.WriteHeader(status)
}

// outcome notes how the answer to a call ended.
func (t *timedWriter) outcome(client context.Context) {
	if t.status == 0 && client.Err() == nil {
		t.status = http.StatusOK
	}
	t.charge.seen.fail(statusFailure(t.status))
}

// Unwrap is for [http.ResponseController].
func (t *timedWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Write implements [http.ResponseWriter].
func (t *timedWriter) Write(p []byte) (int, error) {
	defer t.limit(len(p))()
	if t.Header().Get("Content-Type") == "application/json" {
		t.charge.shrink(writtenWeight(len(p)))
	}
	if t.status == 0 {
		t.status = http.StatusOK
	}
	n, err := t.ResponseWriter.Write(p)
	t.charge.seen.wrote(n)
	return n, err
}

// FlushError is for [http.ResponseController].
func (t *timedWriter) FlushError() error {
	defer t.limit(0)()
	return http.NewResponseController(t.ResponseWriter).Flush()
}

// limit starts the time to write some bytes. idle stops it for a stream of events,
// which may be silent for long: over HTTP/2 the deadline would end the stream.
func (t *timedWriter) limit(bytes int) (idle func()) {
	deadline := http.NewResponseController(t.ResponseWriter).SetWriteDeadline // fails if the server has no deadlines
	_ = deadline(time.Now().Add(t.timeout + time.Duration(bytes>>20)*t.timeout/60))
	if t.Header().Get("Content-Type") != "text/event-stream" {
		return func() {}
	}
	return func() { _ = deadline(time.Time{}) }
}
