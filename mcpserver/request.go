package mcpserver

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/session"
)

// A request is the HTTP request or the line that brought a message. It alone says whose
// call that is.
type request struct {
	values context.Context // the context of the HTTP request or of Run, for its values
	client context.Context // done when the client has hung up; nil on stdio
	charge *charge         // nil for lines that have no answer

	refused    *refusal // what its headers deserve; nil: they are right
	events     bool     // the client takes no other answer than a stream of events
	message    message  // over HTTP, until it is known which way it goes
	bound      bool     // the caller is bound to one agent
	turn       *turn    // of a call on stdio; nil: it has none
	connection string   // tells what a connection or a session writes from what others do; "": neither lasts

	sessions bool             // the protocol has sessions: HTTP before 2026-07-28
	caller   string           // with sessions
	session  *session.Session // the caller's; nil if the request names none
}

// requests are the requests under way, by number. The number travels in a header,
// because the SDK calls tools with the context of the request that began the session.
type requests struct {
	next atomic.Uint64
	open sync.Map // number to *request
}

const requestHeader = "Scratchpad-Request" // replaces the header that a client may send

func (q *requests) add(r *request) (number string) {
	number = strconv.FormatUint(q.next.Add(1), 10)
	q.open.Store(number, r)
	return number
}

func (q *requests) drop(number string) { q.open.Delete(number) }

// errGone refuses a call whose request is unknown or has ended. Nobody can say whose
// call it is, and nobody would read the answer.
var errGone = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the request that brought the call is gone"}

// of returns the request of a message. The error is errGone if nobody waits for the
// answer.
func (q *requests) of(req mcp.Request) (*request, error) {
	extra := req.GetExtra()
	if extra == nil {
		return nil, errGone
	}
	r := q.byNumber(extra.Header.Get(requestHeader))
	if r == nil || r.client != nil && r.client.Err() != nil {
		return nil, errGone
	}
	return r, nil
}

// byNumber returns the request under way with a number, or nil if there is none.
func (q *requests) byNumber(number string) *request {
	v, ok := q.open.Load(number)
	if !ok {
		return nil
	}
	return v.(*request)
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
	return c.Context.Value(key)
}

// requestOf returns the request of a call, or nil outside of a call.
func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// bare returns the context of an HTTP request for the SDK, which ends with the request. Of
// its values it has only the local address, which the SDK needs.
func (r *request) bare() (context.Context, context.CancelFunc) {
	if r.session != nil {
		return bareContext{r.client}, func() {} // of which the SDK derives nothing
	}
	// The SDK derives others from this one, and may keep it for a session that begins. So it
	// must not hold on to the request.
	ctx := context.WithValue(context.Background(), http.LocalAddrContextKey, r.client.Value(http.LocalAddrContextKey))
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(r.client, cancel)
	return ctx, func() { stop(); cancel() }
}

// bareContext hides the values of a context.
type bareContext struct{ context.Context }

// Value implements [context.Context].
func (c bareContext) Value(key any) any {
	if key == http.LocalAddrContextKey {
		return c.Context.Value(key)
	}
	return nil
}
