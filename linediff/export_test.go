package linediff

// CompareWithin compares with little work to spend, which leads to the ways for large texts on small ones, and with
// a hash of the test's own.
func CompareWithin(old, new []byte, work int64, hash func([]byte) uint64) *Diff {
	return compare(old, new, hash, limits{work: work, table: 8, window: 8})
}
