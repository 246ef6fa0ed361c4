package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// orders keep the writes of a connection on stdio in the order of their lines, those of each
// agent by themselves. A client that sends a write and then a read expects to read what it
// wrote. The SDK runs each call in a goroutine, so the order is noted where lines are read.
//
// A write begins when the one before it is queued by the store. So writes share a commit. In
// its transaction it looks whether the one before it is applied. If not, it does nothing,
// waits for that, and begins again. A read, and the tool memory, which reads before it writes,
// wait until the writes before them are answered.
type orders struct {
	mu   sync.Mutex // guards the following, and the turns
	last map[string]*turn
}

// A turn is the place of a call among the writes of its agent. A turn of a write is in the
// list of those that have not ended. That of a read is not.
type turn struct {
	of       *orders
	agent    string
	write    bool
	whole    bool // nothing else of the agent is written while it runs
	before   *turn
	next     *turn
	step     step
	ended    bool
	wake     chan struct{}   // has a value when the turn before has gone a step
	settled  chan struct{}   // of a turn that waits for all writes before it; nil: it does not
	watchers []chan struct{} // closed when this turn and all before it have ended
}

type step int

const (
	came step = iota
	queued
	applied
)

// add gives a call its turn. It returns nil if the call has no place among writes.
func (o *orders) add(s *Server, c Call, bound bool) *turn {
	write, isTool := s.tools[c.Tool]
	if !isTool && c.Tool != "resources/read" && c.Tool != "completion/complete" || s.added[c.Tool] {
		return nil
	}
	t := &turn{of: o, agent: c.AgentID, write: write, whole: c.Tool == memorycommand.Name, wake: make(chan struct{}, 1)}
	if bound {
		t.agent = "" // the call may name it, or not
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	last := o.last[t.agent]
	if last != nil && (!write || t.whole) {
		t.settled = make(chan struct{})
		last.watchers = append(last.watchers, t.settled)
	}
	if !write {
		return t
	}
	if t.before = last; last != nil {
		last.next = t
	}
	o.last[t.agent] = t
	return t
}

// end takes a turn out of the list. A second call does nothing.
func (t *turn) end() {
	if t == nil || !t.write {
		return
	}
	o := t.of
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.ended {
		return
	}
	t.ended = true
	if t.before == nil {
		for _, w := range t.watchers {
			close(w)
		}
	} else {
		t.before.next = t.next
		t.before.watchers = append(t.before.watchers, t.watchers...)
	}
	switch {
	case t.next != nil:
		t.next.before = t.before
		t.next.poke()
	case t.before != nil:
		o.last[t.agent] = t.before
	default:
		delete(o.last, t.agent)
	}
}

// poke wakes the goroutine of a turn. The caller holds mu.
func (t *turn) poke() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// reach notes how far a write is.
func (t *turn) reach(s step) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.step < s {
		if t.step = s; t.next != nil {
			t.next.poke()
		}
	}
}

// may reports whether the write before this one has reached a step, or has ended.
func (t *turn) may(s step) bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	return t.before == nil || t.before.step >= s
}

// until waits until may is true.
func (t *turn) until(ctx context.Context, s step) error {
	for !t.may(s) {
		select {
		case <-t.wake:
		case <-ctx.Done():
			return waited(ctx)
		}
	}
	return nil
}

// waited returns the error of a call that ended while it waited for its turn.
func waited(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the writes before it took too long, nothing happened; try again: %w", workspace.ErrBusy)
	}
	return ctx.Err()
}

// errNotYet ends a write whose transaction runs before that of the write before it.
var errNotYet = errors.New("the write before it is not applied yet")

// do runs a call in its turn.
func (t *turn) do(ctx context.Context, run func(context.Context) error) error {
	if t == nil {
		return run(ctx)
	}
	defer t.end()
	if t.settled != nil {
		select {
		case <-t.settled:
		case <-ctx.Done():
			return waited(ctx)
		}
	}
	if !t.write || t.whole {
		return run(ctx)
	}
	ordered := workspace.WithOrder(ctx, workspace.Order{
		Queued: func() { t.reach(queued) },
		Begin: func() error {
			if !t.may(applied) {
				return errNotYet
			}
			return nil
		},
		Applied: func() { t.reach(applied) },
	})
	for next := queued; ; next = applied {
		if err := t.until(ctx, next); err != nil {
			return err
		}
		if err := run(ordered); !errors.Is(err, errNotYet) {
			return err
		}
	}
}
