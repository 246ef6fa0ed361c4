package console

import (
	"github.com/agent-scratchpad/scratchpad/console/internal/diff"
)

const (
	maxCounted = 256 << 10 // bytes of two versions that are compared to count lines
	maxCounts  = 1 << 20   // bytes of versions that a page reads to count lines
)

// A lineCount is how many lines differ between two versions.
type lineCount struct{ Removed, Added int }

// countLines sets how many lines the versions of a file have changed. It leaves out what
// would take long: the page has the bytes instead.
func (v *visit) countLines(path string, rows []versionRow) {
	left := int64(maxCounts)
	for i := range rows[1:] {
		newer, older := &rows[i], rows[i+1]
		size := older.Bytes + newer.Bytes
		if size > min(left, maxCounted) {
			continue
		}
		left -= size
		is, err := v.read(path, newer.Version)
		if err != nil {
			continue // it was redacted, or is not kept any more
		}
		was, err := v.read(path, older.Version)
		if err != nil {
			continue
		}
		removed, added := diff.Lines(was.Content, is.Content)
		newer.Lines = &lineCount{removed, added}
	}
}
