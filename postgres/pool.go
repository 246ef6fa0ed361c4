package postgres

import (
	"context"
	"iter"
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
	for range tries(wait) {
		c, err := s.pool.Acquire(wait)
		switch {
		case err == nil:
			return lease{c}, nil
		case s.life.Err() != nil:
			return lease{}, store.ErrClosed
		case wait.Err() == nil && !mayConnectAgain(err):
			return lease{}, failed(ctx, err)
		case wait.Err() == nil:
			s.log.Debug("postgres: no connection yet", "error", err)
		}
	}
	if ctx.Err() != nil {
		return lease{}, store.NotStarted(ctx)
	}
	return lease{}, store.Errorf(store.ErrBusy,
		"no connection to the database was to be had within %v, nothing happened", s.o.LockTimeout)
}

// tries counts tries until ctx ends. The pause between two gets longer.
func tries(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		pause := firstPause
		for n := 1; yield(n) && sleep(ctx, pause); n++ {
			pause = min(2*pause, longestWait)
		}
	}
}

// sleep reports whether it slept to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
