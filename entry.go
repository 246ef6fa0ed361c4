package scratchpad

import (
	"math"
	"slices"
	"time"
)

// Entry is one value of working memory with what is kept of it. Times have a
// resolution of 1 ms in a snapshot.
type Entry struct {
	Key                              string
	Value                            any
	CreatedAt, UpdatedAt, AccessedAt time.Time
	TTL                              time.Duration // 0: never expires
	Sliding                          bool          // the TTL counts from AccessedAt, not from CreatedAt
	Tags                             []string
}

// ExpiresAt returns when the entry expires, and false if it never does.
func (e Entry) ExpiresAt() (time.Time, bool) {
	if e.TTL <= 0 {
		return time.Time{}, false
	}
	from := e.CreatedAt
	if e.Sliding {
		from = e.AccessedAt
	}
	if ms := from.UnixMilli(); ms > math.MaxInt64-e.TTL.Milliseconds() {
		return time.UnixMilli(math.MaxInt64), true
	}
	return from.Add(e.TTL), true
}

// Expired reports whether the entry has expired at the time.
func (e Entry) Expired(now time.Time) bool {
	at, ok := e.ExpiresAt()
	return ok && !now.Before(at)
}

func (e Entry) clone() Entry {
	e.Tags = slices.Clone(e.Tags)
	return e
}
