package sqlite

import (
	"context"
	"iter"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
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
	}})
}

// restore adds a row.
func (t *tx) restore(r store.Row) (err error) {
	t.added = true
	switch {
	case r.State != nil:
		err = t.saveOwner(*r.State)
	case r.Change != nil:
		err = t.addChange(r.Change)
	case r.File != nil:
		_, err = t.exec(row.PutFile, row.FileValues(t.owner, *r.File)...)
	case r.Version != nil:
		t.wrote += r.Version.Size
		_, err = t.exec(row.InsertVersion, row.VersionValues(t.owner, r.Path, r.Version)...)
	case r.Summary != nil:
		t.wrote += int64(len(r.Summary.Content))
		_, err = t.exec(row.PutSummary, row.SummaryValues(t.owner, r.Path, r.Summary)...)
	case r.Log != nil:
		_, err = t.exec(row.PutLog, row.LogValues(t.owner, *r.Log)...)
	case r.Entry != nil:
		t.wrote += int64(len(r.Entry.Content))
		_, err = t.exec(row.InsertEntry, row.EntryValues(t.owner, r.Path, r.Entry)...)
	case r.Request != nil:
		err = t.Apply(*r.Request)
	}
	return err
}
