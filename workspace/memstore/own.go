package memstore

import (
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// These functions return a row as every store keeps it, that shares nothing with another one.

// stored returns a time in UTC, to the microsecond.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func ownState(s store.OwnerState) store.OwnerState {
	s.Updated = stored(s.Updated)
	return s
}

func ownHead(h store.FileHead) store.FileHead {
	h.Sizes, h.Created, h.Updated = slices.Clone(h.Sizes), stored(h.Created), stored(h.Updated)
	return h
}

func ownLog(h store.LogHead) store.LogHead {
	h.Created, h.Updated = stored(h.Created), stored(h.Updated)
	return h
}

func ownVersion(v store.Version) store.Version {
	v.Time, v.Author.Session, v.Content = stored(v.Time), "", slices.Clone(v.Content)
	if v.Redacted != nil {
		r := *v.Redacted
		r.Time, r.Author.Session = stored(r.Time), ""
		v.Redacted = &r
	}
	return v
}

func ownSummary(s store.Summary) store.Summary {
	s.Time, s.Content = stored(s.Time), slices.Clone(s.Content)
	return s
}

func ownEntry(e store.Entry) store.Entry {
	e.Time, e.Author.Session, e.Content = stored(e.Time), "", slices.Clone(e.Content)
	return e
}

func ownRequest(q store.Request) *request {
	q.Time = stored(q.Time)
	return (*request)(&q)
}
