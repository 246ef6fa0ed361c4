package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Update implements [store.Store].
func (s *Store) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.write(ctx, o.String(), func(t *tx) error { return fn(t) })
}

// write runs fn in a transaction, which is bound to an owner unless owner is "". It runs fn
// again where the transaction is known not to have happened.
func (s *Store) write(ctx context.Context, owner string, fn func(*tx) error) (err error) {
	defer func() { s.logRefusal(err) }()
	if ctx.Err() != nil {
		return store.NotStarted(ctx)
	}
	if s.readOnly {
		return store.Errorf(store.ErrReadOnly, "the database is open for reading only, nothing is stored")
	}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()
	wait, cancel := context.WithTimeout(ctx, s.o.LockTimeout)
	defer cancel()
	place, err := s.enter(ctx, wait, owner)
	if err != nil {
		return err
	}
	defer place.leave()
	var again error
	for range tries(wait) {
		if again, err = s.try(ctx, owner, place, fn); again == nil {
			s.stats.count(err)
			return err
		}
		s.stats.again.Add(1)
	}
	s.stats.count(again)
	return failed(ctx, again)
}

// A place lets a writer through: it has the owner's turn and one of the connections that
// writers may hold. It is left once, by the caller or by a commit that goes on without one.
type place struct {
	free  func()
	given bool // to the goroutine of a commit
}

func (p *place) leave() {
	if !p.given {
		p.free()
	}
}

func (s *Store) enter(ctx, wait context.Context, owner string) (*place, error) {
	leave := func() {}
	if owner != "" {
		var err error
		if leave, err = s.turns.Enter(wait, owner); err != nil {
			return nil, s.late(ctx)
		}
	}
	select {
	case s.writers <- struct{}{}:
		return &place{free: func() {
			<-s.writers
			leave()
		}}, nil
	case <-wait.Done():
		leave()
		return nil, s.late(ctx)
	}
}

// late is the error of a writer that waited too long for others.
func (s *Store) late(ctx context.Context) error {
	if ctx.Err() != nil {
		return store.NotStarted(ctx)
	}
	return store.Errorf(store.ErrBusy, "others were written for %v, nothing happened", s.o.LockTimeout)
}

// try runs fn once and commits. again is an error after which the transaction may succeed
// if it is run again; it is known not to have happened.
func (s *Store) try(ctx context.Context, owner string, p *place, fn func(*tx) error) (again, err error) {
	l, err := s.lease(ctx)
	if err != nil {
		return nil, err
	}
	t := &tx{reader: reader{owner: owner}, s: s, ctx: ctx, lease: l}
	t.runner = t
	ended := false
	defer func() { // also after a panic or a Goexit in fn, which go on to the caller
		if !ended {
			t.rollback()
		}
	}()
	err = fn(t)
	ended, t.ended = true, true
	switch {
	case t.failed != nil:
		t.rollback()
		if mayRunAgain(t.failed) && ctx.Err() == nil {
			return t.failed, nil
		}
		return nil, failed(ctx, t.failed)
	case !t.begun:
		l.Release()
		return nil, err
	case ctx.Err() != nil: // COMMIT was not sent
		t.rollback()
		return nil, store.NotStarted(ctx)
	case err != nil:
		return t.confirm(p, err)
	}
	return t.commit(p, nil)
}

// rollback undoes the transaction.
func (t *tx) rollback() {
	if !t.lease.conn().IsClosed() && t.lease.conn().TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		t.lease.conn().Run(ctx, wire.Statement{SQL: "ROLLBACK"}) // else it is destroyed
	}
	t.lease.Release()
}

// confirm ends a transaction whose function returned an error. It undoes the changes, and
// waits until what the function may have seen is durable. To be sure, it commits a lock of
// the owner's row, for which the server waits as it does for a write. A function on records
// has no owner: it commits a record that comes and goes.
func (t *tx) confirm(p *place, answer error) (again, err error) {
	t.held = nil
	if !t.sent && !t.fresh {
		return t.commit(p, answer)
	}
	if err := t.s.run(t.ctx, t.lease.conn(), wire.Statement{SQL: "ROLLBACK"}); err != nil {
		t.rollback()
		return err, nil
	}
	if t.fresh { // there was nothing to be seen
		t.lease.Release()
		return nil, answer
	}
	if err := t.s.run(t.ctx, t.lease.conn(), append(t.s.beginWrite(&t.pid), t.trace()...)...); err != nil {
		t.rollback()
		if mayRunAgain(err) {
			return err, nil
		}
		return nil, failed(t.ctx, err)
	}
	return t.commit(p, answer)
}

