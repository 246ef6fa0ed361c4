package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// orders keep the calls of a connection on stdio in the order of their lines, those of each
// agent by themselves. A client that sends a write and then a read expects to read what it
// wrote. The SDK runs each call in a goroutine, so the order is noted where lines are read. A
// call waits until the writes before it have ended. The reads before it may still run.
type orders struct {
	mu   sync.Mutex               // guards last
	last map[string]chan struct{} // of each agent, the newest write that has not ended
}

// An order is the place of a call among the writes of its agent.
type order struct {
	of     *orders
	agent  string
	before <-chan struct{} // closed when the writes before the call have ended; nil: there is none
	ended  chan struct{}   // of a write: closed when it has ended, and all before it; nil: a read
	once   sync.Once
}

// add gives a call its order. It returns nil if the call has no place among writes.
func (o *orders) add(s *Server, c Call, bound bool) *order {
	called := s.tools[c.Tool]
	if called.scope == 0 {
		return nil
	}
	t := &order{of: o, agent: c.AgentID}
	if bound {
		t.agent = "" // the call may name it, or not
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	t.before = o.last[t.agent]
	if called.scope&writes != 0 {
		t.ended = make(chan struct{})
		o.last[t.agent] = t.ended
	}
	return t
}

// end lets the calls behind a write go on when those before it have ended, too. A second call
// does nothing.
func (t *order) end() {
	if t == nil || t.ended == nil {
		return
	}
	t.once.Do(func() {
		go func() { // a write that was cancelled while it waited has others before it
			if t.before != nil {
				<-t.before
			}
			t.pass()
		}()
	})
}

// pass lets those go on that wait for a write.
func (t *order) pass() {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.of.last[t.agent] == t.ended {
		delete(t.of.last, t.agent)
	}
	close(t.ended)
}

// do runs a call in its order.
func (t *order) do(ctx context.Context, run func(context.Context) error) error {
	if t == nil {
		return run(ctx)
	}
	defer t.end()
	if t.before != nil {
		select {
		case <-t.before:
		case <-ctx.Done():
			return waited(ctx)
		}
	}
	return run(ctx)
}

// waited returns the error of a call that ended while it waited for the writes before it.
func waited(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the writes before it took too long, nothing happened; try again: %w", workspace.ErrBusy)
	}
	return ctx.Err()
}
