package httpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

const (
	mcpPath      = "/mcp"
	metadataPath = "/.well-known/oauth-protected-resource"
)

type requestIDKey struct{}

// RequestID returns the id of the request that ctx belongs to, or "" if there is none. The
// header X-Request-Id of the answer has the same id.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

func newRequestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// handler wraps a route in what all routes share.
func (s *Server) handler(route http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &watchedBody{ReadCloser: r.Body, whole: r.ContentLength == 0}
		if !body.whole {
			r.Body = body
		}
		if r.ContentLength < 0 { // readers of a request with a length too differ on where its body ends
			w.Header().Set("Connection", "close")
		}
		id := newRequestID()
		w.Header().Set("X-Request-Id", id)
		if s.isAPI(r) {
			w.Header().Set("Request-Id", id)
		}
		r = r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id))
		a := &response{ResponseWriter: w}
		defer body.giveUp(w)
		defer s.recovered(a, r)
		route.ServeHTTP(a, r)
	})
}

// A watchedBody knows whether all of a body was read.
type watchedBody struct {
	io.ReadCloser
	whole bool
}

// Read implements [io.Reader].
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.whole = true
	}
	return n, err
}

// giveUp keeps net/http from waiting for the rest of a body before it writes an answer. It
// still takes what has arrived. After a whole body net/http reads on already: it would take
// the deadline for the end of the connection, and cancel the next request.
func (b *watchedBody) giveUp(w http.ResponseWriter) {
	if !b.whole {
		stopReading(w)
	}
}

// route finds the route of a request.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.ProtoMajor != 1: // net/http passes on the beginning of HTTP/2
		s.refuse(w, r, refused(http.StatusHTTPVersionNotSupported, "use HTTP/1.1").with("Connection", "close"))
		return
	case !s.isOwnHost(r):
		s.refuse(w, r, refused(http.StatusForbidden,
			"this name is not one of the server's; use localhost, or let whoever runs the server allow the name "+
				"with --host"))
		return
	}
	switch path := r.URL.Path; {
	case isMCP(r) && s.o.MCP != nil:
		// The host is checked, and the SDK would refuse some of those.
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, nil))
		s.serveCaller(w, r, s.o.MCP, r.Method == http.MethodGet) // for events
	case s.isAPI(r):
		s.serveAPI(w, r)
	case path == "/healthz":
		s.read(w, r, s.serveHealth)
	case path == "/readyz":
		s.read(w, r, s.serveReady)
	case path == "/metrics" && s.o.Metrics != nil:
		s.read(w, r, s.serveMetrics)
	case s.o.ResourceMetadata != nil && (path == metadataPath || path == metadataPath+mcpPath):
		s.read(w, r, s.o.ResourceMetadata.ServeHTTP)
	case s.o.MCP != nil && isMisplaced(r):
		s.notFound(w, r)
	case s.o.Console != nil && !strings.HasPrefix(path, "/.well-known/"):
		s.serveConsole(w.(*response), r)
	default:
		s.notFound(w, r)
	}
}

// isMCP reports whether a request is for MCP.
func isMCP(r *http.Request) bool { return r.URL.Path == mcpPath || r.URL.Path == mcpPath+"/" }

// isMisplaced reports whether a client of MCP has sent a request to a wrong path. Nothing else
// sends JSON to a page, or asks a page for events.
func isMisplaced(r *http.Request) bool {
	for _, name := range []string{"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method"} {
		if r.Header[name] != nil {
			return true
		}
	}
	if r.Method == http.MethodPost {
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		return kind == "application/json"
	}
	accept := strings.Join(r.Header["Accept"], ",")
	return strings.Contains(strings.ToLower(accept), "text/event-stream") && r.URL.Path != eventsPath
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, r, refused(http.StatusNotFound, "there is nothing here; MCP is at %s", mcpPath))
}

// read serves a route that is only read and takes no body.
func (s *Server) read(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions:
		s.refuse(w, r, refused(http.StatusMethodNotAllowed, "use GET").with("Allow", "GET, HEAD"))
	case r.ContentLength != 0:
		s.refuse(w, r, refused(http.StatusRequestEntityTooLarge, "this route takes no body"))
	default:
		next(w, r)
	}
}

// serveMetrics serves metrics to callers who may see them.
func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) {
	c, ok, f := s.identify(r, s.clientAddress(r))
	switch {
	case f != nil:
	case !ok:
		f = s.challenge(refused(http.StatusUnauthorized, "%s", makeKey), "")
	case !c.Scopes.Has(auth.Metrics):
		f = s.challenge(refused(http.StatusForbidden, "this needs a key with the scope metrics"), "insufficient_scope")
	default:
		f = s.admitCaller(c)
	}
	if f != nil {
		s.refuse(w, r, f)
		return
	}
	s.o.Metrics.ServeHTTP(w, r)
}

// serveCaller passes on the requests of those who may call. A stream lasts until one side
// has enough.
func (s *Server) serveCaller(w http.ResponseWriter, r *http.Request, next http.Handler, stream bool) {
	c, known, f := s.identify(r, s.clientAddress(r))
	if f == nil {
		f = s.admitCaller(c)
	}
	if f != nil {
		s.refuse(w, r, f)
		return
	}
	ctx, cancel := r.Context(), func() {}
	if stream {
		ctx, cancel = context.WithCancel(ctx)
	}
	defer cancel()
	leave, f := s.calls.enter(c.ID, c.Tenant, s.calls.callers, running{stream, func() { cancel(); stopReading(w) }})
	if f != nil {
		s.refuse(w, r, f)
		return
	}
	defer leave()
	if known {
		keepOpen(ctx)
		ctx = auth.NewVerifiedContext(ctx, c, s.again(r))
	}
	next.ServeHTTP(w, r.WithContext(ctx))
}

// stopReading makes reading the body of a request fail.
func stopReading(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now())
}

// admitCaller refuses what is over the rate of a caller. Those whom nobody knows share one.
func (s *Server) admitCaller(c auth.Caller) *refusal {
	limit := c.Rate
	if limit == (auth.Rate{}) {
		limit = s.o.Rate
	}
	after, ok := s.callers.admit(c.ID, limit, 0, s.now())
	if ok {
		return nil
	}
	s.stats.callerRate.Add(1)
	return refused(http.StatusTooManyRequests, "over the limit of %g requests a second; try again in %v",
		limit.PerSecond, after.Round(time.Millisecond)).retry(after)
}
