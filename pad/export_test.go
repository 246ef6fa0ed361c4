package pad

// SetFlatten sets when flatten runs, and returns a function that undoes it.
func SetFlatten(depth int, touches int64) (back func()) {
	d, n := maxDepth, minTouches
	maxDepth, minTouches = depth, touches
	return func() { maxDepth, minTouches = d, n }
}
