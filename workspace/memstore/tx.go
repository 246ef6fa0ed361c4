package memstore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// data is all that one owner has.
type data struct {
	state    store.OwnerState
	files    table[*file]
	logs     table[*logRow]
	requests table[*request]
	changes  []store.Change
}

func (d *data) empty() bool {
	return d.state == store.OwnerState{} &&
		len(d.files.rows) == 0 && len(d.logs.rows) == 0 && len(d.requests.rows) == 0 && len(d.changes) == 0
}

// A reader is a [store.Reader]. It loses its data at the end of its transaction, so
// that a function that has kept it panics and does no harm.
type reader struct {
	*data
}

func (r *reader) Owner() (store.OwnerState, error) { return r.state, nil }

// A tx is a [store.Tx]. It changes the data at once, and remembers how to undo that.
type tx struct {
	reader
	undo []func(*data)
}

func (t *tx) rollback() {
	for _, undo := range slices.Backward(t.undo) {
		undo(t.data)
	}
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
	case store.SummaryChange:
		t.saveSummary(w)
	case store.Request:
		w.Time = stored(w.Time)
		t.setRequest(w.Key, (*request)(&w))
	}
	state, change := w.After()
	if err == nil && change != nil {
		err = t.addChange(*change)
	}
	if err == nil && state != nil {
		old := t.state
		t.undo = append(t.undo, func(d *data) { d.state = old })
		t.state = *state
		t.state.Updated = stored(state.Updated)
	}
	return err
}

func (t *tx) Fold(kind store.PathKind, n int) (highest int64, err error) {
	var gone []deleted
	if kind == store.KindFile {
		for path, f := range t.files.rows {
			if h := f.head; h.Deleted {
				gone = append(gone, deleted{path, h.Updated, h.Version, func() { t.setFile(path, nil) }})
			}
		}
	} else {
		for path, l := range t.logs.rows {
			if h := l.head; h.Deleted {
				gone = append(gone, deleted{path, h.Updated, h.Last, func() { t.setLog(path, nil) }})
			}
		}
	}
	slices.SortFunc(gone, func(a, b deleted) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.path, b.path))
	})
	for _, d := range gone[:min(max(n, 0), len(gone))] {
		highest = max(highest, d.number)
		d.forget()
	}
	return highest, nil
}

// deleted is a path whose number is kept.
type deleted struct {
	path   string
	at     time.Time
	number int64
	forget func()
}

func (t *tx) Forget(o store.Old) error {
	for _, q := range t.due(o.From, o.Until, o.Requests) {
		t.setRequest(q.Key, nil)
	}
	if o.Changes > 0 {
		kept := t.changes[firstAfter(t.changes, o.Changes):]
		t.setChanges(slices.Clone(kept)) // so that the array does not keep what is removed
	}
	return nil
}

func (t *tx) setFile(path string, f *file) {
	old := t.files.get(path)
	t.undo = append(t.undo, func(d *data) { d.files.set(path, old) })
	t.files.set(path, f)
}

func (t *tx) setLog(path string, l *logRow) {
	old := t.logs.get(path)
	t.undo = append(t.undo, func(d *data) { d.logs.set(path, old) })
	t.logs.set(path, l)
}

func (t *tx) setRequest(key string, r *request) {
	old := t.requests.get(key)
	t.undo = append(t.undo, func(d *data) { d.requests.set(key, old) })
	t.requests.set(key, r)
}

// stored returns a time as every store keeps it: UTC, to the microsecond.
func stored(t time.Time) time.Time {
	return t.UTC().Truncate(time.Microsecond)
}
