package sqlite

import (
	"context"
	"iter"

	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Restore implements [store.Store]. The writes of all owners wait for it.
func (s *Store) Restore(ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	return s.run(&job{ctx: ctx, owner: o.String(), stays: true, fn: func(t *tx) error {
		there, err := t.c.nextOwner(">=", t.owner)
		switch {
		case err != nil:
			return err
		case there == t.owner:
			return store.Errorf(store.ErrConflict, "%s has something already, and nothing was restored", t.owner)
		}
		for r, err := range dump.Fitting(rows) {
			if err == nil && ctx.Err() != nil {
				err = store.NotStarted(ctx)
			}
			if err == nil {
				err = t.add(r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}})
}
