package pad

import "slices"

// SnapshotDiff lists the keys that differ between two snapshots. The keys are relative to
// the views of the snapshots. Each list is sorted and not nil.
type SnapshotDiff struct {
	Added, Removed []string // only in the second snapshot; only in the first
	Updated        []string // in both, with a different value, TTL or tags
	Unchanged      []string // all others. An access, or a Set of an equal value, is not a difference
}

// Diff compares two snapshots, of any pads or views. A nil snapshot is empty.
//
// Two values are equal if they come from the same Set, or if [reflect.DeepEqual] says
// so. If one of them was read from JSON, both are compared as JSON: the order of members
// does not matter, and numbers are compared exactly. 1, 1.0 and 1e0 are equal;
// 9007199254740993 and 9007199254740992 are not. Numbers with an exponent above 1000 or
// below -1000 must be written the same. A TTL that was read from JSON is compared in
// milliseconds. So a snapshot and the same snapshot read back from its JSON do not differ.
// The order of tags matters.
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
