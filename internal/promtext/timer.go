package promtext

import (
	"slices"
	"sync"
)

// A Timer is a histogram that is filled here. It is safe for concurrent use.
type Timer struct {
	bounds []float64

	mu     sync.Mutex // guards the following
	counts []uint64   // of each bound, and of what is above all of them
	sum    float64
}

// NewTimer returns a Timer with the upper bounds of its buckets, in order.
func NewTimer(bounds []float64) *Timer {
	return &Timer{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

// Observe counts an observation.
func (t *Timer) Observe(v float64) {
	at, _ := slices.BinarySearch(t.bounds, v) // a bound itself belongs to its bucket
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[at]++
	t.sum += v
}

// Series returns the state of the histogram.
func (t *Timer) Series(labels string) Series {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := Series{Labels: labels, Sum: t.sum}
	for i, n := range t.counts {
		if s.Count += n; i < len(t.bounds) {
			s.Parts = append(s.Parts, Part{t.bounds[i], float64(s.Count)})
		}
	}
	return s
}
