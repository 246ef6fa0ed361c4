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
	case store.EntryRedaction:
		err = t.redactEntry(w)
	case store.SummaryChange:
		err = t.saveSummary(w)
	case store.Request:
		t.setRequest(w.Key, ownRequest(w))
	}
	state, change := w.After()
	if err == nil && change != nil {
		err = t.addChange(*change)
	}
	if err == nil && state != nil {
		old := t.state
		t.undo = append(t.undo, func(d *data) { d.state = old })
		t.state = ownState(*state)
	}
	return err
}

func (t *tx) ForgetDeleted(kind store.PathKind, n int) (highest int64, err error) {
	var gone []deleted
	for path, f := range t.files.rows {
		if h := f.head; kind == store.KindFile && h.Deleted && len(h.Sizes) == 0 {
			gone = append(gone, deleted{path, h.Updated, h.Version})
		}
	}
	for path, l := range t.logs.rows {
		if h := l.head; kind == store.KindLog && h.Deleted {
			gone = append(gone, deleted{path, h.Updated, h.Last})
		}
	}
	slices.SortFunc(gone, func(a, b deleted) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.path, b.path))
	})
	for _, d := range gone[:min(max(n, 0), len(gone))] {
		highest = max(highest, d.number)
		if kind == store.KindFile {
			t.setFile(d.path, nil)
		} else {
			t.setLog(d.path, nil)
		}
	}
	return highest, nil
}

// deleted is a path whose number is kept.
type deleted struct {
	path   string
	at     time.Time
	number int64
}

func (t *tx) Forget(o store.Old) error {
	for _, q := range t.due(o.DueBefore, o.DueAfter, o.Requests) {
		t.setRequest(q.Key, nil)
	}
	if o.Changes > 0 {
		kept := t.changes[firstAfter(t.changes, o.Changes):]
		t.setChanges(slices.Clone(kept)) // so that the array does not keep what is removed
	}
	return nil
}

// put puts a row into a table of the owner, or none if it is nil.
func put[R kept](t *tx, of func(*data) *table[R], key string, r R) {
	old := of(t.data).get(key)
	t.undo = append(t.undo, func(d *data) { of(d).set(key, old) })
	of(t.data).set(key, r)
}

func (t *tx) setFile(path string, f *file) {
	put(t, func(d *data) *table[*file] { return &d.files }, path, f)
}

func (t *tx) setLog(path string, l *logRow) {
	put(t, func(d *data) *table[*logRow] { return &d.logs }, path, l)
}

func (t *tx) setRequest(key string, r *request) {
	put(t, func(d *data) *table[*request] { return &d.requests }, key, r)
}
