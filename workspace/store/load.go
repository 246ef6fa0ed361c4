package store

import "time"

// A Query says what [Reader.Load] loads. The zero Query loads only the owner's state.
type Query struct {
	File     string // loads the head of this file; "": none
	Current  bool   // loads the current version of File too, without its content if it is version Since
	MaxBytes int64  // leaves out a current version with more bytes in its head; 0: no limit
	Version  int64  // loads this version in place of the current one, if it is retained; 0: off
	// Since is the version that the caller has. Load also loads this version, if it is retained
	// and not the current one. 0: off.
	Since   int64
	History bool        // loads all retained versions without content; redacted versions have their receipts
	Summary *SummaryKey // loads the summary under this key with its content; Version 0: the current one; nil: none

	To string // loads the head of another file; "": none

	Log     string      // loads the head of this log; "": none
	Entries *EntryQuery // loads entries of Log; nil: none
	Through int64       // adds up the bytes of the entries of Log up to this number; 0: off

	Request string // loads the request under this idempotency key; "": none
	MaxDue  int    // counts the requests that are due, and stops at this number; 0: off

	DueBefore, DueAfter time.Time // a request is due if it was made before DueBefore or after DueAfter
}

// Loaded is the answer to a [Query]. Each field that the Query does not ask for is zero, except
// Owner. The head of a path that was never written has only the Path. The head of a deleted
// path keeps its number and has Deleted set. Its retained versions are loaded as those of a
// file, and none of them is current.
type Loaded struct {
	Owner    OwnerState
	File, To FileHead
	Version  Version // zero if there is none; without Content if it is version Since
	Old      Version // version Since; zero if that version is not retained, or is the current one
	Versions []Version
	Summary  *Summary // nil: there is none
	Log      LogHead
	Entries  []Entry
	Bytes    int64    // bytes of the entries up to Query.Through
	Request  *Request // nil: there is none
	Due      int      // number of requests that are due, at most Query.MaxDue
}

// VersionOf returns the number of the version that a store loads into [Loaded].Version for a
// file with the head h. 0 means none.
func (q Query) VersionOf(h FileHead) int64 {
	switch {
	case q.Version != 0:
		return retained(h, q.Version)
	case !q.Current || q.MaxBytes > 0 && h.Size() > q.MaxBytes:
		return 0
	}
	return current(h)
}

// current returns the number of the current version, or 0 if there is none.
func current(h FileHead) int64 {
	if h.Deleted {
		return 0
	}
	return retained(h, h.Version)
}

// OldOf returns the number of the version that a store loads into [Loaded].Old for a file with
// the head h. 0 means none.
func (q Query) OldOf(h FileHead) int64 {
	if q.Since == current(h) {
		return 0
	}
	return retained(h, q.Since)
}

// retained returns n if that version is retained, else 0.
func retained(h FileHead, n int64) int64 {
	if !h.Has(n) {
		return 0
	}
	return n
}

// Reconcile makes the fields of l agree with the heads in l. A store may read rows before it
// knows the heads, and calls Reconcile afterwards. Reconcile drops the versions, entries and
// requests that the heads and the owner's state do not count. If a head counts a version that
// was not read, the error is [ErrCorrupt].
func (l *Loaded) Reconcile(q Query) error {
	for _, v := range []struct {
		read *Version
		want int64
	}{{&l.Version, q.VersionOf(l.File)}, {&l.Old, q.OldOf(l.File)}} {
		if v.want == 0 {
			*v.read = Version{}
		} else if v.read.Number != v.want {
			return MissingVersion(v.want)
		}
	}
	if q.Version == 0 && l.Version.Number == q.Since { // the caller has its content
		l.Version.Content = nil
	}
	if len(l.File.Sizes) == 0 {
		l.Versions = nil
	}
	if !l.Log.Exists() {
		l.Entries = nil
	}
	if l.Owner.Requests == 0 {
		l.Due = 0
	}
	return nil
}

// MissingVersion returns the [ErrCorrupt] for version n, which a head counts but the store
// does not have.
func MissingVersion(n int64) error { return Errorf(ErrCorrupt, "version %d is missing", n) }
