package console

import (
	"crypto/sha256"
	"sync"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxCounted = 256 << 10 // bytes of two versions that are compared to count lines
	maxCounts  = 1 << 20   // bytes of versions that a page reads to count lines
	keptCounts = 4096      // pairs of versions whose counts are kept
)

// lineCounts has how many lines differ between two texts. Texts are known by their sums,
// so what it has never becomes wrong. It is safe for concurrent use.
type lineCounts struct {
	mu    sync.Mutex // also so that one pair at a time is compared
	known map[textPair]lineCount
}

// A textPair is the sums of two texts.
type textPair struct{ old, new [sha256.Size]byte }

// A lineCount is how many lines differ.
type lineCount struct{ Removed, Added int }

func (c *lineCounts) find(p textPair) (lineCount, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.known[p]
	return n, ok
}

// count compares two texts.
func (c *lineCounts) count(p textPair, old, new []byte) (n lineCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range linediff.Compare(old, new).Runs() {
		switch r.Op {
		case linediff.Remove:
			n.Removed += r.Lines
		case linediff.Add:
			n.Added += r.Lines
		}
	}
	if c.known == nil || len(c.known) >= keptCounts {
		c.known = map[textPair]lineCount{}
	}
	c.known[p] = n
	return n
}

// countLines sets how many lines the versions of a file have changed. It leaves out what
// would take long: the page has the bytes instead.
func (v *visit) countLines(ws *workspace.Workspace, path string, rows []versionRow) {
	left := int64(maxCounts)
	var text []byte // of the newer version
	have := false   // text was read
	for i := 0; i+1 < len(rows); i++ {
		newer, older := &rows[i], rows[i+1].VersionInfo
		pair := textPair{older.SHA256, newer.SHA256}
		if n, ok := v.h.counts.find(pair); ok {
			newer.Lines, have = &n, false
			continue
		}
		size := older.Bytes + newer.Bytes
		if size > maxCounted || size > left {
			have = false
			continue
		}
		left -= size
		if !have {
			text, have = v.textOf(ws, path, newer.VersionInfo)
		}
		before, ok := v.textOf(ws, path, older)
		if have && ok {
			n := v.h.counts.count(pair, before, text)
			newer.Lines = &n
		}
		text, have = before, ok
	}
}

// textOf returns the text of a version, if it is still there.
func (v *visit) textOf(ws *workspace.Workspace, path string, i workspace.VersionInfo) (text []byte, ok bool) {
	r, err := ws.ReadFile(v.r.Context(), path, workspace.ReadOptions{Version: i.Version})
	return r.Content, err == nil && r.SHA256 == i.SHA256
}
