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
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

const (
	largeBody     = 4 << 20          // from here on garbage is collected before a body's memory grows
	firstBytes    = 4 << 10          // of a body, read without asking the budget; the number of connections limits them
	bodyTimeout   = 10 * time.Second // for a body to arrive, and a tenth of it more for each MiB that has arrived
	answerTimeout = time.Minute      // for a client to take an answer, and a second more for each MiB
)

// readBody reads a whole body. Its memory grows with the bytes that have arrived. It
// waits while other bodies take all the memory for bodies.
func readBody(w http.ResponseWriter, r *http.Request, a *admission.Part, timeout time.Duration) ([]byte, error) {
	if r.ContentLength > maxBody {
		return nil, errTooLong
	}
	if r.Body == nil {
		return nil, nil
	}
	deadline := http.NewResponseController(w).SetReadDeadline // fails if the server has no deadlines
	defer deadline(time.Time{})                               // the call may take longer
	body := make([]byte, 0, firstBytes)
	allowed := time.Now().Add(timeout)
	for {
		if len(body) == cap(body) {
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
	errTooLong = &refusal{status: http.StatusRequestEntityTooLarge,
		text: fmt.Sprintf("the body is longer than %d bytes; send less at once", maxBody)}
	errEmpty   = &refusal{text: "the body is empty; send one JSON-RPC message"}
	errGivenUp = &refusal{status: http.StatusServiceUnavailable, code: codeRefused, cause: errLeft,
		text: "the request was given up while it waited; try again"}
)

// notArrived says why a body did not arrive. It does not repeat the error, which names
// addresses of the machine.
func notArrived(err error) error {
	text := "the body did not arrive as a whole; send the request again"
	if errors.Is(err, os.ErrDeadlineExceeded) {
		text = "the body did not arrive in time; send the request again"
	}
	return &refusal{text: text}
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

// receiveBody reads the body of a request, and then does what receive does. It refuses a body
// that is not one message, or that two decoders could read differently.
func (s *Server) receiveBody(w http.ResponseWriter, r *http.Request, q *request) (leave func(), err error) {
	if r.Method != http.MethodPost {
		if err := skipBody(w, r, s.limits.body); err != nil {
			return nil, err
		}
		if q.refused != nil {
			return nil, q.refused
		}
		return func() {}, nil
	}
	if q.refused != nil && (r.ContentLength < 0 || r.ContentLength > smallBody) {
		return nil, q.refused // its id is not worth the memory
	}
	a := s.budget.arrival(r.ContentLength, s.group(q.client))
	defer a.Leave()
	body, err := readBody(w, r, a, s.limits.body)
	m, err := messageIn(body, err, q)
	if err != nil {
		return nil, err
	}
	q.id = m.id
	leave, f := s.receive(q.client, q, m, len(body))
	if f != nil {
		return nil, f.over(r)
	}
	if m.method == notice+"initialized" && q.session != nil {
		// The SDK handles it after it has answered the request, when it is no longer known
		// whose it is.
		s.sessions.Ready(q.session)
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(m.text), r.Body}
	r.ContentLength = int64(len(m.text))
	return leave, nil
}

// messageIn returns the message in a body, or why it is refused. err is that of reading the
// body. What the headers deserve comes before what the body deserves.
func messageIn(body []byte, err error, q *request) (message, error) {
	if err == nil && len(strictjson.Trim(body)) == 0 {
		err = errEmpty
	}
	if err != nil {
		if q.refused != nil {
			err = q.refused
		}
		return message{}, err
	}
	m, bad := inspect(body)
	switch {
	case q.refused != nil:
		return m, q.refused.to(m)
	case m.answer && (bad != nil || q.session == nil): // to nothing that was asked
		return m, errAnswer
	case bad != nil:
		return m, bad
	}
	if r := wrongPlace(m, q); r != nil {
		return m, r
	}
	return m, nil
}

// group returns the group of the caller of a request.
func (s *Server) group(ctx context.Context) string {
	if s.o.Group == nil {
		return ""
	}
	return s.o.Group(ctx)
}

// timedWriter gives up on a client that does not take its answer in time. An answer in
// JSON is written at once, and the charge falls to the weight of its bytes.
type timedWriter struct {
	http.ResponseWriter
	request *request
	timeout time.Duration
	status  int  // of the answer; 0: not yet known
	plain   bool // the SDK answers with an error in plain text
}

// WriteHeader implements [http.ResponseWriter].
func (t *timedWriter) WriteHeader(status int) {
	if t.status == 0 && status >= http.StatusOK {
		t.status = status
	}
	t.plain = status >= http.StatusBadRequest && strings.HasPrefix(t.Header().Get("Content-Type"), "text/plain")
	if t.plain {
		t.Header().Set("Content-Type", "application/json")
	}
	t.ResponseWriter.WriteHeader(status)
}

// outcome notes how the answer to a call ended.
func (t *timedWriter) outcome() {
	if t.status == 0 && t.request.client.Err() == nil {
		t.status = http.StatusOK
	}
	t.request.charge.seen.fail(statusFailure(t.status))
}

// Unwrap is for [http.ResponseController].
func (t *timedWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Write implements [http.ResponseWriter].
func (t *timedWriter) Write(p []byte) (int, error) {
	defer t.limit(len(p))()
	if t.Header().Get("Content-Type") == "application/json" {
		t.request.charge.shrink(writtenWeight(len(p)))
	}
	if t.status == 0 {
		t.status = http.StatusOK
	}
	text, id := p, t.request.id
	twice := []byte("duplicate in-flight request ID") // in the SDK's words
	if t.status == http.StatusBadRequest && bytes.Contains(p, twice) {
		text = errTwice.to(message{id: id}).line()
	} else if t.plain {
		text = sdkProblem(id, strings.TrimSpace(string(p))).line()
	} else if id != nil {
		text = withID(p, id)
	}
	n, err := t.ResponseWriter.Write(text)
	t.request.charge.seen.wrote(n)
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// sdkProblem is an error that the SDK answers in plain text.
func sdkProblem(id json.RawMessage, text string) *refusal {
	if method, ok := strings.CutPrefix(text, "JSON RPC not handled: "); ok { // in the SDK's words
		method = strictjson.Short(strings.TrimSuffix(method, " unsupported"))
		return &refusal{id: id, code: jsonrpc.CodeMethodNotFound, text: "method not found: " + method}
	}
	return &refusal{id: id, text: shorten(text)}
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
