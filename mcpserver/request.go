package mcpserver

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A request is what brought a message: an HTTP request or a line. Whose call it
// is, it alone says.
type request struct {
	values context.Context // of the HTTP request, or of Run
	client context.Context // done when the client has hung up; nil on stdio
	charge *charge         // nil: of lines that have no answer

	sessions bool     // over HTTP before 2026-07-28
	caller   string   // where sessions
	session  *session // the caller's; nil where the request names none
}

// requests are those under way, by number. The number goes along in a header,
// because the SDK calls with the context of whoever began the session.
type requests struct {
	next atomic.Uint64
	open sync.Map // number to *request
}

const requestHeader = "Scratchpad-Request" // whatever the client sent is replaced

func (q *requests) add(r *request) (number string) {
	number = strconv.FormatUint(q.next.Add(1), 10)
	q.open.Store(number, r)
	return number
}

func (q *requests) drop(number string) { q.open.Delete(number) }

// errGone refuses a call that came with no request, or whose request has ended:
// nobody can say whose call it is, and nobody reads the answer.
var errGone = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the request that brought the call is gone"}

// of returns what brought a message, while somebody waits for the answer.
func (q *requests) of(req mcp.Request) (*request, error) {
	extra := req.GetExtra()
	if extra == nil {
		return nil, errGone
	}
	v, ok := q.open.Load(extra.Header.Get(requestHeader))
	if !ok {
		return nil, errGone
	}
	r := v.(*request)
	if r.client != nil && r.client.Err() != nil {
		return nil, errGone
	}
	return r, nil
}

// whileWanted returns a context that ends also when the client hangs up.
func (r *request) whileWanted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if r.client == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(r.client, cancel)
	return ctx, func() { stop(); cancel() }
}

// callContext ends when the SDK's context does. Its values are those of the
// request; the SDK's own come after them, and its context has no others.
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

// requestOf returns what brought the call; nil outside of one.
func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// bare returns a context that ends with a request and has none of its values but
// the address that the SDK looks at: what the SDK keeps of it for a session is
// nobody's.
func bare(r *http.Request) (context.Context, context.CancelFunc) {
	ctx := context.WithValue(context.Background(), http.LocalAddrContextKey, r.Context().Value(http.LocalAddrContextKey))
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(r.Context(), cancel)
	return ctx, func() { stop(); cancel() }
}
