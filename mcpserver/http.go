package mcpserver

import (
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"
)

const (
	sessionTimeout = 30 * time.Minute // of a client with a handshake that says nothing
	bodyTimeout    = time.Minute      // for a body to arrive
	stateless      = "2026-07-28"     // the first protocol without sessions
)

// Handler returns an HTTP handler for MCP, to be mounted at a path of the
// caller's choice:
//
//	mux.Handle("/mcp", server.Handler())
//
// It serves the protocol of 2026-07-28, which has no sessions, and the earlier
// ones. A request of another origin that a browser sends is refused with 403, a
// body over 16 MiB with 413; bodies of 64 MiB are worked on at once, others
// wait. It does not ask who is calling: a handler around it does, and puts what
// it found in the request's context, where [Options].Workspace finds it.
func (s *Server) Handler() http.Handler {
	get := func(*http.Request) *mcp.Server { return s.mcp }
	logger := s.sdkLogger()
	now := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: logger, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	before := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		JSONResponse: true, Logger: logger, MaxRequestBodyBytes: maxBody, SessionTimeout: sessionTimeout,
	})
	eras := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= stateless || r.Header.Get("Mcp-Method") != "" {
			now.ServeHTTP(w, r)
		} else {
			before.ServeHTTP(w, r)
		}
	})
	return sameOrigin(boundBodies(eras, bodyTimeout))
}

// sameOrigin refuses what a page of another origin makes a browser send, reads
// too: MCP wants the Origin of every request looked at.
func sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write := *r
		write.Method = http.MethodPost
		if err := protection.Check(&write); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// boundBodies lets requests wait while the bodies of those before hold too much
// memory together. One that does not arrive in time gives its place up.
func boundBodies(next http.Handler, timeout time.Duration) http.Handler {
	inFlight := semaphore.NewWeighted(maxInFlight)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		size := r.ContentLength
		if size < 0 || size > maxBody {
			size = maxBody // more is not read
		}
		if inFlight.Acquire(r.Context(), size) != nil {
			return // the client has gone
		}
		defer inFlight.Release(size)
		deadline := http.NewResponseController(w).SetReadDeadline // an error where the server has none
		_ = deadline(time.Now().Add(timeout))
		r.Body = &timedBody{r.Body, func() { _ = deadline(time.Time{}) }}
		next.ServeHTTP(w, r)
	})
}

// timedBody lifts the deadline when it has been read: the answer may take longer.
type timedBody struct {
	io.ReadCloser
	lift func()
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.lift()
	}
	return n, err
}
