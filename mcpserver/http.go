package mcpserver

import (
	"context"
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
	withSession := s.withSession(s.admitBodies(s.numbered(before)))
	without := s.admitBodies(s.numbered(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.streams(r) {
			streaming.ServeHTTP(w, r)
			return
		}
		now.ServeHTTP(w, r)
	})))
	return sameOrigin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= stateless || r.Header.Get("Mcp-Method") != "" {
			without.ServeHTTP(w, r)
			return
		}
		withSession.ServeHTTP(w, r)
	}))
}

// serverFor returns the SDK's server for the caller of a request.
func (s *Server) serverFor(number string) *mcp.Server {
	if r := s.requests.byNumber(number); r != nil && r.bound {
		return s.bound
	}
	return s.mcp
}

// numbered gives the request a number by which its calls find it. The number replaces
// the header that the client may have sent. The SDK gets none of the request's values.
func (s *Server) numbered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		q := &request{values: context.WithoutCancel(ctx), client: ctx, charge: chargeOf(ctx), bound: s.isBound(ctx)}
		if q.charge.values != nil {
			q.values = context.WithoutCancel(q.charge.values)
		}
		if m, ok := ctx.Value(memberKey{}).(member); ok {
			q.sessions, q.caller, q.session = true, m.caller, m.session
			if m.session != nil {
				q.connection = m.session.connection
			}
		}
		number := s.requests.add(q)
		defer s.requests.drop(number)
		ctx, cancel := bare(r)
		defer cancel()
		r = r.WithContext(ctx)
		r.Header = r.Header.Clone()
		r.Header.Set(requestHeader, number)
		next.ServeHTTP(w, r)
	})
}

// A member is the sender of a request that belongs to a session or begins one.
type member struct {
	caller  string
	session *session // nil: to begin one
}

type memberKey struct{}

// withSession lets only the caller of a session use it. To everybody else the session
// does not exist.
func (s *Server) withSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := member{caller: s.o.Caller(r.Context())}
		if m.caller == "" {
			http.Error(w, "sign in first: a session needs a known caller", http.StatusUnauthorized)
			return
		}
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			if m.session = s.sessions.enter(id, m.caller); m.session == nil {
				http.Error(w, "session not found", http.StatusNotFound)
				return
			}
			defer s.sessions.release(m.session)
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), memberKey{}, m)))
		if r.Method == http.MethodDelete && m.session != nil {
			s.sessions.end(m.session)
		}
	})
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
		write := *r
		write.Method = http.MethodPost
		if err := protection.Check(&write); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
