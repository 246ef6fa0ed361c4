package store

import "time"

// A Query says what [Reader.Load] loads. The zero Query loads the owner's state alone.
type Query struct {
	File     string // a file, for its head; "": none
	Current  bool   // its current version too, with the content unless it is version Since
	MaxBytes int64  // leaves out a current version that is longer, as the head says; 0: none is too long
	Version  int64  // this version in place of the current one, if it is retained; 0: off
	// Since is the version that the caller has. Load also loads it, if it is retained and not the
	// current one. 0: off.
	Since   int64
	History bool        // all retained versions, without content; those that are redacted have their receipts
	Summary *SummaryKey // the summary under this key, with its content; a Version of 0 is the current one; nil: none

	To string // another file, for its head; "": none

	Log     string      // a log, for its head; "": none
	Entries *EntryQuery // entries of it; nil: none
	Through int64       // the bytes of its entries up to this number; 0: off

	Request string // an idempotency key, for the request that is kept under it; "": none
	MaxDue  int    // counts the requests that are due, up to this number; 0: off

	DueBefore, DueAfter time.Time // requests are due that were made before DueBefore or after DueAfter
}

// Loaded has what a [Query] asked for, and the zero value for everything else. The head of a
// path that was never written has the Path alone. The head of a deleted path keeps its number
// and is Deleted.
type Loaded struct {
	Owner    OwnerState
	File, To FileHead
	Version  Version // the zero value if there is none; without Content if the caller has it
	Old      Version // version Since; the zero value if it is not retained, or the current one
	Versions []Version
	Summary  *Summary // nil: none is kept
	Log      LogHead
	Entries  []Entry
	Bytes    int64    // of the entries up to Query.Through
	Request  *Request // nil: none
	Due      int      // how many requests are due, at most Query.MaxDue
}

// VersionOf returns the number of the version that a store loads into [Loaded.Version] for a
// file with the head h; 0: none.
func (q Query) VersionOf(h FileHead) int64 {
	switch {
	case q.Version != 0:
		return retained(h, q.Version)
	case !q.Current || q.MaxBytes > 0 && h.Size() > q.MaxBytes:
		return 0
	}
	return retained(h, h.Version)
}

// OldOf returns the number of the version that a store loads into [Loaded.Old] for a file with
// the head h; 0: none.
func (q Query) OldOf(h FileHead) int64 {
	if q.Since >= h.Version {
		return 0
	}
	return retained(h, q.Since)
}

// retained returns n if that version is retained, else 0.
func retained(h FileHead, n int64) int64 {
	if !h.Exists() || n < h.Oldest() || n > h.Version {
		return 0
	}
	return n
}

// Reconcile makes what was read agree with the heads. A store may read before it knows the
// heads, and calls Reconcile afterwards: what the heads do not count is dropped. If the heads
// count a version that was not read, the error is [ErrCorrupt].
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
	if !l.File.Exists() {
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

// MissingVersion returns the [ErrCorrupt] of a version that a head counts and that is not
// there.
func MissingVersion(n int64) error { return Errorf(ErrCorrupt, "version %d is missing", n) }
