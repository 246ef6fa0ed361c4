package mcpserver

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

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
// The handler serves the protocol of 2026-07-28, which has no sessions, and the earlier
// protocols.
//
// The handler does not authenticate. A handler around it must do so, and put the caller into
// the request's context. [Options].Workspace gets the values of that context. A call never
// sees the values of another request, not even of the request that began its session.
// If the client hangs up before a call begins, the call is refused. A call that has
// begun goes on with the values of its own request.
//
// A session belongs to the caller who began it, as named by [Options].Caller. For everybody
// else, the session does not exist. The protocols before 2026-07-28 need a session for every
// request. If the caller is unknown, because Caller returns "", the answer is 401. The
// protocol of 2026-07-28 needs no session: Workspace alone decides who may call. There are at
// most 4,096 sessions, and at most 64 of each caller that Caller or a verified token names. If
// there is no room, the caller with the most sessions loses the session that has been idle
// longest. A session also ends after 30 minutes without a request, or after 2 minutes without
// a complete handshake.
//
// The handler refuses a browser's request from another origin with 403, a batch with 400, and
// a body over 16 MiB with 413. A body must arrive within 10 seconds, and 1 second more for each
// MiB. The client must take an answer within 60 seconds, and 1 second more for each MiB.
// [Options].Memory limits the bytes that all calls hold together.
func (s *Server) Handler() http.Handler {
	get := func(r *http.Request) *mcp.Server {
		return s.serverFor(requestOfToken(auth.TokenInfoFromContext(r.Context())))
	}
	o := mcp.StreamableHTTPOptions{Logger: s.sdkLogger(), MaxRequestBodyBytes: maxBody}
	o.DisableLocalhostProtection = true // isOwnHost is the same, and comes before everything else
	o.JSONResponse, o.Stateless, o.PropagateRequestCancellation = true, true, true
	now := mcp.NewStreamableHTTPHandler(get, &o)
	o.Stateless, o.PropagateRequestCancellation = false, false
	before := mcp.NewStreamableHTTPHandler(get, &o)
	return sameOrigin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := s.open(r.Context())
		q.client, q.refused = r.Context(), refusedHeaders(r)
		r = r.Clone(r.Context())
		r.Header.Set("Accept", "application/json, text/event-stream") // all that the SDK asks for
		if isModern(r) {
			s.serve(w, r, q, now)
		} else {
			s.serveSession(w, r, q, before)
		}
	}))
}

// isModern reports whether a request is of a protocol without sessions.
func isModern(r *http.Request) bool {
	return r.Header.Get("Mcp-Protocol-Version") >= stateless || r.Header.Get("Mcp-Method") != ""
}

// refusedHeaders returns why the headers of a request do not let it be served, or nil.
func refusedHeaders(r *http.Request) *refusal {
	version := r.Header.Get("Mcp-Protocol-Version")
	switch {
	case version != "" && !slices.Contains(Protocols(), version):
		return message{}.unsupported(version)
	case isModern(r) && r.Method != http.MethodPost:
		return errVerbNow
	case r.Method == http.MethodDelete:
	case r.Method != http.MethodPost && r.Method != http.MethodGet:
		return errVerb
	case r.Method == http.MethodPost && !isJSON(r):
		return errKind
	case r.Method == http.MethodPost && !acceptsJSON(r):
		return errAccept
	}
	return nil
}

// serverFor returns the SDK's server for the caller of a request.
func (s *Server) serverFor(r *request) *mcp.Server {
	if r != nil && r.bound {
		return s.bound
	}
	return s.mcp
}

// serve passes a request on when there is memory for it. The request keeps its charge until
// its answer is written. The SDK gets none of the request's values, but a token by which its
// calls find it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, q *request, next http.Handler) {
	defer q.charge.leave()
	t := &timedWriter{ResponseWriter: w, request: q, timeout: s.limits.answer}
	defer t.outcome()
	leave, err := s.receiveBody(t, r, q)
	if err != nil {
		refuse(t, err)
		return
	}
	defer leave()
	token, drop := newToken(q)
	defer drop()
	ctx, cancel := q.bare()
	defer cancel()
	next.ServeHTTP(t, r.WithContext(withToken(ctx, token)))
}

// serveSession lets only the caller of a session use it. To everybody else the session
// does not exist.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request, q *request, next http.Handler) {
	q.sessions, q.caller = true, s.o.Caller(r.Context())
	id := r.Header.Get("Mcp-Session-Id")
	switch {
	case q.caller == "":
		q.refused = errStranger
	case id != "":
		if q.session = s.sessions.Enter(id, q.caller); q.session == nil {
			q.refused = errNoSession
			break
		}
		defer s.sessions.Release(q.session)
		q.connection = q.session.Connection
	case r.Method != http.MethodPost && q.refused == nil:
		q.refused = refuseWith(http.StatusBadRequest,
			r.Method+" needs a session; send the Mcp-Session-Id that initialize answered")
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

// sameOrigin refuses requests that a page of another origin makes a browser send, and those
// by a foreign name of this machine. It checks reads too, because MCP requires it for every
// request.
func sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		checked := *r
		checked.Method, checked.Host = http.MethodPost, strings.ToLower(r.Host)
		switch {
		case !isOwnHost(r):
			errHost.write(w)
		case protection.Check(&checked) != nil:
			errOrigin.write(w)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isOwnHost reports whether the Host of a request may be served: a server on a loopback
// address has no other name, or a page could reach it by one.
func isOwnHost(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return !ok || local == nil || !isLoopback(local.String()) || isLoopback(r.Host)
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	host = strings.TrimSuffix(host, ".")
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}
