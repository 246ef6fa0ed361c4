package scratchpad

import (
	"bytes"
	"reflect"
	"slices"
)

// SnapshotDiff lists keys, as the snapshots' views name them. Each list is sorted,
// and none is nil.
type SnapshotDiff struct {
	Added, Removed []string // only in the snapshot after, only in the one before
	Updated        []string // in both, with another value, other tags, or another TTL
	Unchanged      []string // the rest; an access or a Set of the same changes nothing
}

// Diff compares two snapshots, of whatever pads or views. A nil snapshot is an
// empty one. Values are the same when [reflect.DeepEqual] finds them so as Get
// gives them; of tags the order counts.
func Diff(before, after *Snapshot) SnapshotDiff {
	before, after = orEmpty(before), orEmpty(after)
	d := SnapshotDiff{Added: []string{}, Removed: []string{}, Updated: []string{}, Unchanged: []string{}}
	for a := range before.live() {
		key := a.key[len(before.prefix):]
		switch b := after.entry(key); {
		case b == nil:
			d.Removed = append(d.Removed, key)
		case sameValue(a, b) && sameOptions(a, b):
			d.Unchanged = append(d.Unchanged, key)
		default:
			d.Updated = append(d.Updated, key)
		}
	}
	for b := range after.live() {
		if key := b.key[len(after.prefix):]; before.entry(key) == nil {
			d.Added = append(d.Added, key)
		}
	}
	for _, list := range [][]string{d.Added, d.Removed, d.Updated, d.Unchanged} {
		slices.Sort(list)
	}
	return d
}

func orEmpty(s *Snapshot) *Snapshot {
	if s == nil {
		return &Snapshot{}
	}
	return s
}

// entry returns the live entry of a key, nil if there is none.
func (s *Snapshot) entry(key string) *entry { return s.view.entry(s.prefix+key, s.time) }

// sameValue reports whether two entries, which may be nil, hold the same.
func sameValue(a, b *entry) bool {
	if a == nil || b == nil || sameRevision(a, b) {
		return sameRevision(a, b)
	}
	x, isX := a.value.(*encoded)
	y, isY := b.value.(*encoded)
	if isX && isY && (x == y || bytes.Equal(x.raw, y.raw)) {
		return true
	}
	return reflect.DeepEqual(untyped(a.value), untyped(b.value))
}

func sameOptions(a, b *entry) bool {
	return a.ttl == b.ttl && (a.sliding == b.sliding || a.ttl == 0) && slices.Equal(a.tags, b.tags)
}
