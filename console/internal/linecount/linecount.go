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
	comparing sync.Mutex // one pair at a time
	mu        sync.Mutex // guards known
	known     map[Pair]Count
}

// A Pair is the sums of two texts, and whose they are: nobody can find out from how soon
// there is a count that others have the same texts. Of must be comparable.
type Pair struct {
	Of       any
	Old, New [sha256.Size]byte
}

// A Count is how many lines differ.
type Count struct{ Removed, Added int }

// Find returns the count of two texts that were compared, if it is kept.
func (c *Counts) Find(p Pair) (Count, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.known[p]
	return n, ok
}

// Count compares two texts, which the pair has the sums of. ok is false if others are being
// compared, which may take a second: nobody waits for the texts of others.
func (c *Counts) Count(p Pair, old, new []byte) (n Count, ok bool) {
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
	if c.known == nil || len(c.known) >= maxKept {
		c.known = map[Pair]Count{}
	}
	c.known[p] = n
	return n, true
}
