package transfer

import "testing"

// SetMaxNames changes how many names an import looks at, for one test.
func SetMaxNames(t *testing.T, n int) {
	before := maxNames
	maxNames = n
	t.Cleanup(func() { maxNames = before })
}

// SetOpening calls fn before a file is opened that was looked at, for one test.
func SetOpening(t *testing.T, fn func(name string)) {
	before := opening
	opening = fn
	t.Cleanup(func() { opening = before })
}

// Slug returns the name that Claude Code gives to a project.
var Slug = slug
