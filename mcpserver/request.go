package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/session"
)

// A request is the HTTP request or the line that brought a message. It alone says whose
// call that is.
type request struct {
	values context.Context // the context of the HTTP request or of Run, for its values
	client context.Context // done when the client has hung up; nil on stdio
	charge charge

	refused    *refusal        // what its headers deserve; nil: they are right
	id         json.RawMessage // of the message, as the client sent it; nil: there is none, or none is known
	end        func()          // gives back what a call on stdio holds
	call       *Call           // that the message makes; nil: it needs no answer
	bound      bool            // the caller is bound to one agent
	order      *order          // of a call on stdio; nil: it has none
	connection string          // tells what a connection or a session writes from what others do; "": neither lasts

	sessions bool             // the protocol has sessions: HTTP before 2026-07-28
	caller   string           // with sessions
	session  *session.Session // the caller's; nil if the request names none
}

// open returns a request with the values of a context. Its charge is to be left.
func (s *Server) open(values context.Context) *request {
	return &request{
		values: context.WithoutCancel(values), bound: s.isBound(values), charge: charge{b: s.budget, users: 1},
	}
}

// receive is the one way in of every message, from a line or from an HTTP request. It tells
// [Options].Around of a call and asks Admit, and waits for a place for the call and for memory for
// the message. Both are held until leave is called. If wait ends on stdio, the input has ended, and
// the last line is served without them.
func (s *Server) receive(wait context.Context, r *request, m message, bytes int) (leave func(), f *refusal) {
	if f := s.admit(r, m, bytes); f != nil {
		return nil, f
	}
	if m.wrong != nil {
		return nil, m.wrong
	}
	overHTTP := r.client != nil
	var place *admission.Part
	if r.call != nil {
		var err error
		if place, err = s.budget.calls.Take(wait, "", 1); err != nil && overHTTP {
			return nil, errGivenUp
		}
	}
	weight := s.weigh(m, bytes)
	if r.charge.tryTake(weight) {
		return place.Leave, nil
	}
	if overHTTP {
		var cancel func()
		wait, cancel = context.WithTimeout(wait, s.o.Timeout)
		defer cancel()
	}
	if err := s.takeWeight(wait, r, weight); err != nil && overHTTP {
		place.Leave()
		s.budget.refused.Add(1)
		return nil, &refusal{
			status: http.StatusServiceUnavailable, code: codeRefused, text: errFull.Error(), id: m.id,
			cause: errTooMuch,
		}
	}
	return place.Leave, nil
}

// requestField is the field of a token that has the request which brought a message. The SDK
// calls tools with the context of the request that began the session, but it gives each message
// the token of its own request.
const requestField = "scratchpad/request"

// newToken returns a token with a request, until drop.
func newToken(r *request) (t *auth.TokenInfo, drop func()) {
	of := new(atomic.Pointer[request])
	of.Store(r)
	return &auth.TokenInfo{Extra: map[string]any{requestField: of}}, func() { of.Store(nil) }
}

// isOurs reports whether newToken has made a token.
func isOurs(t *auth.TokenInfo) bool { return t != nil && t.Extra[requestField] != nil }

// requestOfToken returns the request of a token, or nil if it has none any more.
func requestOfToken(t *auth.TokenInfo) *request {
	if !isOurs(t) {
		return nil
	}
	return t.Extra[requestField].(*atomic.Pointer[request]).Load()
}

// withToken returns a context with a token. Only the SDK's check of credentials can put one
// there, and this one accepts everything.
func withToken(ctx context.Context, t *auth.TokenInfo) (with context.Context) {
	accept := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return t, nil }
	check := auth.RequireBearerToken(accept, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	r := &http.Request{Header: http.Header{"Authorization": {"Bearer any"}}}
	next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { with = r.Context() })
	check(next).ServeHTTP(nil, r.WithContext(ctx))
	return with
}

// errGone refuses a call whose request is unknown or has ended. Nobody can say whose
// call it is, and nobody would read the answer.
var errGone = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the request that brought the call is gone"}

// requestBehind returns the request of a message, and gives the message the token that the
// program has put into the request's context. The error is errGone if nobody waits for the answer.
func requestBehind(req mcp.Request) (*request, error) {
	extra := req.GetExtra()
	if extra == nil {
		return nil, errGone
	}
	r := requestOfToken(extra.TokenInfo)
	if r == nil || r.client != nil && r.client.Err() != nil {
		return nil, errGone
	}
	extra.TokenInfo = auth.TokenInfoFromContext(r.values)
	return r, nil
}

// whileWanted returns a context that also ends when the client hangs up.
func (r *request) whileWanted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if r.client == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(r.client, cancel)
	return ctx, func() { stop(); cancel() }
}

// callContext is the context of a call. It ends when the SDK's context ends. It has the
// values of the request, and then those that the SDK sets.
type callContext struct {
	context.Context
	request *request
}

type requestKey struct{}

// Value implements [context.Context].
func (c callContext) Value(key any) any {
	if key == (requestKey{}) {
		return c.request
	}
	if value := c.request.values.Value(key); value != nil {
		return value
	}
	value := c.Context.Value(key)
	if t, ok := value.(*auth.TokenInfo); ok && isOurs(t) {
		return nil // in a session, it may be that of another request
	}
	return value
}

// requestOf returns the request of a call, or nil outside of a call.
func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// bare returns the context of an HTTP request for the SDK, which ends with the request. Of
// its values it has only the local address, which the SDK needs. The SDK may keep the context
// for a session that begins, so it must not hold on to the request.
func (r *request) bare() (context.Context, context.CancelFunc) {
	local := r.client.Value(http.LocalAddrContextKey)
	return r.whileWanted(context.WithValue(context.Background(), http.LocalAddrContextKey, local))
}
