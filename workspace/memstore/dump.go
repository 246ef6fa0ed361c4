package memstore

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Dump calls fn with all rows of an owner. Nothing changes the owner meanwhile.
func (s *Store) Dump(ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	return s.View(ctx, o, func(r store.Reader) error {
		for row := range r.(*reader).dump() {
			if err := withdrawn(ctx); err != nil {
				return failed(err, "dump %s", o)
			}
			if err := fn(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// dump returns all rows. Each is the caller's own.
func (d *data) dump() iter.Seq[store.Row] {
	return func(yield func(store.Row) bool) {
		_ = (d.state == store.OwnerState{} || yield(store.Row{State: new(d.state)})) &&
			each(d.changes, func(c store.Change) bool { return yield(store.Row{Change: &c}) }) &&
			d.files.each(func(path string, f *file) bool { return f.dump(path, yield) }) &&
			d.logs.each(func(path string, l *logRow) bool { return l.dump(path, yield) }) &&
			d.requests.each(func(_ string,
				q *request) bool {
				return yield(store.Row{Request: new(store.Request(*q))})
			})
	}
}

func (f *file) dump(path string, yield func(store.Row) bool) bool {
	keys := slices.SortedFunc(maps.Keys(f.summaries), dump.CompareKeys)
	return yield(store.Row{File: new(ownHead(f.head))}) &&
		each(f.versions, func(v store.Version) bool {
			return yield(store.Row{Version: new(ownVersion(v)), Path: path})
		}) &&
		each(keys, func(k store.SummaryKey) bool {
			return yield(store.Row{Summary: new(ownSummary(f.summaries[k])), Path: path})
		})
}

func (l *logRow) dump(path string, yield func(store.Row) bool) bool {
	return yield(store.Row{Log: new(l.head)}) &&
		each(l.entries, func(e store.Entry) bool {
			return yield(store.Row{Entry: new(ownEntry(e)), Path: path})
		})
}

// each calls fn for each element until it returns false, and returns that.
func each[E any](list []E, fn func(E) bool) bool {
	for _, e := range list {
		if !fn(e) {
			return false
		}
	}
	return true
}

// Restore stores the rows of an owner that has none.
func (s *Store) Restore(ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	return s.Update(ctx, o, func(t store.Tx) error {
		d := t.(*tx).data
		if !d.empty() {
			return failed(store.Errorf(store.ErrConflict, "the owner has something already"), "restore %s", o)
		}
		var restored data
		for r, err := range dump.Fitting(rows) {
			if err != nil {
				return err
			}
			if err := withdrawn(ctx); err != nil {
				return failed(err, "restore %s", o)
			}
			restored.add(r)
		}
		*d = restored
		return nil
	})
}

// add adds a row that fits to those before it.
func (d *data) add(r store.Row) {
	switch {
	case r.State != nil:
		d.state = ownState(*r.State)
	case r.Change != nil:
		c := *r.Change
		c.Time = stored(c.Time)
		d.changes = append(d.changes, c)
	case r.File != nil:
		d.files.set(r.File.Path, &file{head: ownHead(*r.File), summaries: map[store.SummaryKey]store.Summary{}})
	case r.Version != nil:
		f := d.files.get(r.Path)
		f.versions = append(f.versions, ownVersion(*r.Version))
	case r.Summary != nil:
		d.files.get(r.Path).summaries[r.Summary.SummaryKey] = ownSummary(*r.Summary)
	case r.Log != nil:
		d.logs.set(r.Log.Path, &logRow{head: ownLog(*r.Log)})
	case r.Entry != nil:
		l := d.logs.get(r.Path)
		l.entries = append(l.entries, ownEntry(*r.Entry))
	case r.Request != nil:
		d.requests.set(r.Request.Key, ownRequest(*r.Request))
	}
}
