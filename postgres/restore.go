package postgres

import (
	"context"
	"iter"
	"strings"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Restore implements [store.Store].
func (s *Store) Restore(ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	return s.write(ctx, o.String(), func(t *tx) error {
		there := false
		query := "SELECT 1::bigint FROM " + strings.Join(ownedTables[1:],
			" WHERE owner = $1 UNION ALL SELECT 1 FROM ") + " WHERE owner = $1 LIMIT 1"
		if err := t.do(wire.Statement{SQL: query, Args: []any{t.owner},
			New: func() { there = false },
			Row: func(*wire.Row) error { there = true; return nil },
		}); err != nil {
			return err
		}
		if there || !t.fresh {
			return store.Errorf(store.ErrConflict, "%s has something already, and nothing was restored", t.owner)
		}
		for r, err := range dump.Fitting(rows) {
			if err == nil && ctx.Err() != nil {
				err = notStarted(ctx)
			}
			if err == nil {
				err = t.restore(r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// restore adds a row.
func (t *tx) restore(r store.Row) error {
	switch {
	case r.State != nil:
		return t.Apply(*r.State)
	case r.Change != nil:
		t.grew = true
		return t.hold(wire.Statement{SQL: insertChange, Args: changeValues(t.owner, r.Change)})
	case r.File != nil:
		return t.hold(wire.Statement{SQL: upsertFile, Args: fileValues(t.owner, *r.File)})
	case r.Version != nil:
		return t.hold(wire.Statement{SQL: insertVersion, Args: versionValues(t.owner, r.Path, r.Version)})
	case r.Summary != nil:
		return t.hold(wire.Statement{SQL: upsertSummary, Args: summaryValues(t.owner, r.Path, r.Summary)})
	case r.Log != nil:
		return t.hold(wire.Statement{SQL: upsertLog, Args: logValues(t.owner, *r.Log)})
	case r.Entry != nil:
		return t.hold(wire.Statement{SQL: insertEntry, Args: entryValues(t.owner, r.Path, r.Entry)})
	case r.Request != nil:
		return t.Apply(*r.Request)
	}
	return nil
}
