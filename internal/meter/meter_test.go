package meter

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A time belongs to the first bucket whose bound is not below it, and to all later ones.
func TestPhaseBuckets(t *testing.T) {
	var p Phase
	for _, d := range []time.Duration{0, 100 * time.Microsecond, 101 * time.Microsecond, 10 * time.Second, time.Minute} {
		p.Add(d)
	}
	got := p.Timing()
	if want := time.Minute + 10*time.Second + 201*time.Microsecond; got.Count != 5 || got.Sum != want {
		t.Errorf("count %d, sum %v; want 5 and %v", got.Count, got.Sum, want)
	}
	for i, want := range map[int]Bucket{0: {100 * time.Microsecond, 2}, 1: {250 * time.Microsecond, 3}, len(bounds) - 1: {10 * time.Second, 4}} {
		if got.Buckets[i] != want {
			t.Errorf("bucket %d is %+v, want %+v", i, got.Buckets[i], want)
		}
	}
}

func TestPhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Phase
		p.End() // without Begin
		if p.Drop(); p.Running() != 0 || p.Timing().Count != 0 {
			t.Errorf("a phase that never began: running for %v, %+v", p.Running(), p.Timing())
		}
		p.Begin()
		time.Sleep(3 * time.Second)
		if p.Running() != 3*time.Second {
			t.Errorf("running for %v, want 3s", p.Running())
		}
		p.End()
		p.Begin()
		p.Drop()
		if got := p.Timing(); p.Running() != 0 || got.Count != 1 || got.Sum != 3*time.Second {
			t.Errorf("after the end: running for %v, count %d, sum %v", p.Running(), got.Count, got.Sum)
		}
	})
}

// Reading while the goroutine works is no race, and the counts never fall.
func TestPhaseConcurrent(t *testing.T) {
	var w Writer
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 10_000 {
			w.Commit.Begin()
			w.Committed()
			w.Answered(true)
		}
	})
	for last := int64(0); last < 10_000; {
		got := w.Commit.Timing().Count
		if got < last {
			t.Fatalf("the count fell from %d to %d", last, got)
		}
		last = got
	}
	wg.Wait()
	if w.Written.Load() != 10_000 || w.Failed.Load() != 0 {
		t.Errorf("%d written, %d failed", w.Written.Load(), w.Failed.Load())
	}
}

// BenchmarkPhase is what a group commit pays.
func BenchmarkPhase(b *testing.B) {
	var w Writer
	for b.Loop() {
		w.Turn.Begin()
		w.Turn.End()
		w.Commit.Begin()
		w.Committed()
		w.Answered(true)
	}
}

// Trouble counts as trouble for as long as it lasts, and a full disk for a while.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w Writer
		expect := func(when string, kind error) {
			t.Helper()
			if err := w.Late(); !errors.Is(err, kind) {
				t.Errorf("%s: %v, want %v", when, err, kind)
			}
		}
		expect("at first", nil)
		w.Turn.Begin()
		time.Sleep(lateTurn)
		expect("after a short wait", nil)
		time.Sleep(time.Nanosecond)
		expect("after a long wait", workspace.ErrBusy)
		w.Turn.End()
		expect("with the turn", nil)
		w.Commit.Begin()
		time.Sleep(lateCommit + 1)
		expect("in a long commit", workspace.ErrBusy)
		w.Committed()
		expect("after it", nil)
		w.Full.Set()
		expect("on a full disk", workspace.ErrStorageFull)
		w.Committed()
		expect("after a commit", nil)
		w.Full.Set()
		time.Sleep(fullFor)
		expect("after a while", nil)
	})
}
