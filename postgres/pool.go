package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/puddle/v2"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxIdle     = 5 * time.Minute // a connection that was not used for longer is closed
	maxAge      = time.Hour       // so is one that is older
	askAfter    = 5 * time.Second // one that was not used for longer is asked whether it lives
	askWait     = time.Second     // and closed if it does not answer for so long
	firstPause  = 20 * time.Millisecond
	longestWait = time.Second // between two tries to connect
)

// A lease is a connection that a caller has.
type lease struct {
	*puddle.Resource[*wire.Conn]
}

func (l lease) conn() *wire.Conn { return l.Value() }

// giveBack returns the connection to the pool if it can be used again.
func (l lease) giveBack() {
	c := l.conn()
	if c.IsClosed() || c.IsBusy() || c.TxStatus() != 'I' {
		l.Destroy()
		return
	}
	l.Release()
}

// lease waits for a connection. It tries again where the server cannot be reached, for as
// long as a lock is waited for. What is returned as an error did not happen.
func (s *Store) lease(ctx context.Context) (lease, error) {
	wait, cancel := context.WithTimeout(ctx, s.o.LockTimeout)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestWait) {
		r, err := s.pool.Acquire(wait)
		switch {
		case err == nil && (r.IdleDuration() > maxIdle || time.Since(r.CreationTime()) > maxAge):
			r.Destroy()
			continue
		case err == nil && r.IdleDuration() > askAfter && !answers(wait, r.Value()):
			r.Destroy()
			continue
		case err == nil:
			return lease{r}, nil
		case errors.Is(err, puddle.ErrClosedPool):
			return lease{}, workspace.ErrClosed
		case ctx.Err() != nil:
			return lease{}, notStarted(ctx)
		case wait.Err() == nil && !mayConnectAgain(err):
			return lease{}, failed(ctx, err)
		case wait.Err() == nil:
			s.log.Debug("postgres: no connection yet", "error", err)
		}
		if !sleep(wait, pause) {
			if ctx.Err() != nil {
				return lease{}, notStarted(ctx)
			}
			return lease{}, workspace.Errorf(workspace.ErrBusy, "no connection to the database was to be had within %v, nothing happened", s.o.LockTimeout)
		}
	}
}

// answers reports whether a connection lives. The server's machine may have gone without a
// word while nobody used it.
func answers(ctx context.Context, c *wire.Conn) bool {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	return c.Run(ctx, wire.Statement{SQL: "SELECT"}) == nil
}

// pauses are what a call waits before it runs again. The connections of the pool may all
// have been lost since they were used, so the call first tries as many without a pause.
type pauses struct {
	quick int
	next  time.Duration
}

func (s *Store) newPauses() pauses { return pauses{s.o.MaxConns, firstPause} }

// sleep waits after an error, and reports whether the call may run again.
func (p *pauses) sleep(ctx context.Context, err error) bool {
	if isLost(err) && p.quick > 0 {
		p.quick--
		return ctx.Err() == nil
	}
	pause := p.next
	p.next = min(2*pause, longestWait)
	return sleep(ctx, pause)
}

// sleep reports whether it slept to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// turns let one writer of an owner through at a time. The zero value is ready.
type turns struct {
	mu  sync.Mutex
	all map[string]*turn
}

type turn struct {
	taken   chan struct{} // holds a value while somebody has the turn
	callers int           // that have it or wait for it
}

// enter waits for the owner's turn. The caller calls leave once, from any goroutine.
func (t *turns) enter(ctx context.Context, owner string) (leave func(), err error) {
	t.mu.Lock()
	if t.all == nil {
		t.all = map[string]*turn{}
	}
	mine := t.all[owner]
	if mine == nil {
		mine = &turn{taken: make(chan struct{}, 1)}
		t.all[owner] = mine
	}
	mine.callers++
	t.mu.Unlock()
	forget := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if mine.callers--; mine.callers == 0 {
			delete(t.all, owner)
		}
	}
	select {
	case mine.taken <- struct{}{}:
		return func() { <-mine.taken; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
}
