package memstore

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A tx is a [store.Tx]. Its rows are a copy, which takes the place of the owner's rows when the
// transaction is committed.
type tx struct{ reader }

// put stores a row in place of another, if there is one.
func (t *tx) put(r store.Row) { t.rows.Set(row{placeOf(r), own(r)}) }

// add stores a row. It returns ErrCorrupt if the row is there already: the head that the caller
// has read does not fit the rows.
func (t *tx) add(r store.Row) error {
	if _, there := t.rows.Get(row{place: placeOf(r)}); there {
		table, _ := r.Table()
		return store.Errorf(store.ErrCorrupt, "a row of %s is there already", table.Name)
	}
	t.put(r)
	return nil
}

func (t *tx) remove(doomed iter.Seq[store.Row]) {
	for _, r := range slices.Collect(doomed) {
		t.rows.Delete(row{place: placeOf(r)})
	}
}

// prune removes the versions or entries of a path up to a number.
func (t *tx) prune(part int, path string, through int64) {
	t.remove(along(t.rows.Descend, place{part: part, path: path, table: contents, number: through}))
}

func (t *tx) Apply(w store.Write) error {
	var err error
	switch w := w.(type) {
	case store.FileChange:
		err = t.saveFile(w)
	case store.LogChange:
		err = t.saveLog(w)
	case store.FileMove:
		err = t.moveFile(w)
	case store.VersionRedaction:
		err = t.redact(w)
	case store.EntryRedaction:
		err = t.redactEntry(w)
	case store.SummaryChange:
		t.put(store.Row{Summary: &w.New, Path: w.Head.Path})
		t.put(store.Row{File: &w.Head})
	case store.Request:
		t.put(store.Row{Request: &w})
	}
	state, change := w.After()
	if err == nil && change != nil {
		err = t.add(store.Row{Change: change})
	}
	switch {
	case err != nil || state == nil:
	case *state == store.OwnerState{}:
		t.rows.Delete(row{place: place{part: states}})
	default:
		t.put(store.Row{State: state})
	}
	return err
}

func (t *tx) saveFile(c store.FileChange) error {
	t.prune(files, c.Head.Path, c.Prune)
	if c.Forget {
		t.remove(along(t.rows.Ascend, place{part: files, path: c.Head.Path, table: summaries}))
	}
	t.put(store.Row{File: &c.Head})
	if c.New == nil {
		return nil
	}
	return t.add(store.Row{Version: c.New, Path: c.Head.Path})
}

func (t *tx) moveFile(m store.FileMove) error {
	moved := slices.Collect(along(t.rows.Ascend,
		place{part: files, path: m.From.Path, table: contents, number: m.Above + 1}))
	t.remove(slices.Values(moved))
	for _, v := range moved {
		v.Path = m.To.Path
		if err := t.add(v); err != nil {
			return err
		}
	}
	from, to := m.Changes()
	return cmp.Or(t.saveFile(from), t.saveFile(to))
}

func (t *tx) redact(c store.VersionRedaction) error {
	v := t.version(c.Head.Path, c.Number)
	if v.Number == 0 {
		return store.MissingVersion(c.Number)
	}
	v = store.Version{Number: v.Number, Author: v.Author, Time: v.Time, Project: v.Project, Redacted: &c.Redaction}
	t.put(store.Row{Version: &v, Path: c.Head.Path})
	return t.saveFile(store.FileChange{Head: c.Head, Forget: c.Forget})
}

func (t *tx) redactEntry(c store.EntryRedaction) error {
	found, there := t.find(place{part: logs, path: c.Head.Path, table: contents, number: c.ID})
	if !there {
		return store.Errorf(store.ErrCorrupt, "entry %d is missing", c.ID)
	}
	e := store.Entry{ID: c.ID, Author: found.Entry.Author, Time: found.Entry.Time, Redacted: &c.Redaction}
	t.put(store.Row{Entry: &e, Path: c.Head.Path})
	return t.saveLog(store.LogChange{Head: c.Head})
}

func (t *tx) saveLog(c store.LogChange) error {
	t.prune(logs, c.Head.Path, c.Prune)
	t.put(store.Row{Log: &c.Head})
	for i := range c.New {
		if err := t.add(store.Row{Entry: &c.New[i], Path: c.Head.Path}); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) ForgetDeleted(kind store.PathKind, n int) (highest int64, err error) {
	type deleted struct {
		row    store.Row
		at     time.Time
		number int64
	}
	var gone []deleted
	for r := range list(t.rows, files, "", "") {
		if h := r.File; kind == store.KindFile && h.Deleted && len(h.Sizes) == 0 {
			gone = append(gone, deleted{r, h.Updated, h.Version})
		}
	}
	for r := range list(t.rows, logs, "", "") {
		if h := r.Log; kind == store.KindLog && h.Deleted {
			gone = append(gone, deleted{r, h.Updated, h.Last})
		}
	}
	slices.SortStableFunc(gone, func(a, b deleted) int { return a.at.Compare(b.at) })
	for _, d := range gone[:min(max(n, 0), len(gone))] {
		highest = max(highest, d.number)
		t.rows.Delete(row{place: placeOf(d.row)})
	}
	return highest, nil
}

func (t *tx) Forget(o store.Old) error {
	t.remove(slices.Values(t.due(o.DueBefore, o.DueAfter, o.Requests)))
	t.remove(along(t.rows.Descend, place{part: changes, number: o.Changes}))
	return nil
}
