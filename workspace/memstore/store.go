package memstore

import (
	"context"
	"sync"

	"github.com/tidwall/btree"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Store is a [store.Store] in memory. The Updates of one owner run one after the other, in the
// goroutine of the caller. Those of different owners do not wait for each other, and nobody who
// reads waits. A Store is safe for concurrent use.
type Store struct {
	active   sync.WaitGroup // the calls that are running
	turns    store.Turns
	watchers store.Watchers

	mu      sync.Mutex // guards the following
	closed  bool
	owners  map[store.Owner]*rows // as of the last commit; these never change. Without owners that have no row
	records btree.Map[string, store.Record]
}

var _ store.Store = (*Store)(nil)

// New returns a store that holds nothing.
func New() *Store { return &Store{owners: map[store.Owner]*rows{}} }

// begin counts a call. The caller calls active.Done after it.
func (s *Store) begin(ctx context.Context) error {
	if ctx.Err() != nil {
		return store.NotStarted(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	s.active.Add(1)
	return nil
}

// View runs fn on what the owner has. If ctx ends before fn has started, fn does not run.
func (s *Store) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.active.Done()
	s.mu.Lock()
	r := &reader{s.rowsOf(o)}
	s.mu.Unlock()
	defer func() { r.rows = nil }()
	return fn(r)
}

// rowsOf returns the rows of an owner. The caller holds s.mu.
func (s *Store) rowsOf(o store.Owner) *rows {
	if all := s.owners[o]; all != nil {
		return all
	}
	return newRows()
}

// enter waits for the turn to change what an owner has.
func (s *Store) enter(ctx context.Context, o store.Owner) (leave func(), err error) {
	leave, err = s.turns.Enter(ctx, o.String())
	if err == nil && ctx.Err() != nil {
		leave()
	}
	if ctx.Err() != nil {
		return nil, store.NotStarted(ctx)
	}
	return leave, nil
}

// Update runs fn once, in the caller's goroutine. If ctx ends before fn has started, fn
// does not run. If ctx ends later, that changes nothing. The outcome is always known.
func (s *Store) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.active.Done()
	leave, err := s.enter(ctx, o)
	if err != nil {
		return err
	}
	defer leave()
	s.mu.Lock()
	t := &tx{reader{s.rowsOf(o).Copy()}}
	s.mu.Unlock()
	changed, before := t.rows, stateOf(t.rows).Revision
	defer func() { t.rows = nil }()
	if err := fn(t); err != nil {
		return err
	}
	s.mu.Lock()
	s.set(o, changed)
	s.mu.Unlock()
	if stateOf(changed).Revision != before {
		s.watchers.Tell(o)
	}
	return nil
}

// set puts rows in the place of those of an owner. The caller holds s.mu.
func (s *Store) set(o store.Owner, changed *rows) {
	if changed.Len() == 0 {
		delete(s.owners, o)
	} else {
		s.owners[o] = changed
	}
}

// Watch tells each owner that has changed. No other process has the store.
func (s *Store) Watch(ctx context.Context) (<-chan store.Owner, error) {
	if ctx.Err() != nil {
		return nil, store.NotStarted(ctx)
	}
	return s.watchers.Watch(ctx)
}

// Close waits for the calls that are running and forgets everything.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()

	s.active.Wait()
	s.watchers.Close()

	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.owners)
	s.records.Clear()
	return nil
}
