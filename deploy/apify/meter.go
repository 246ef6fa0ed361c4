package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	mostWaiting    = 1000 // calls that are under way or not charged yet
	chargesAtOnce  = 8
	chargeAttempts = 8 // of one charge; they take about two minutes
)

// A meter charges each tool call that succeeded, at most once. It refuses calls that could
// not be charged. It is safe for concurrent use.
type meter struct {
	charge func(ctx context.Context, key string) error // makes one charge; nil: nothing is charged
	prefix string                                      // of this process's idempotency keys
	log    *slog.Logger

	due     chan string // keys of charges; there is room for every reserved call
	workers sync.WaitGroup
	stop    context.CancelFunc // gives up the charges that are left

	mu       sync.Mutex // guards the following
	left     int64      // events that may still be charged; negative: any number
	reserved int        // calls that are under way or not charged yet
	last     int64      // number of the last key
	closed   bool
}

// newMeter returns a meter that charges at most so many events; negative: any number.
// If charge is nil, the meter charges nothing and refuses nothing.
func newMeter(run string, most int64, charge func(ctx context.Context, key string) error, log *slog.Logger) *meter {
	ctx, stop := context.WithCancel(context.Background())
	m := &meter{charge: charge, prefix: run + "-" + rand.Text(), log: log, due: make(chan string, mostWaiting),
		stop: stop, left: most}
	for range chargesAtOnce {
		m.workers.Go(func() {
			for key := range m.due {
				m.make(ctx, key)
			}
		})
	}
	return m
}

// A ticket belongs to one call. The server uses it in one goroutine after the other.
type ticket struct {
	mu       sync.Mutex // guards reserved
	reserved bool
}

type ticketKey struct{}

// around is mcpserver's Options.Around: it charges the call after it has succeeded.
func (m *meter) around(ctx context.Context, call mcpserver.Call) (context.Context, func(mcpserver.Outcome)) {
	t := &ticket{}
	return context.WithValue(ctx, ticketKey{}, t), func(o mcpserver.Outcome) { m.settle(t, o.Err == nil) }
}

// reserve makes sure that the call can be charged when it succeeds. Errors:
// [workspace.ErrQuota] and [workspace.ErrBusy].
func (m *meter) reserve(ctx context.Context, call mcpserver.Call) error {
	t, ok := ctx.Value(ticketKey{}).(*ticket)
	if !ok || m.charge == nil || !isTool(call.Tool) {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reserved {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.left == 0:
		return workspace.Errorf(workspace.ErrQuota,
			"the run has reached the most that its user allows it to charge; start it again with a higher limit")
	case m.reserved == mostWaiting || m.closed:
		return workspace.Errorf(workspace.ErrBusy, "earlier calls cannot be charged at the moment; try again later")
	}
	m.reserved++
	if m.left > 0 {
		m.left--
	}
	t.reserved = true
	return nil
}

// isTool tells the name of a tool from a method of the protocol, such as resources/read.
func isTool(name string) bool { return name != "" && !strings.Contains(name, "/") }

// settle is called once, when a call has ended.
func (m *meter) settle(t *ticket, succeeded bool) {
	t.mu.Lock()
	reserved := t.reserved
	t.reserved = false
	t.mu.Unlock()
	if !reserved {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if succeeded && m.closed {
		m.log.Error("a call ended after the Actor had stopped charging; it is free")
	}
	if !succeeded || m.closed {
		m.reserved--
		if m.left >= 0 {
			m.left++
		}
		return
	}
	m.last++
	m.due <- fmt.Sprintf("%s-%d", m.prefix, m.last)
}

// make makes one charge. The platform takes all attempts as one charge, as they have one
// key. A charge that cannot be made counts as made: nobody knows, and twice would be worse.
func (m *meter) make(ctx context.Context, key string) {
	err := repeat(ctx, chargeAttempts, func(ctx context.Context) error { return m.charge(ctx, key) })
	if err != nil {
		m.log.Error("charge a call", "key", key, "error", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reserved--
}

// Close waits until everything is charged, or the context ends; then it gives up what is
// left. Calls that end later are not charged. It may be called once.
func (m *meter) Close(ctx context.Context) {
	defer m.stop()
	m.mu.Lock()
	m.closed = true
	close(m.due)
	m.mu.Unlock()
	done := make(chan struct{})
	go func() {
		m.workers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		m.stop()
		<-done
	}
}
