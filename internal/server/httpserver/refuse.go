package httpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/observe/backtrace"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

// A refusal is an answer that is an error.
type refusal struct {
	status int
	text   string
	after  time.Duration   // when the client may try again; 0: not said
	header [2]string       // one more header, such as Allow
	id     json.RawMessage // of the message that is refused; nil: unknown

	request string // the number of the request that is refused
}

func refused(status int, format string, args ...any) *refusal {
	return &refusal{status: status, text: fmt.Sprintf(format, args...)}
}

func (f *refusal) retry(after time.Duration) *refusal { f.after = after; return f }

func (f *refusal) with(name, value string) *refusal { f.header = [2]string{name, value}; return f }

// refuse answers with an error, in the form that the client expects.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, f *refusal) {
	f.id, f.request = idOf(s.skipBody(w, r)), RequestID(r.Context())
	h := w.Header()
	if f.header[0] != "" {
		h.Set(f.header[0], f.header[1])
	}
	if f.after > 0 {
		errorkind.SetRetry(h, f.after)
	}
	form, text := s.formOf(r)(f)
	h.Set("Content-Type", form)
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.WriteHeader(f.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, text) // the client may be gone
	}
}

// formOf returns the function that writes an error in the form that a client expects. form
// is its type.
func (s *Server) formOf(r *http.Request) func(*refusal) (form, text string) {
	accept := strings.ToLower(strings.Join(r.Header["Accept"], ","))
	switch {
	case s.isAPI(r):
		return asAPI
	case isMCP(r), isMisplaced(r):
		return asRPC
	case strings.Contains(accept, "text/html"):
		return asHTML
	case strings.Contains(accept, "json"):
		return asJSON
	}
	return asText
}

func asText(f *refusal) (form, text string) { return "text/plain; charset=utf-8", f.text + "\n" }

func asJSON(f *refusal) (form, text string) {
	return "application/json", encode(map[string]string{"error": f.text})
}

func asHTML(f *refusal) (form, text string) {
	title := fmt.Sprintf("%d %s", f.status, http.StatusText(f.status))
	return "text/html; charset=utf-8", fmt.Sprintf(`<!doctype html>
<html lang=en>
<meta charset=utf-8>
<meta name=viewport content="width=device-width">
<title>%s</title>
<main>
<h1>%[1]s</h1>
<p>%s</p>
</main>
`, title, html.EscapeString(f.text))
}

// serverError is the code of JSON-RPC for errors of a server that have no code of their own.
const serverError = -32000

// asRPC writes an error of JSON-RPC. Its id is null if the body was not read. Some clients
// wait for ever for an answer with the id of their request.
func asRPC(f *refusal) (form, text string) {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	return "application/json", encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", f.id, rpcError{serverError, f.text}})
}

const maxID = 256 // bytes of an id that is repeated

// idOf returns the id of a message of JSON-RPC, a text or a number, or nil.
func idOf(body []byte) json.RawMessage {
	message, _, err := strictjson.Parse(body)
	id := strictjson.Member(message, "id")
	if err != nil || len(id) == 0 || len(id) > maxID || !strings.ContainsRune(`"-0123456789`, rune(id[0])) {
		return nil
	}
	return id
}

// encode returns a line of JSON. An id in it stays as it was sent.
func encode(v any) string {
	line, err := strictjson.Line(v)
	if err != nil {
		panic(err) // texts and numbers have a form in JSON
	}
	return line + "\n"
}

const (
	maxSkip     = 256 << 10 // of a body that nobody reads; net/http answers before it closes on a longer one
	maxSkippers = 64        // requests that wait for the rest of such a body
)

// skipBody reads the body of a request that is refused. It returns a small body, and drops
// a body that is long or slow, which closes the connection after the answer.
func (s *Server) skipBody(w http.ResponseWriter, r *http.Request) (body []byte) {
	if r.ContentLength == 0 {
		return nil
	}
	if r.ContentLength > 0 && r.ContentLength <= maxSkip && r.Header.Get("Expect") == "" {
		if place, ok := s.skippers.TryTake("", 1); ok {
			defer place.Leave()
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.limits.skip))
			body = make([]byte, r.ContentLength)
			if _, err := io.ReadFull(r.Body, body); err == nil {
				return body
			}
		} else {
			stopReading(w)
			_, _ = io.Copy(io.Discard, r.Body) // what has arrived
		}
	}
	w.Header().Set("Connection", "close")
	return nil
}

// A response knows its status.
type response struct {
	http.ResponseWriter
	status int       // 0: it has not begun
	until  time.Time // when a form for the console must be there; zero: there is none
	late   bool      // the form did not arrive in time
}

// SetReadDeadline is for [http.ResponseController]. The console may give a form less time,
// but no more.
func (a *response) SetReadDeadline(t time.Time) error {
	if !a.until.IsZero() && (t.IsZero() || t.After(a.until)) {
		return nil
	}
	return http.NewResponseController(a.ResponseWriter).SetReadDeadline(t)
}

// Unwrap is for [http.ResponseController].
func (a *response) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (a *response) WriteHeader(status int) {
	a.begin(status)
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *response) Write(p []byte) (int, error) {
	a.begin(http.StatusOK)
	return a.ResponseWriter.Write(p)
}

// FlushError is for [http.ResponseController].
func (a *response) FlushError() error {
	a.begin(http.StatusOK)
	return http.NewResponseController(a.ResponseWriter).Flush()
}

func (a *response) begin(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// recovered answers after a panic of a handler, which ends this request alone. It logs
// no more than where it happened, because a panic may quote what a client sent.
func (s *Server) recovered(w *response, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	s.stats.panics.Add(1)
	s.o.Logger.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelError, "a handler panicked",
		slog.String("request", RequestID(r.Context())), slog.String("type", fmt.Sprintf("%T", v)), slog.String("stack",
			backtrace.Text()))
	if w.status != 0 {
		panic(http.ErrAbortHandler) // the client must see that the answer is not complete
	}
	s.refuse(w, r, refused(http.StatusInternalServerError, "internal error"))
}
