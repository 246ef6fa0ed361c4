package pad

import (
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// Forever is a TTL that never ends.
const Forever time.Duration = -1

// Expiry says what a TTL counts from.
type Expiry int

const (
	InheritExpiry Expiry = iota // as [Options].DefaultExpiry says
	Fixed                       // from the first Set of the entry
	Sliding                     // from the last access
)

// Entry is one value of working memory with what is kept of it. AccessedAt has a
// resolution of 1 ms, and so have all times in a snapshot's JSON.
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

// Expired reports whether the entry has expired at the time.
func (e Entry) Expired(now time.Time) bool {
	at, ok := e.ExpiresAt()
	return ok && !now.Before(at)
}

// Options returns what sets the entry again as it is.
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

// entry is an Entry as it is stored. It does not change, but for when it was
// accessed, and pads and snapshots share it.
type entry struct {
	key              string
	value            any // or *encoded
	tags             []string
	created, updated time.Time
	ttl              time.Duration
	sliding          bool
	due              int64  // where the index of expiry has it; Unix ns, no later than it expires
	seq              uint64 // the order of creation; a later Set of a live entry keeps it
	revision         uint64 // the change that made it, of any pad; a copy keeps it
	epoch            uint64 // the epoch it was made in

	accessed atomic.Int64 // Unix ms; changed in the entry's own epoch only
	touches  atomic.Pointer[touch]
}

// Key makes an entry an item of a trie.
func (e *entry) Key() string { return e.key }

// accessedAt returns when the entry was last accessed, as the moment sees it, in
// Unix ms.
func (e *entry) accessedAt(m moment) int64 {
	for t := e.touches.Load(); t != nil; t = t.before {
		if m.sees(t) {
			return t.at.Load()
		}
	}
	return e.accessed.Load()
}

// access moves the time of access to ms. It never moves it back.
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
		// What stands on an earlier branch alone is out of sight once that is folded.
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

// maxTouches bounds what an entry keeps of the accesses of other pads.
const maxTouches = 32

// crowded reports whether an access should rather go to a copy.
func (e *entry) crowded() bool {
	t := e.touches.Load()
	return t != nil && t.number >= maxTouches
}

// expired reports whether the entry has expired at the time, as the moment sees
// its last access.
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

// copied returns the entry as the moment sees it, to stand in its place.
func (e *entry) copied(m moment) *entry {
	c := &entry{
		key: e.key, value: e.value, tags: e.tags, created: e.created, updated: e.updated, ttl: e.ttl, sliding: e.sliding,
		seq: e.seq, revision: e.revision, epoch: m.epoch,
	}
	c.accessed.Store(e.accessedAt(m))
	c.due = c.dueAt(m)
	return c
}

// dueAt returns when the entry expires, in Unix ns within their range.
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

// public returns the entry as the moment sees it, with the key as a view names it.
func (e *entry) public(m moment, key string) Entry {
	return Entry{
		Key: key, Value: untyped(e.value), CreatedAt: e.created, UpdatedAt: e.updated,
		AccessedAt: time.UnixMilli(e.accessedAt(m)).In(e.created.Location()),
		TTL:        e.ttl, Sliding: e.sliding, Tags: slices.Clone(e.tags),
	}
}

func newRevision() uint64 { return revisions.Add(1) }

// SetOptions of [Pad.SetWith]. The zero value takes the pad's defaults.
type SetOptions struct {
	TTL    time.Duration // 0: the pad's default; Forever: never expires; Sliding: at least 1 ms
	Expiry Expiry        // InheritExpiry: the pad's default
	Tags   []string      // copied; duplicates are dropped, the order is kept
}

func (x Expiry) known() bool { return x == InheritExpiry || x == Fixed || x == Sliding }

// distinct returns the tags once each, in their order.
func distinct(tags []string) []string {
	var list []string
	for _, tag := range tags {
		if !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return list
}
