package pad

import (
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// Forever is the TTL of an entry that never expires.
const Forever time.Duration = -1

// Expiry says when a TTL begins.
type Expiry int

const (
	InheritExpiry Expiry = iota // as in [Options].DefaultExpiry
	Fixed                       // at the first Set of the entry
	Sliding                     // at the last access
)

func (x Expiry) known() bool { return x == InheritExpiry || x == Fixed || x == Sliding }

// SetOptions are the options of [Pad.SetWith]. The zero value takes the pad's defaults.
type SetOptions struct {
	TTL    time.Duration // 0: the pad's default; Forever: never expires. A sliding TTL is at least 1 ms
	Expiry Expiry        // InheritExpiry: the pad's default
	Tags   []string      // copied; duplicates are dropped, the order is kept
}

// Entry is a key and its value, with times, TTL and tags. AccessedAt has a resolution
// of 1 ms, and so do all times in the JSON of a snapshot.
type Entry struct {
	Key                              string
	Value                            any
	CreatedAt, UpdatedAt, AccessedAt time.Time
	TTL                              time.Duration // 0: never expires
	Sliding                          bool          // the TTL begins at AccessedAt, not at CreatedAt
	Tags                             []string
}

// ExpiresAt returns when the entry expires, and false if it never does.
func (e Entry) ExpiresAt() (time.Time, bool) {
	from := e.CreatedAt
	if e.Sliding {
		from = e.AccessedAt
	}
	return expiry(from, e.TTL)
}

func expiry(from time.Time, ttl time.Duration) (time.Time, bool) {
	if ttl <= 0 {
		return time.Time{}, false
	}
	if from.UnixMilli() > math.MaxInt64-ttl.Milliseconds() {
		return time.UnixMilli(math.MaxInt64), true
	}
	return from.Add(ttl), true
}

// ttlMilliseconds returns a TTL in milliseconds, rounded up: 0 would mean expired.
func ttlMilliseconds(ttl time.Duration) int64 {
	if ttl > math.MaxInt64-time.Millisecond {
		return ttl.Milliseconds()
	}
	return (ttl + time.Millisecond - 1).Milliseconds()
}

// Expired reports whether the entry has expired at the given time.
func (e Entry) Expired(now time.Time) bool {
	at, ok := e.ExpiresAt()
	return ok && !now.Before(at)
}

// Options returns the options to set the same entry again. A TTL of 0 becomes [Forever].
func (e Entry) Options() SetOptions {
	o := SetOptions{TTL: e.TTL, Expiry: Fixed, Tags: slices.Clone(e.Tags)}
	if e.TTL == 0 {
		o.TTL = Forever
	}
	if e.Sliding {
		o.Expiry = Sliding
	}
	return o
}

// entry is an Entry as it is stored. Pads and snapshots share it. Only the time of the
// access changes.
type entry struct {
	key              string
	hash             uint64 // of the key
	value            any    // or *encoded
	tags             []string
	created, updated time.Time
	ttl              time.Duration
	sliding          bool
	due              int64  // its place in the index of expiry: Unix ns, not after it expires
	seq              uint64 // its place in the order of creation; a Set of a live entry keeps it
	revision         uint64 // the change that made it; a copy has the same one
	epoch            uint64 // of the store that made it; its accesses are stored in the entry until the next epoch

	accessed atomic.Int64 // Unix ms
}

var (
	epochs    atomic.Uint64 // each epoch is used by one store, so that no store changes another's entries
	revisions atomic.Uint64 // each revision is used by one change
)

func newEpoch() uint64 { return epochs.Add(1) }

func newRevision() uint64 { return revisions.Add(1) }

// access stores an access, unless a later one is stored already.
func (e *entry) access(ms int64) {
	for have := e.accessed.Load(); have < ms && !e.accessed.CompareAndSwap(have, ms); {
		have = e.accessed.Load()
	}
}

// expired reports whether the entry has expired at the given time.
func (e *entry) expired(now time.Time) bool {
	if e.ttl == 0 {
		return false
	}
	at, _ := e.expiresAt()
	return !now.Before(at)
}

func (e *entry) expiresAt() (time.Time, bool) {
	if e.sliding {
		return expiry(time.UnixMilli(e.accessed.Load()), e.ttl)
	}
	return expiry(e.created, e.ttl)
}

// copied returns a copy of the entry for another epoch.
func (e *entry) copied(epoch uint64) *entry {
	c := &entry{
		key: e.key, value: e.value, tags: e.tags, created: e.created, updated: e.updated, ttl: e.ttl,
		sliding: e.sliding, seq: e.seq, revision: e.revision, epoch: epoch,
	}
	c.accessed.Store(e.accessed.Load())
	return c
}

// dueAt returns when the entry expires, in Unix ns. Times out of range become the
// nearest one in range.
func (e *entry) dueAt() int64 {
	at, ok := e.expiresAt()
	if !ok {
		return math.MaxInt64
	}
	return nanoseconds(at)
}

func nanoseconds(t time.Time) int64 {
	switch {
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	}
	return t.UnixNano()
}

// public returns the Entry under its key in a view.
func (e *entry) public(prefix string) Entry {
	return Entry{
		Key: e.key[len(prefix):], Value: untyped(e.value), CreatedAt: e.created, UpdatedAt: e.updated,
		AccessedAt: time.UnixMilli(e.accessed.Load()).In(e.created.Location()),
		TTL:        e.ttl, Sliding: e.sliding, Tags: slices.Clone(e.tags),
	}
}

// distinct returns the tags without duplicates, in their order.
func distinct(tags []string) []string {
	var list []string
	for _, tag := range tags {
		if !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return list
}
