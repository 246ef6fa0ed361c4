package httpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A refusal is an answer that is an error.
type refusal struct {
	status int
	text   string
	after  time.Duration // when the client may try again; 0: not said
	header [2]string     // one more header, such as Allow
}

func refused(status int, format string, args ...any) *refusal {
	return &refusal{status: status, text: fmt.Sprintf(format, args...)}
}

func (f *refusal) retry(after time.Duration) *refusal { f.after = after; return f }

func (f *refusal) with(name, value string) *refusal { f.header = [2]string{name, value}; return f }

// seconds returns a time for Retry-After, which has whole seconds.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// refuse answers with an error, in the form that the client expects.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, f *refusal) {
	s.skipBody(w, r)
	h := w.Header()
	if f.header[0] != "" {
		h.Set(f.header[0], f.header[1])
	}
	if f.after > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds(f.after)))
	}
	kind, text := formOf(r)(f)
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(f.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, text) // the client may be gone
	}
}

// formOf returns the function that writes an error in the form that a client expects.
func formOf(r *http.Request) func(*refusal) (kind, text string) {
	accept := strings.ToLower(strings.Join(r.Header["Accept"], ","))
	switch {
	case r.URL.Path == mcpPath:
		return asRPC
	case strings.Contains(accept, "text/html"):
		return asHTML
	case strings.Contains(accept, "json"):
		return asJSON
	}
	return asText
}

func asText(f *refusal) (kind, text string) { return "text/plain; charset=utf-8", f.text + "\n" }

func asJSON(f *refusal) (kind, text string) {
	return "application/json", encode(map[string]string{"error": f.text})
}

func asHTML(f *refusal) (kind, text string) {
	title := fmt.Sprintf("%d %s", f.status, http.StatusText(f.status))
	return "text/html; charset=utf-8", fmt.Sprintf("<!doctype html>\n<meta charset=utf-8>\n<title>%s</title>\n<h1>%[1]s</h1>\n<p>%s</p>\n", title, html.EscapeString(f.text))
}

// serverError is the code of JSON-RPC for errors of a server that have no code of their own.
const serverError = -32000

// asRPC writes an error of JSON-RPC. Its id is null, because the body has not been read.
func asRPC(f *refusal) (kind, text string) {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	return "application/json", encode(struct {
		Version string   `json:"jsonrpc"`
		ID      *int     `json:"id"`
		Error   rpcError `json:"error"`
	}{"2.0", nil, rpcError{serverError, f.text}})
}

// encode returns a line of JSON.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and numbers have a form in JSON
	}
	return string(b) + "\n"
}

const (
	maxSkip      = 64 << 10 // of a body that nobody reads, so that its connection can be used again
	maxSkippers  = 64       // requests that wait for the rest of such a body
	maxLingerers = 256      // connections that wait for their client to take a last answer
)

// skipBody drops the body of a request that is refused. A body that is long or slow
// closes the connection after the answer.
func (s *Server) skipBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	if r.ContentLength > 0 && r.ContentLength <= maxSkip && r.Header.Get("Expect") == "" {
		deadline := time.Now() // for what has not arrived
		select {
		case s.skippers <- struct{}{}:
			defer func() { <-s.skippers }()
			deadline = deadline.Add(s.limits.skip)
		default:
		}
		_ = http.NewResponseController(w).SetReadDeadline(deadline)
		if n, err := io.Copy(io.Discard, r.Body); err == nil && n == r.ContentLength {
			return
		}
	}
	w.Header().Set("Connection", "close")
}

// A firstWrite knows whether an answer has begun.
type firstWrite struct {
	http.ResponseWriter
	begun bool
}

// Unwrap is for [http.ResponseController].
func (f *firstWrite) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (f *firstWrite) WriteHeader(status int) {
	f.begun = true
	f.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (f *firstWrite) Write(p []byte) (int, error) {
	f.begun = true
	return f.ResponseWriter.Write(p)
}

// FlushError is for [http.ResponseController].
func (f *firstWrite) FlushError() error {
	f.begun = true
	return http.NewResponseController(f.ResponseWriter).Flush()
}

// recovered answers after a panic of a handler, which ends this request alone. It logs
// no more than where it happened, because a panic may quote what a client sent.
func (s *Server) recovered(w *firstWrite, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	s.stats.panics.Add(1)
	s.o.Logger.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelError, "a handler panicked",
		slog.String("request", RequestID(r.Context())), slog.String("type", fmt.Sprintf("%T", v)), slog.String("stack", stack()))
	if w.begun {
		panic(http.ErrAbortHandler) // the client must see that the answer is not complete
	}
	s.refuse(w, r, refused(http.StatusInternalServerError, "internal error"))
}
