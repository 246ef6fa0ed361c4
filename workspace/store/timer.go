package store

import (
	"sync/atomic"
	"time"
)

// bounds are the upper bounds of the buckets of a Timing, but for the last bucket, which has
// none.
var bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}

// A Timer measures how long a backend takes for an operation, for its statistics. The zero
// Timer is ready for use. A Timer is safe for concurrent use.
type Timer struct {
	sum    atomic.Int64
	counts [len(bounds) + 1]atomic.Int64
}

// Add counts an operation that took d.
func (t *Timer) Add(d time.Duration) {
	bucket := 0
	for bucket < len(bounds) && d > bounds[bucket] {
		bucket++
	}
	t.counts[bucket].Add(1)
	t.sum.Add(int64(d))
}

// Timing returns the counts so far.
func (t *Timer) Timing() Timing {
	all := Timing{Sum: time.Duration(t.sum.Load()), Buckets: make([]Bucket, len(bounds))}
	for i := range t.counts {
		all.Count += t.counts[i].Load()
		if i < len(bounds) {
			all.Buckets[i] = Bucket{bounds[i], all.Count}
		}
	}
	return all
}

// A Timing says how often an operation ran, and how long it took.
type Timing struct {
	Count   int64         // number of operations
	Sum     time.Duration // of all operations together
	Buckets []Bucket      // with rising bounds; an operation over the last bound, 10 s, is in Count alone
}

// A Bucket counts the operations that took the time AtMost or less.
type Bucket struct {
	AtMost time.Duration
	Count  int64 // includes the counts of all lower buckets
}
