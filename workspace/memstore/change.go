package memstore

import (
	"cmp"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The rows of the journal are in ascending order. A change of the slice puts another in
// its place, so that it is cheap to undo. Slices may share their array; each uses it up to
// its own length.

func (r *reader) Changes(after int64, limit int) ([]store.Change, error) {
	rows := r.changes[firstAfter(r.changes, after):]
	return slices.Clone(rows[:min(len(rows), limit)]), nil
}

// firstAfter returns the index of the first row after a revision.
func firstAfter(rows []store.Change, revision int64) int {
	i, _ := slices.BinarySearchFunc(rows, revision, func(c store.Change, n int64) int {
		return cmp.Or(cmp.Compare(c.Revision, n), -1) // the row itself is before
	})
	return i
}

func (t *tx) setChanges(rows []store.Change) {
	old := t.changes
	t.undo = append(t.undo, func(d *data) { d.changes = old })
	t.changes = rows
}

// addChange adds a row to the journal. It returns ErrCorrupt for a row that is not above
// the last one.
func (t *tx) addChange(c store.Change) error {
	if n := len(t.changes); n > 0 && t.changes[n-1].Revision >= c.Revision {
		return store.Errorf(store.ErrCorrupt, "change %d after change %d", c.Revision, t.changes[n-1].Revision)
	}
	c.Time = stored(c.Time)
	t.setChanges(append(t.changes, c))
	return nil
}
