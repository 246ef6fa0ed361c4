package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// errAgain ends a function of View that reads a second time, so that it runs once more on a
// snapshot that is kept open.
var errAgain = errors.New("postgres: the function runs again")

// errEnded is the error of a Reader or a Tx whose function has returned.
var errEnded = store.Errorf(store.ErrInvalid, "it is used after its function has returned")

const beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// A snapshot is what a View or a look of an operator reads from. Its first batch is a
// transaction of its own, which is one round trip and leaves no connection waiting. A
// function that reads again is run from its beginning with keep set.
type snapshot struct {
	s     *Store
	ctx   context.Context
	keep  bool
	again bool          // the function read a second time, without keep
	read  bool          // the function has read
	ended bool          // the function has returned
	idle  time.Duration // how long the transaction may do nothing, with keep; 0: any time
	lost  error         // the error of a connection that is of no use any more
	lease *lease
}

// View implements [store.Store].
func (s *Store) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.view(ctx, func(sn *snapshot) error { return fn(reader{runner: sn, owner: o.String()}) })
}

// view runs fn on one snapshot. It runs it again where the connection is lost.
func (s *Store) view(ctx context.Context, fn func(*snapshot) error) error {
	return s.viewOn(ctx, false, s.o.IdleTimeout, fn)
}

// viewOn is view. With keep set, fn reads more than once. Between two reads, it may take as
// long as idle says; 0: any time.
func (s *Store) viewOn(ctx context.Context, keep bool, idle time.Duration, fn func(*snapshot) error) (err error) {
	defer func() { s.logRefusal(err) }()
	if ctx.Err() != nil {
		return store.NotStarted(ctx)
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()
	wait, cancel := context.WithTimeout(ctx, s.o.LockTimeout)
	defer cancel()
	var sn *snapshot
	for range tries(wait) {
		sn = &snapshot{s: s, ctx: ctx, keep: keep, idle: idle}
		err := sn.run(fn)
		if sn.again {
			keep = true
			sn = &snapshot{s: s, ctx: ctx, keep: keep, idle: idle}
			err = sn.run(fn)
		}
		if sn.lost == nil {
			return err
		}
	}
	return failed(ctx, sn.lost)
}

// run runs fn once. A panic or a Goexit in it goes on to the caller.
func (sn *snapshot) run(fn func(*snapshot) error) error {
	defer func() {
		sn.ended = true
		if sn.lease == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), sn.s.o.StatementTimeout)
		defer cancel()
		sn.lease.conn().Run(ctx, wire.Statement{SQL: "COMMIT"}) // else it is destroyed
		sn.lease.Release()
	}()
	return fn(sn)
}

// do implements runner.
func (sn *snapshot) do(batch ...wire.Statement) error {
	switch {
	case sn.ended:
		return errEnded
	case sn.read && !sn.keep:
		sn.again = true
		return errAgain
	case sn.lost != nil:
		return sn.lost
	}
	sn.read = true
	if sn.lease == nil {
		l, err := sn.s.lease(sn.ctx)
		if err != nil {
			return err
		}
		sn.lease = &l
	}
	switch begun := sn.lease.conn().TxStatus() != 'I'; {
	case begun:
	case sn.keep:
		idle := wire.Statement{SQL: fmt.Sprintf("SELECT set_config('idle_in_transaction_session_timeout', '%d', true)",
			sn.idle.Milliseconds())}
		batch = append([]wire.Statement{{SQL: beginSnapshot}, idle}, batch...)
	case len(batch) > 1:
		batch = append([]wire.Statement{{SQL: beginSnapshot}}, batch...)
		batch = append(batch, wire.Statement{SQL: "COMMIT"})
	}
	err := sn.s.run(sn.ctx, sn.lease.conn(), batch...)
	if !sn.keep {
		sn.lease.Release()
		sn.lease = nil
	}
	if err != nil && store.Kind(err) == nil && sn.ctx.Err() == nil && mayRunAgain(err) {
		sn.lost = err
		return err
	}
	return failed(sn.ctx, err)
}

// owned implements runner.
func (sn *snapshot) owned() *store.OwnerState { return nil }

// run runs statements other than COMMIT after a write. None takes longer than the
// statement timeout, or the connection is closed.
func (s *Store) run(ctx context.Context, c *wire.Conn, batch ...wire.Statement) error {
	limited, cancel := context.WithTimeout(ctx, s.o.StatementTimeout)
	defer cancel()
	err := c.Run(limited, batch...)
	if err != nil && store.Kind(err) == nil && isLost(err) && ctx.Err() == nil {
		s.pool.Reset() // the other connections are most likely lost too
	}
	return err
}
