package store

import "time"

// A Write is one change that [Tx.Apply] stores: a [FileChange], a [LogChange], a
// [FileMove], a [VersionRedaction], a [SummaryChange], a [Request] or an [OwnerState].
//
// A Request is kept under its key, in place of another. An OwnerState takes the place of
// the one before; the zero state leaves nothing of the owner.
type Write interface {
	// After returns the owner's state after the write, nil if it stays, and the row that
	// the journal gets, nil if it gets none.
	After() (*OwnerState, *Change)
}

// After implements [Write].
func (c FileChange) After() (*OwnerState, *Change) { return &c.Owner, c.Change.orNil() }

// After implements [Write].
func (c LogChange) After() (*OwnerState, *Change) { return &c.Owner, c.Change.orNil() }

// After implements [Write].
func (m FileMove) After() (*OwnerState, *Change) { return &m.Owner, m.Change.orNil() }

// After implements [Write].
func (r VersionRedaction) After() (*OwnerState, *Change) { return &r.Owner, r.Change.orNil() }

// After implements [Write].
func (c SummaryChange) After() (*OwnerState, *Change) { return &c.Owner, nil }

// After implements [Write].
func (Request) After() (*OwnerState, *Change) { return nil, nil }

// After implements [Write].
func (s OwnerState) After() (*OwnerState, *Change) { return &s, nil }

// orNil returns a row of the journal, nil if it has no number.
func (c Change) orNil() *Change {
	if c.Revision == 0 {
		return nil
	}
	return &c
}

// Old is what [Tx.Forget] removes.
type Old struct {
	Requests int   // at most so many of the requests that are due, the oldest first; 0: none
	Changes  int64 // the rows of the journal up to this revision; 0: none

	DueBefore, DueAfter time.Time // requests are due that were made before DueBefore or after DueAfter
}
