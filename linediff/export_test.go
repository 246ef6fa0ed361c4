package linediff

// CompareWithin compares with little work to spend, which leads to the ways for large texts on small ones.
func CompareWithin(old, new []byte, work int64) *Diff {
	return compare(old, new, limits{work: work, table: 8, window: 8})
}
