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

// entry is an Entry as it is stored. Pads and snapshots share it. Only the times of
// access change.
type entry struct {
	key              string
	value            any // or *encoded
	tags             []string
	created, updated time.Time
	ttl              time.Duration
	sliding          bool
	due              int64  // its place in the index of expiry: Unix ns, not after it expires
	seq              uint64 // its place in the order of creation; a Set of a live entry keeps it
	revision         uint64 // the change that made it; a copy has the same one
	epoch            uint64 // the epoch in which it was made

	accessed atomic.Int64 // Unix ms; changed only in the epoch of the entry
	touches  atomic.Pointer[touch]
}

func newRevision() uint64 { return revisions.Add(1) }

// Key makes an entry an item of a trie.
func (e *entry) Key() string { return e.key }

// accessedAt returns the last access that the moment sees, in Unix ms.
func (e *entry) accessedAt(m moment) int64 {
	for t := e.touches.Load(); t != nil; t = t.before {
		if m.sees(t) {
			return t.at.Load()
		}
	}
	return e.accessed.Load()
}

// access stores an access at ms, unless a later one is stored already.
func (e *entry) access(m moment, ms int64) {
	if e.epoch == m.epoch {
		raise(&e.accessed, ms)
		return
	}
	for {
		head := e.touches.Load()
		if head != nil && head.branch == m.branch && head.epoch == m.epoch {
			raise(&head.at, ms)
			return
		}
		at := e.accessedAt(m)
		// If the access is stored only on an earlier branch, flatten will lose it.
		if at >= ms && (head == nil || head.branch == m.branch) {
			return
		}
		t := &touch{branch: m.branch, epoch: m.epoch, before: head, number: 1, key: e.key}
		if head != nil {
			t.number = head.number + 1
		}
		t.at.Store(max(at, ms))
		if e.touches.CompareAndSwap(head, t) {
			m.branch.add(t)
			return
		}
	}
}

// maxTouches is how many touches an entry may have. They stay when the pads that made
// them are gone.
const maxTouches = 32

// crowded reports whether an access should go to a copy of the entry.
func (e *entry) crowded() bool {
	t := e.touches.Load()
	return t != nil && t.number >= maxTouches
}

// expired reports whether the entry has expired at the given time. A sliding TTL
// begins at the last access that the moment sees.
func (e *entry) expired(m moment, now time.Time) bool {
	if e.ttl == 0 {
		return false
	}
	at, _ := e.expiresAt(m)
	return !now.Before(at)
}

func (e *entry) expiresAt(m moment) (time.Time, bool) {
	if e.sliding {
		return expiry(time.UnixMilli(e.accessedAt(m)), e.ttl)
	}
	return expiry(e.created, e.ttl)
}

// copied returns a copy to replace the entry. Its last access is the one that the
// moment sees.
func (e *entry) copied(m moment) *entry {
	c := &entry{
		key: e.key, value: e.value, tags: e.tags, created: e.created, updated: e.updated, ttl: e.ttl,
		sliding: e.sliding,
		seq:     e.seq, revision: e.revision, epoch: m.epoch,
	}
	c.accessed.Store(e.accessedAt(m))
	c.due = c.dueAt(m)
	return c
}

// dueAt returns when the entry expires, in Unix ns. Times out of range become the
// nearest one in range.
func (e *entry) dueAt(m moment) int64 {
	at, ok := e.expiresAt(m)
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

// public returns the Entry that the moment sees, under a key relative to a view.
func (e *entry) public(m moment, key string) Entry {
	return Entry{
		Key: key, Value: untyped(e.value), CreatedAt: e.created, UpdatedAt: e.updated,
		AccessedAt: time.UnixMilli(e.accessedAt(m)).In(e.created.Location()),
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
