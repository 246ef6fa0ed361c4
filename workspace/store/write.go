package store

import "time"

// A Write is one change that [Tx.Apply] stores: a [FileChange], a [LogChange], a
// [FileMove], a [VersionRedaction], an [EntryRedaction], a [SummaryChange], a [Request] or an
// [OwnerState].
//
// Apply stores a Request under its key, and replaces an older one. Apply replaces the owner's
// state with an OwnerState. The zero OwnerState removes the state, which must be the owner's
// last row.
type Write interface {
	// After returns the owner's state after the write, or nil if the state stays, and the row
	// for the journal, or nil if there is none.
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
func (r EntryRedaction) After() (*OwnerState, *Change) { return &r.Owner, r.Change.orNil() }

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

// Old selects the rows that [Tx.Forget] removes.
type Old struct {
	Requests int   // removes at most this number of due requests, the oldest first; 0: none
	Changes  int64 // removes the rows of the journal up to this revision; 0: none

	DueBefore, DueAfter time.Time // a request is due if it was made before DueBefore or after DueAfter
}
