package pad

import "slices"

// SnapshotDiff lists keys, as the snapshots' views name them. Each list is sorted,
// and none is nil.
type SnapshotDiff struct {
	Added, Removed []string // only in the snapshot after, only in the one before
	Updated        []string // in both, with another value, other tags, or another TTL
	Unchanged      []string // the rest; an access or a Set of the same changes nothing
}

// Diff compares two snapshots, of any pads or views. A nil snapshot is an empty one.
//
// Two values are equal if they come from the same Set, or if [reflect.DeepEqual]
// says so. Where a value was read from JSON, both are compared as JSON: the order
// of members does not count, and numbers are equal if their values are, however
// large. 1, 1.0 and 1e0 are equal; 9007199254740993 and 9007199254740992 are not.
// So a snapshot that is read back from its own JSON is unchanged. A TTL that was
// read from JSON is compared in milliseconds. The order of tags counts.
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
