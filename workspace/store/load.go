package store

import (
	"errors"
	"time"
)

// A Query says what [Reader.Load] loads. The zero Query loads the owner's state alone.
type Query struct {
	File    string // a file, for its head; "": none
	Current bool   // its current version too, with the content unless it is version Since
	Version int64  // this version in place of the current one, if it is retained; 0: off
	Since   int64  // the version that the caller has: loads it too, if it is retained and older than the current one; 0: off
	History bool   // all retained versions, without content

	To string // another file, for its head; "": none

	Log     string      // a log, for its head; "": none
	Entries *EntryQuery // entries of it; nil: none
	Through int64       // the bytes of its entries up to this number; 0: off

	Request     string    // an idempotency key, for the request that is kept under it; "": none
	From, Until time.Time // how many requests were made before From or after Until
	MaxDue      int       // the most that are counted of them; 0: none
}

// Loaded is what a [Query] asked for. The rest has the zero value.
type Loaded struct {
	Owner    OwnerState
	File, To FileHead // as of [Reader.File]
	Version  Version  // the zero value if there is none; without Content if the caller has it
	Old      Version  // version Since; the zero value if it is not retained, or the current one
	Versions []Version
	Log      LogHead
	Entries  []Entry
	Bytes    int64
	Request  *Request // nil: none
	Due      int
}

// LoadFrom is a [Reader.Load] that is composed of the Reader's other methods, for a store
// that gains nothing from one round trip.
func LoadFrom(r Reader, q Query) (l Loaded, err error) {
	if err = l.loadHeads(r, q); err == nil {
		err = l.loadVersions(r, q)
	}
	if err == nil {
		err = l.loadEntries(r, q)
	}
	if err == nil {
		err = l.loadRequests(r, q)
	}
	if err != nil {
		return Loaded{}, err
	}
	return l, nil
}

func (l *Loaded) loadHeads(r Reader, q Query) (err error) {
	known := false // the owner's state
	if q.File != "" {
		if l.File, l.Owner, err = r.File(q.File); err != nil {
			return err
		}
		known = true
	}
	if q.To != "" {
		if l.To, l.Owner, err = r.File(q.To); err != nil {
			return err
		}
		known = true
	}
	if q.Log != "" {
		if l.Log, l.Owner, err = r.Log(q.Log); err != nil {
			return err
		}
		known = true
	}
	if !known {
		l.Owner, err = r.Owner()
	}
	return err
}

func (l *Loaded) loadVersions(r Reader, q Query) (err error) {
	if !l.File.Exists() {
		return nil
	}
	if q.History {
		if l.Versions, err = r.Versions(q.File); err != nil {
			return err
		}
	}
	n := l.File.Version
	if q.Version != 0 {
		n = q.Version
	}
	switch {
	case !q.Current && q.Version == 0:
	case q.Version == 0 && n == q.Since: // the caller has its content
		if l.Version, err = described(r, l.File, n); err != nil {
			return err
		}
	default:
		if l.Version, err = Retained(r, l.File, n); err != nil {
			return err
		}
	}
	if q.Since != 0 && q.Since < l.File.Version {
		l.Old, err = Retained(r, l.File, q.Since)
	}
	return err
}

// Retained returns version n of a file with its content, the zero Version if it is not
// retained. h is the head of the file, from the same Reader. A version that should be there
// and is not is [ErrCorrupt].
func Retained(r Reader, h FileHead, n int64) (Version, error) {
	if n < h.Oldest() || n > h.Version {
		return Version{}, nil
	}
	v, err := r.Version(h.Path, n)
	if errors.Is(err, ErrNotFound) {
		err = Errorf(ErrCorrupt, "version %d is missing", n)
	}
	return v, err
}

// described returns a version without its content, the zero Version if it is not retained.
func described(r Reader, h FileHead, n int64) (Version, error) {
	all, err := r.Versions(h.Path)
	if err != nil || n < h.Oldest() || n > h.Version {
		return Version{}, err
	}
	for _, v := range all {
		if v.Number == n {
			return v, nil
		}
	}
	return Version{}, Errorf(ErrCorrupt, "version %d is missing", n)
}

func (l *Loaded) loadEntries(r Reader, q Query) (err error) {
	if q.Entries != nil && l.Log.Exists() {
		if l.Entries, err = r.Entries(q.Log, *q.Entries); err != nil {
			return err
		}
	}
	if q.Through > 0 {
		l.Bytes, err = r.EntryBytes(q.Log, q.Through)
	}
	return err
}

func (l *Loaded) loadRequests(r Reader, q Query) (err error) {
	if q.Request != "" {
		kept, err := r.Request(q.Request)
		switch {
		case err == nil:
			l.Request = &kept
		case !errors.Is(err, ErrNotFound):
			return err
		}
	}
	if q.MaxDue > 0 && l.Owner.Requests > 0 {
		l.Due, err = r.DueRequests(q.From, q.Until, q.MaxDue)
	}
	return err
}
