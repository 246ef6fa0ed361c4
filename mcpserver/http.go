package mcpserver

import (
	"context"
	"maps"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const stateless = "2026-07-28" // the first protocol without sessions

// Protocols returns the versions of MCP that servers speak, the newest first.
func Protocols() []string { return mcp.SupportedProtocolVersions() }

// Handler returns an HTTP handler for MCP. The caller mounts it at any path:
//
//	mux.Handle("/mcp", server.Handler())
//
// It serves the protocol of 2026-07-28, which has no sessions, and the earlier
// protocols.
//
// Handler does not authenticate. A handler around it does, and puts its result into the
// request's context. [Options].Workspace gets the values of that context. A call never
// sees the values of another request, not even of the request that began its session.
// If the client hangs up before a call begins, the call is refused. A call that has
// begun goes on with the values of its own request.
//
// A session belongs to the caller who began it, as named by [Options].Caller. To
// everybody else, the session does not exist. The protocols before 2026-07-28 need a
// session for every request: if the caller is unknown (Caller returns ""), the answer is
// 401. The protocol of 2026-07-28 needs none: Workspace alone decides who may call.
// There are at most 4,096 sessions, and 64 of each caller that Caller or a verified
// token names. When there is no room, the session that has been idle longest ends, of the
// callers with most sessions. A session also ends after 30 minutes without a request, or after 2 minutes without a
// complete handshake.
//
// A browser's request from another origin is refused with 403, a batch with 400, and a
// body over 16 MiB with 413. A body has 10 seconds to arrive, and 1 more for each MiB.
// The client has 60 seconds to take an answer, and 1 more for each MiB. [Options].Memory
// limits what all calls hold together.
func (s *Server) Handler() http.Handler {
	get := func(r *http.Request) *mcp.Server { return s.serverFor(r.Header.Get(requestHeader)) }
	logger := s.sdkLogger()
	now := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: logger, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	streaming := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{ // so that progress comes before the answer
		Stateless: true, Logger: logger, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	before := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: s.o.Extend == nil, Logger: logger, MaxRequestBodyBytes: maxBody})
	return sameOrigin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch modern := r.Header.Get("Mcp-Protocol-Version") >= stateless || r.Header.Get("Mcp-Method") != ""; {
		case !modern:
			s.serveSession(w, r, before)
		case s.streams(r):
			s.serve(w, r, &request{}, streaming)
		default:
			s.serve(w, r, &request{}, now)
		}
	}))
}

// serverFor returns the SDK's server for the caller of a request.
func (s *Server) serverFor(number string) *mcp.Server {
	if r := s.requests.byNumber(number); r != nil && r.bound {
		return s.bound
	}
	return s.mcp
}

// serve passes a request on when there is memory for it. The request keeps its charge until
// its answer is written. It has a number by which its calls find it, in place of a header
// that the client may have sent. The SDK gets none of the request's values.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, q *request, next http.Handler) {
	q.client, q.charge = r.Context(), s.budget.open()
	defer q.charge.leave()
	t := &timedWriter{ResponseWriter: w, charge: q.charge, timeout: s.limits.answer}
	defer t.outcome(q.client)
	leave, err := s.admitBody(t, r, q)
	if err != nil {
		refuse(t, err)
		return
	}
	defer leave()
	q.bound, q.values = s.isBound(q.client), q.charge.values
	if q.values == nil {
		q.values = q.client
	}
	q.values = context.WithoutCancel(q.values)
	c := s.direct(r, q)
	q.message = message{} // it is decoded, or the SDK does it again
	if c != nil {
		r.Body = http.NoBody
		s.run(t, q, c)
		return
	}
	ctx, cancel := q.bare()
	defer cancel()
	r = r.WithContext(ctx)
	number := s.requests.add(q)
	defer s.requests.drop(number)
	r.Header = maps.Clone(r.Header)
	r.Header[requestHeader] = []string{number}
	next.ServeHTTP(t, r)
}

// serveSession lets only the caller of a session use it. To everybody else the session
// does not exist.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request, next http.Handler) {
	q := &request{sessions: true, caller: s.o.Caller(r.Context())}
	if q.caller == "" {
		http.Error(w, "sign in first: a session needs a known caller", http.StatusUnauthorized)
		return
	}
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		if q.session = s.sessions.Enter(id, q.caller); q.session == nil {
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		defer s.sessions.Release(q.session)
		q.connection = q.session.Connection
	}
	s.serve(w, r, q, next)
	if r.Method == http.MethodDelete && q.session != nil {
		s.sessions.End(q.session)
	}
}

// unnamed is the caller of all requests without a verified user.
const unnamed = "everybody"

// tokenUser is the default of Options.Caller: the user of a token that package auth of
// the SDK has verified, or unnamed.
func tokenUser(ctx context.Context) string {
	if t := auth.TokenInfoFromContext(ctx); t != nil && t.UserID != "" {
		return "user " + t.UserID
	}
	return unnamed
}

// sameOrigin refuses requests that a page of another origin makes a browser send. It
// checks reads too, because MCP requires it for every request.
func sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write := r
		if r.Method != http.MethodPost {
			read := *r
			read.Method, write = http.MethodPost, &read
		}
		if err := protection.Check(write); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
