package pad

// SetFold changes what makes a pad write accesses into its entries, and returns
// what changes it back.
func SetFold(depth int, touches int64) (back func()) {
	d, n := maxDepth, minTouches
	maxDepth, minTouches = depth, touches
	return func() { maxDepth, minTouches = d, n }
}
