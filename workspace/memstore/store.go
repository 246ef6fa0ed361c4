package memstore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Store is a [store.Store] in memory. The transactions of one owner run one after the
// other, in the goroutine of the caller. Those of different owners do not wait for each
// other. A Store is safe for concurrent use.
type Store struct {
	active   sync.WaitGroup // the transactions that are running or wait for their turn
	watchers store.Watchers

	mu      sync.Mutex // guards the fields below, and holding, state and has of each desk
	closed  bool
	desks   map[store.Owner]*desk
	records table[*record]
}

var _ store.Store = (*Store)(nil)

// New returns a store that holds nothing.
func New() *Store {
	return &Store{desks: map[store.Owner]*desk{}}
}

// A desk is one owner's place in the store.
type desk struct {
	turn chan struct{} // holds one value while a transaction has the turn, which guards data
	data data

	holding int              // transactions that have the turn or wait for it
	state   store.OwnerState // as of the last commit
	has     bool             // a row of any kind, as of the last commit
}

// View runs fn on what the owner has. Nothing changes it meanwhile. If ctx ends before fn
// has started, fn does not run.
func (s *Store) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	d, err := s.enter(ctx, o)
	if err != nil {
		return failed(err, "view %s", o)
	}
	r := &reader{&d.data}
	defer func() {
		r.data = nil
		s.leave(o, d)
	}()
	return fn(r)
}

// Update runs fn once, in the caller's goroutine. If ctx ends before fn has started, fn
// does not run. If ctx ends later, that changes nothing. The outcome is always known.
func (s *Store) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	d, err := s.enter(ctx, o)
	if err != nil {
		return failed(err, "update %s", o)
	}
	t := &tx{reader: reader{&d.data}}
	before := t.state.Revision
	commit := false
	defer func() { // also if fn panics or ends the goroutine
		if !commit {
			t.rollback()
		}
		t.data = nil
		s.leave(o, d)
	}()
	if err := fn(t); err != nil {
		return err
	}
	commit = true
	if t.state.Revision != before {
		s.watchers.Tell(o)
	}
	return nil
}

// Close waits for the transactions that are running and forgets everything.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()

	s.active.Wait()
	s.watchers.Close()

	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.desks)
	s.records = table[*record]{}
	return nil
}

// enter gives a transaction the owner's turn; leave gives it back.
func (s *Store) enter(ctx context.Context, o store.Owner) (*desk, error) {
	if err := withdrawn(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, store.ErrClosed
	}
	s.active.Add(1)
	d := s.desks[o]
	if d == nil {
		d = &desk{turn: make(chan struct{}, 1)}
		s.desks[o] = d
	}
	d.holding++
	s.mu.Unlock()

	select {
	case d.turn <- struct{}{}:
		if err := withdrawn(ctx); err != nil {
			s.leave(o, d)
			return nil, err
		}
		return d, nil
	case <-ctx.Done():
		s.mu.Lock()
		s.release(o, d)
		s.mu.Unlock()
		return nil, withdrawn(ctx)
	}
}

func (s *Store) leave(o store.Owner, d *desk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(o, d)
}

// end is leave for a caller that holds s.mu.
func (s *Store) end(o store.Owner, d *desk) {
	d.state, d.has = d.data.state, !d.data.empty()
	<-d.turn
	s.release(o, d)
}

// release ends a transaction. When nobody holds the desk of an owner that has nothing, it
// forgets the owner. The caller holds s.mu.
func (s *Store) release(o store.Owner, d *desk) {
	d.holding--
	if d.holding == 0 && d.data.empty() {
		delete(s.desks, o)
	}
	s.active.Done()
}

// withdrawn returns the error of a transaction whose context has ended before it started.
func withdrawn(ctx context.Context) error {
	err := ctx.Err()
	if errors.Is(err, context.DeadlineExceeded) {
		busy := store.Errorf(store.ErrBusy, "%v before it began", err)
		busy.Err = err
		return busy
	}
	return err
}

// failed returns an error with the operation that it ended.
func failed(err error, format string, args ...any) error {
	return &store.Error{Op: fmt.Sprintf(format, args...), Kind: store.Kind(err), Err: err}
}
