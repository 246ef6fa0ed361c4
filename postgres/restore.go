package postgres

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Restore implements [store.Store].
func (s *Store) Restore(ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	return s.write(ctx, o.String(), func(t *tx) error {
		there := false
		var selects []string
		for _, table := range slices.Concat(store.Tables[1:]...) {
			selects = append(selects, "SELECT 1::bigint FROM "+table.Name+" WHERE owner = $1")
		}
		query := strings.Join(selects, " UNION ALL ") + " LIMIT 1"
		if err := t.do(wire.Statement{SQL: query, Args: []any{t.owner},
			New: func() { there = false },
			Row: func(*wire.Fields) error { there = true; return nil },
		}); err != nil {
			return err
		}
		if there || !t.fresh {
			return store.Errorf(store.ErrConflict, "%s has something already, and nothing was restored", t.owner)
		}
		for r, err := range dump.Fitting(rows) {
			if err == nil && ctx.Err() != nil {
				err = store.NotStarted(ctx)
			}
			if err == nil {
				err = t.hold(t.put(r))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
