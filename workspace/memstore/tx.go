package memstore

import (
	"slices"
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

func (t *tx) SaveOwner(s store.OwnerState) error {
	s.Updated = stored(s.Updated)
	old := t.state
	t.undo = append(t.undo, func(d *data) { d.state = old })
	t.state = s
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
