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
	maxPairs   = 4096      // pairs of texts whose counts are kept
)

// lineCounts keeps how many lines differ between two texts. Texts are known by their sums, so
// a count never becomes wrong. The zero value is ready, and safe for concurrent use.
type lineCounts struct {
	comparing sync.Mutex // one pair at a time
	mu        sync.Mutex // guards known
	known     map[textPair]lineCount
}

// A textPair is the sums of two texts, and whose they are: nobody can find out from how soon
// there is a count that others have the same texts.
type textPair struct {
	service  *workspace.Service
	agent    string
	old, new [sha256.Size]byte
}

// A lineCount is how many lines differ.
type lineCount struct{ Removed, Added int }

// find returns the count of two texts that were compared, if it is kept.
func (c *lineCounts) find(p textPair) (lineCount, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.known[p]
	return n, ok
}

// count compares two texts, which the pair has the sums of. ok is false if others are being
// compared, which may take a second: nobody waits for the texts of others.
func (c *lineCounts) count(p textPair, old, new []byte) (n lineCount, ok bool) {
	if !c.comparing.TryLock() {
		return n, false
	}
	defer c.comparing.Unlock()
	for _, r := range linediff.Compare(old, new).Runs() {
		switch r.Op {
		case linediff.Remove:
			n.Removed += r.Lines
		case linediff.Add:
			n.Added += r.Lines
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxPairs {
		c.known = map[textPair]lineCount{}
	}
	c.known[p] = n
	return n, true
}

// countLines sets how many lines the versions of a file have changed. It leaves out what
// would take long: the page has the bytes instead.
func (v *visit) countLines(ws *workspace.Workspace, path string, rows []versionRow) {
	left := int64(maxCounts)
	var text []byte // of the newer version
	have := false   // text was read
	for i := 0; i+1 < len(rows); i++ {
		newer, older := &rows[i], rows[i+1].VersionInfo
		pair := textPair{v.person.Service, ws.Agent(), older.SHA256, newer.SHA256}
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
			if n, ok := v.h.counts.count(pair, before, text); ok {
				newer.Lines = &n
			} else {
				left = 0 // others are busy
			}
		}
		text, have = before, ok
	}
}

// textOf returns the text of a version, if it is still there.
func (v *visit) textOf(ws *workspace.Workspace, path string, i workspace.VersionInfo) (text []byte, ok bool) {
	r, err := ws.ReadFile(v.r.Context(), path, workspace.ReadOptions{Version: i.Version})
	return r.Content, err == nil && r.SHA256 == i.SHA256
}