// trace returns statements that change nothing, and whose COMMIT waits as that of a write.
func (t *tx) trace() []wire.Statement {
	if t.owner != "" {
		return []wire.Statement{lockOwner(t.owner)}
	}
	key := "confirm/" + rand.Text()
	return []wire.Statement{
		{SQL: "INSERT INTO records (" + store.RecordColumns + ") VALUES ($1, '', 1, clock_timestamp())",
			Args: []any{key}},
		{SQL: "DELETE FROM records WHERE key = $1", Args: []any{key}},
	}
}

// commit sends what is held back and COMMIT, and waits for the answer. The COMMIT goes on
// if the caller does not wait any longer. answer is returned if all went well.
func (t *tx) commit(p *place, answer error) (again, err error) {
	t.forgetUnused()
	reached, committed := false, false // the server has begun with COMMIT, and has done it
	batch := append(t.held, wire.Statement{SQL: "SELECT set_config('statement_timeout', '0', true)",
		Done: func(int) { reached = true }})
	batch = append(batch, wire.Statement{SQL: "COMMIT", Done: func(int) { committed = true }})
	type result struct{ again, err error }
	done := make(chan result, 1)
	start := time.Now()
	life, abandon := context.WithCancel(t.s.life)
	go func() {
		defer abandon()
		var r result
		err := t.lease.conn().RunUncancelled(life, batch...)
		r.again, r.err = t.judge(err, reached, committed)
		t.s.stats.commit.Add(time.Since(start))
		if r.again == nil && r.err == nil && t.grew && answer == nil {
			t.s.tell(t.owner)
		}
		t.lease.Release()
		done <- r
	}()
	timer := time.NewTimer(t.s.o.CommitWait)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.again, cmp.Or(r.err, answer)
	case <-t.ctx.Done():
		err = unknown(t.ctx.Err(), "the call ended while its commit was under way; read before writing again")
	case <-timer.C:
		err = unknown(nil, "the server has not confirmed the commit within %v; read before writing again",
			t.s.o.CommitWait)
	}
	select {
	case r := <-done: // in the same moment
		return r.again, cmp.Or(r.err, answer)
	default:
	}
	p.given = true
	t.s.commits.Go(func() {
		t.s.outlast(life, t.pid, abandon)
		<-done
		p.free()
	})
	return nil, err
}

// leavesUnknown reports whether an error in answer to the last batch of a transaction leaves
// its outcome unknown. reached says that the server had begun with the COMMIT. It is a
// variable so that a test can plant a bug.
var leavesUnknown = func(err error, reached bool) bool {
	return isLost(err) || reached && mayHaveCommitted(err)
}

// outlast waits for a commit that no caller waits for any more. The server may take any
// time for it, such as until a standby comes back. But if the server's process is not
// running anything at two looks, the answer is lost, and the connection is abandoned.
func (s *Store) outlast(life context.Context, pid int64, abandon func()) {
	for idle := 0; sleep(life, max(s.o.CommitWait/4, firstPause)); {
		// A process without a state may be that of another role.
		running, look := false, wire.Statement{
			SQL:  "SELECT coalesce(state NOT LIKE 'idle%', true) FROM pg_stat_activity WHERE pid = $1::bigint",
			Args: []any{pid},
		}
		look.Row = wire.Into(&running)
		switch err := s.view(life, func(sn *snapshot) error { return sn.do(look) }); {
		case err != nil: // nothing is known
		case running:
			idle = 0
		default:
			idle++
		}
		if idle == 2 {
			s.log.Warn("postgres: the answer to a commit is lost, its connection is closed")
			abandon()
		}
	}
}

// judge says what the answer to the last batch of a transaction means. Only an ordinary
// error in answer to one of its statements tells that it did not happen.
func (t *tx) judge(err error, reached, committed bool) (again, known error) {
	switch {
	case err == nil && t.lease.conn().Warning() != nil:
		t.s.log.Warn("postgres: the server committed with a warning", "warning", t.lease.conn().Warning().Message)
		return nil, unknown(nil, "the server has committed, and does not confirm that its standby has; read before "+
			"writing again")
	case err == nil && committed:
		return nil, nil
	case err == nil:
		return nil, unknown(nil, "the server did not commit")
	case store.Kind(err) != nil:
		return nil, err
	case errors.Is(err, wire.ErrRolledBack):
		return err, nil
	case leavesUnknown(err, reached):
		t.s.log.Warn("postgres: no answer says whether a commit was done", "error", err)
		if isLost(err) {
			return nil, unknown(&serverError{err},
				"the connection was lost while the commit was under way; read before writing again")
		}
		return nil, unknown(&serverError{err}, "the server does not say whether it has committed; read before "+
			"writing again")
	case mayRunAgain(err):
		return err, nil
	}
	return nil, failed(context.Background(), err)
}
