// Package rerun has a store that runs each function twice.
package rerun

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// New returns a store that runs each function twice. The first run of an Update is undone.
func New(s workspace.Store) workspace.Store { return &rerun{Store: s} }

type rerun struct {
	workspace.Store
	active sync.RWMutex // held for reading by an Update, which to the store is two
}

var errAgain = errors.New("again")

func (s *rerun) View(ctx context.Context, o workspace.Owner, fn func(workspace.Reader) error) error {
	return s.Store.View(ctx, o, func(r workspace.Reader) error {
		_ = fn(r) // the second run decides
		return fn(r)
	})
}

func (s *rerun) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	s.active.RLock()
	defer s.active.RUnlock()
	if err := s.Store.Update(ctx, o, func(tx workspace.Tx) error {
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

func (s *rerun) Restore(ctx context.Context, o workspace.Owner, rows iter.Seq2[workspace.Row, error]) error {
	s.active.RLock()
	defer s.active.RUnlock()
	return s.Store.Restore(ctx, o, func(yield func(workspace.Row, error) bool) {
		for range rows {
			continue // the second run decides
		}
		rows(yield)
	})
}
