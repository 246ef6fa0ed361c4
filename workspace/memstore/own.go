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
	s.Updated, s.NextExpiry = stored(s.Updated), stored(s.NextExpiry)
	return s
}

func ownHead(h store.FileHead) store.FileHead {
	h.Sizes, h.Created, h.Updated = slices.Clone(h.Sizes), stored(h.Created), stored(h.Updated)
	h.Deleter.Session, h.Expires, h.Runs = "", stored(h.Expires), slices.Clone(h.Runs)
	for i, r := range h.Runs {
		h.Runs[i].Created = stored(r.Created)
	}
	return h
}

func ownLog(h store.LogHead) store.LogHead {
	h.Created, h.Updated = stored(h.Created), stored(h.Updated)
	return h
}

func ownVersion(v store.Version) store.Version {
	v.Time, v.Author.Session, v.Content = stored(v.Time), "", slices.Clone(v.Content)
	v.Redacted = ownReceipt(v.Redacted)
	return v
}

func ownReceipt(r *store.Redaction) *store.Redaction {
	if r != nil {
		r = new(*r)
		r.Time, r.Author.Session = stored(r.Time), ""
	}
	return r
}

func ownSummary(s store.Summary) store.Summary {
	s.Time, s.Content = stored(s.Time), slices.Clone(s.Content)
	return s
}

func ownEntry(e store.Entry) store.Entry {
	e.Time, e.Author.Session, e.Content = stored(e.Time), "", slices.Clone(e.Content)
	e.Redacted = ownReceipt(e.Redacted)
	return e
}

func ownRequest(q store.Request) *request {
	q.Time = stored(q.Time)
	return (*request)(&q)
}
