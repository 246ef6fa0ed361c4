package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	maxIdle     = 5 * time.Minute // a connection that was not used for longer is closed
	maxAge      = time.Hour       // so is one that is older
	askAfter    = 5 * time.Second // one that was not used for longer is asked whether it lives
	askWait     = time.Second     // and closed if it does not answer for so long
	firstPause  = 20 * time.Millisecond
	longestWait = time.Second // between two tries to connect
)

// newPool returns a pool of connections, which are made when they are needed.
func (s *Store) newPool(config *pgxpool.Config) (*pgxpool.Pool, error) {
	config.MaxConns, config.MinConns, config.MinIdleConns = int32(s.o.MaxConns), 0, 0
	config.MaxConnLifetime, config.MaxConnIdleTime, config.PingTimeout = maxAge, maxIdle, askWait
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > askAfter }
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		wire.Prepare(&c.Config)
		return nil
	}
	return pgxpool.NewWithConfig(context.Background(), config)
}

// A lease is a connection that a caller has. Release gives it back, or closes it if it cannot
// be used again.
type lease struct{ *pgxpool.Conn }

func (l lease) conn() *wire.Conn { return wire.Of(l.Conn.Conn().PgConn()) }

// lease waits for a connection. It tries again where the server cannot be reached, for as
// long as a lock is waited for. What is returned as an error did not happen.
func (s *Store) lease(ctx context.Context) (lease, error) {
	wait, cancel := context.WithTimeout(ctx, s.o.LockTimeout)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestWait) {
		c, err := s.pool.Acquire(wait)
		switch {
		case err == nil:
			return lease{c}, nil
		case s.life.Err() != nil:
			return lease{}, store.ErrClosed
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
			return lease{}, store.Errorf(store.ErrBusy,
				"no connection to the database was to be had within %v, nothing happened", s.o.LockTimeout)
		}
	}
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
