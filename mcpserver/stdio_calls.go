package mcpserver

import (
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// begin notes the call of a message until it is answered. end gives back what it has taken. It
// reports false if another call has the same id.
func (l *lines) begin(m message, req *jsonrpc.Request, r *request, end func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.calls[req.ID]; known {
		r.charge.seen.fail(errProtocol)
		end()
		return false
	}
	r.id, r.connection, r.order = m.id, l.name, l.orders.add(l.server, *r.call, l.bound)
	token, drop := newToken(r)
	l.under.Add(1)
	r.end = func() { r.order.end(); drop(); end(); l.under.Done() }
	l.calls[req.ID] = r
	req.Extra = &mcp.RequestExtra{TokenInfo: token}
	return true
}

// sentID returns an answer of the SDK with the id that the client sent.
func (l *lines) sentID(text []byte, id jsonrpc.ID) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.calls[id]; r != nil && r.id != nil {
		return withID(text, r.id)
	}
	return text
}

// answer frees the id of a call, because the client may use it again as soon as it has
// the answer. written is to be called after the answer is written.
func (l *lines) answer(id jsonrpc.ID, bytes int, failed error) (written func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.calls[id]
	if r == nil {
		return func() {}
	}
	delete(l.calls, id)
	if failed != nil {
		r.charge.seen.fail(wireFailure(failed))
	}
	r.charge.shrink(writtenWeight(bytes))
	r.charge.seen.wrote(bytes)
	return r.end
}

// drain waits for the answers to the calls under way.
func (l *lines) drain() {
	answered := make(chan struct{})
	go func() {
		l.under.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-l.over.Done():
	case <-time.After(drainTime):
	}
}

// leave waits for the end of a session that was told to end. It gives up if the client
// does not read its answers.
func (l *lines) leave(ended <-chan error) error {
	const grace = time.Second // for calls to end that are cancelled after drainTime
	select {
	case err := <-ended:
		return err
	case <-time.After(drainTime + grace):
		l.Close()
		return errors.New("the client does not read its answers")
	}
}
