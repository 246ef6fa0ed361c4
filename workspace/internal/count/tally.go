package count

import (
	"sync"
	"time"
)

// A Tally counts in memory, for each key, what is written down later. It is safe for concurrent use.
type Tally[K comparable] struct {
	every time.Duration
	flush func()

	mu     sync.Mutex // guards the following
	counts map[K]int64
	timer  *time.Timer // nil: nothing has been counted since the last TakeAll
}

// NewTally returns a Tally that calls flush in a goroutine of its own, once after a count
// has been added. flush should call [Tally.TakeAll].
func NewTally[K comparable](every time.Duration, flush func()) *Tally[K] {
	return &Tally[K]{every: every, flush: flush}
}

// Add adds n to the count of a key.
func (t *Tally[K]) Add(key K, n int64) {
	if n == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = make(map[K]int64)
	}
	t.counts[key] += n
	if t.timer == nil {
		t.timer = time.AfterFunc(t.every, t.flush)
	}
}

// Get returns the count of a key.
func (t *Tally[K]) Get(key K) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[key]
}

// Take returns the count of a key and sets it to 0.
func (t *Tally[K]) Take(key K) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.counts[key]
	delete(t.counts, key)
	return n
}

// TakeAll returns all counts and sets them to 0. It stops the timer.
func (t *Tally[K]) TakeAll() map[K]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.counts
	t.counts = nil
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	return all
}
