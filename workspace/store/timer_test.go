package store

import (
	"testing"
	"time"
)

// A time belongs to the first bucket whose bound is not below it, and to all later ones.
func TestTimer(t *testing.T) {
	var timer Timer
	for _, d := range []time.Duration{0, 100 * time.Microsecond, 101 * time.Microsecond, 10 * time.Second, time.Minute} {
		timer.Add(d)
	}
	got := timer.Timing()
	if want := time.Minute + 10*time.Second + 201*time.Microsecond; got.Count != 5 || got.Sum != want {
		t.Errorf("count %d, sum %v; want 5 and %v", got.Count, got.Sum, want)
	}
	for i, want := range map[int]Bucket{0: {100 * time.Microsecond, 2}, 1: {250 * time.Microsecond, 3}, len(bounds) - 1: {10 * time.Second, 4}} {
		if got.Buckets[i] != want {
			t.Errorf("bucket %d is %+v, want %+v", i, got.Buckets[i], want)
		}
	}
}
