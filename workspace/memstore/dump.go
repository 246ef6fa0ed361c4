package memstore

import (
	"context"
	"iter"

	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Dump calls fn with all rows of an owner.
func (s *Store) Dump(ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	return s.View(ctx, o, func(r store.Reader) (err error) {
		r.(*reader).rows.Scan(func(x row) bool {
			if err = store.NotStarted(ctx); err == nil {
				err = fn(own(x.Row))
			}
			return err == nil
		})
		return err
	})
}

// Restore stores the rows of an owner that has none.
func (s *Store) Restore(ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	return s.Update(ctx, o, func(w store.Tx) error {
		t := w.(*tx)
		if t.rows.Len() > 0 {
			return store.Errorf(store.ErrConflict, "%s has something already, and nothing was restored", o)
		}
		for r, err := range dump.Fitting(rows) {
			if err == nil {
				err = store.NotStarted(ctx)
			}
			if err != nil {
				return err
			}
			t.put(r)
		}
		return nil
	})
}
