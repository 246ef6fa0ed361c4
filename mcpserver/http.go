package mcpserver

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const stateless = "2026-07-28" // the first protocol without sessions

// Handler returns an HTTP handler for MCP, to be mounted at a path of the
// caller's choice:
//
//	mux.Handle("/mcp", server.Handler())
//
// It serves the protocol of 2026-07-28, which has no sessions, and the earlier
// ones.
//
// Handler does not authenticate anybody. A handler around it does, and puts what it
// found into the request's context. [Options].Workspace gets the values of that
// context, of each request its own. No call ever sees the values of another
// request, not even of the one that began its session. A call whose client has hung
// up before it begins is refused; one that has begun goes on with the values of its
// own request.
//
// A session belongs to the caller who began it, as [Options].Caller names it.
// Anybody else who sends its id gets the answer for a session that does not exist.
// A request whose caller is unknown (Caller returns "") gets 401 where it would need
// a session: the protocols before 2026-07-28 need one for every request. A request
// of 2026-07-28 needs none: Workspace alone decides who may call.
// There are at most 4,096 sessions, and 64 of each caller that Caller or a verified
// token names. When there is no room, the session that has been idle for the longest
// time ends. A session also ends after 30 minutes without a request, or 2 before its
// handshake is complete.
//
// A request of another origin that a browser sends is refused with 403, a batch
// with 400, and a body over 16 MiB with 413. A body has 10 seconds to arrive, and 1
// more for each MiB; the client has 60 to take an answer, and 1 more for each MiB.
// [Options].Memory bounds what all calls hold together.
func (s *Server) Handler() http.Handler {
	get := func(*http.Request) *mcp.Server { return s.mcp }
	logger := s.sdkLogger()
	now := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: logger, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	streaming := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{ // so that progress comes before the answer
		Stateless: true, Logger: logger, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
	})
	before := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: true, Logger: logger, MaxRequestBodyBytes: maxBody})
	withSession := s.withSession(s.admitBodies(s.numbered(before)))
	without := s.admitBodies(s.numbered(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Name") == summarizeName && s.asksModel() {
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

// numbered makes the request known to the calls that it brings, under a number that
// replaces whatever the client sent. The SDK gets none of its values.
func (s *Server) numbered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		q := &request{values: context.WithoutCancel(ctx), client: ctx, charge: chargeOf(ctx)}
		if m, ok := ctx.Value(memberKey{}).(member); ok {
			q.sessions, q.caller, q.session = true, m.caller, m.session
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

// A member is who sends a request in a session, or to begin one.
type member struct {
	caller  string
	session *session // nil: to begin one
}

type memberKey struct{}

// withSession lets only the caller of a session into it. For anybody else it does
// not exist.
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

// unnamed is the caller of all requests that nobody names.
const unnamed = "everybody"

// tokenUser is the caller where Options has no Caller: the user of a token that
// package auth of the SDK has verified, or unnamed.
func tokenUser(ctx context.Context) string {
	if t := auth.TokenInfoFromContext(ctx); t != nil && t.UserID != "" {
		return "user " + t.UserID
	}
	return unnamed
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
