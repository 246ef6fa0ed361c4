// Package rerun has a store that runs each function twice.
package rerun

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// New returns a store that runs each function twice. The first run of an Update is undone.
func New(s store.Store) store.Store { return &rerun{Store: s} }

type rerun struct {
	store.Store
	active sync.RWMutex // held for reading by an Update, which to the store is two
}

var errAgain = errors.New("again")

func (s *rerun) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.Store.View(ctx, o, func(r store.Reader) error {
		_ = fn(r) // the second run decides
		return fn(r)
	})
}

func (s *rerun) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	s.active.RLock()
	defer s.active.RUnlock()
	if err := s.Store.Update(ctx, o, func(tx store.Tx) error {
		_ = fn(tx)
		return errAgain
	}); err != errAgain {
		return err
	}
	return s.Store.Update(ctx, o, fn)
}

func (s *rerun) Close() error {
	s.active.Lock()
	defer s.active.Unlock()
	return s.Store.Close()
}

func (s *rerun) Restore(ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	s.active.RLock()
	defer s.active.RUnlock()
	return s.Store.Restore(ctx, o, func(yield func(store.Row, error) bool) {
		for range rows {
			continue // the second run decides
		}
		rows(yield)
	})
}
