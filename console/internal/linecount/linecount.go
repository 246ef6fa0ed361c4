// Package linecount keeps how many lines differ between the versions of files.
package linecount

import (
	"crypto/sha256"
	"sync"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

const maxKept = 4096 // pairs of texts whose counts are kept

// A Counts has how many lines differ between two texts. Texts are known by their sums, so
// what it has never becomes wrong. The zero Counts is ready, and safe for concurrent use.
type Counts struct {
	mu    sync.Mutex // also so that one pair at a time is compared
	known map[Pair]Count
}

// A Pair is the sums of two texts.
type Pair struct{ Old, New [sha256.Size]byte }

// A Count is how many lines differ.
type Count struct{ Removed, Added int }

// Find returns the count of two texts that were compared, if it is kept.
func (c *Counts) Find(p Pair) (Count, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.known[p]
	return n, ok
}

// Count compares two texts, which the pair has the sums of.
func (c *Counts) Count(p Pair, old, new []byte) (n Count) {
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
	if c.known == nil || len(c.known) >= maxKept {
		c.known = map[Pair]Count{}
	}
	c.known[p] = n
	return n
}
