package mcpserver

import (
	"context"
	"net"
	"net/http"
	"testing"

	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/session"
)

// The SDK sees nothing of a request but its local address and its end. It does not hold on
// to the request that begins a session.
func TestBareContext(t *testing.T) {
	type key struct{}
	for name, q := range map[string]*request{"no session": {}, "in a session": {sessions: true, session: &session.Session{}}, "begins a session": {sessions: true}} {
		client, leave := context.WithCancel(context.WithValue(t.Context(), key{}, "secret"))
		q.client = context.WithValue(client, http.LocalAddrContextKey, net.Addr(&net.TCPAddr{Port: 1}))
		ctx, done := q.bare()
		below, stop := context.WithCancel(ctx)
		if ctx.Value(key{}) != nil || below.Value(key{}) != nil || ctx.Value(http.LocalAddrContextKey) == nil || below.Err() != nil {
			t.Errorf("%s: the context has the value %v, the address %v and the error %v", name, below.Value(key{}), ctx.Value(http.LocalAddrContextKey), below.Err())
		}
		if _, light := ctx.(bareContext); light != (name == "in a session") {
			t.Errorf("%s: the context holds on to the request: %v", name, light)
		}
		leave()
		<-below.Done()
		stop()
		done()
	}
}
