package transfer

import "testing"

// SetMaxNames changes how many names an import looks at, for one test.
func SetMaxNames(t *testing.T, n int) {
	before := maxNames
	maxNames = n
	t.Cleanup(func() { maxNames = before })
}
