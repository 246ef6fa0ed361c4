// Package meter measures what a store does, without locks.
package meter

import (
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// start makes the clock of this package one that is never set.
var start = time.Now()

// A Since remembers when something began. The zero Since says that nothing has. It is safe
// for concurrent use.
type Since struct{ at atomic.Int64 } // nanoseconds after start, plus 1; 0: not set

// Set sets the time to now.
func (s *Since) Set() { s.at.Store(int64(time.Since(start)) + 1) }

// Clear says that nothing has begun.
func (s *Since) Clear() { s.at.Store(0) }

// For returns how long ago the time was set, and false if it is not set.
func (s *Since) For() (time.Duration, bool) {
	at := s.at.Load()
	if at == 0 {
		return 0, false
	}
	return time.Since(start) - time.Duration(at-1), true
}

// bounds are the upper bounds of the classes of a Timing. Times above the last one are in
// a class of their own.
var bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}

// A Phase measures work that one goroutine does again and again. Only that goroutine may
// call Begin, End and Drop. The other methods are safe for concurrent use.
type Phase struct {
	since  Since
	sum    atomic.Int64
	counts [len(bounds) + 1]atomic.Int64
}

// Begin begins the work. Work that runs already begins anew.
func (p *Phase) Begin() { p.since.Set() }

// End ends the work and counts it.
func (p *Phase) End() {
	if d, running := p.since.For(); running {
		p.since.Clear()
		p.Add(d)
	}
}

// Add counts work that took d, of any goroutine.
func (p *Phase) Add(d time.Duration) {
	class := 0
	for class < len(bounds) && d > bounds[class] {
		class++
	}
	p.counts[class].Add(1)
	p.sum.Add(int64(d))
}

// Drop ends the work without counting it. Without work that runs it does nothing.
func (p *Phase) Drop() { p.since.Clear() }

// Running returns how long the work has been running, and 0 if none is.
func (p *Phase) Running() time.Duration {
	d, _ := p.since.For()
	return d
}

// Timing returns what was counted.
func (p *Phase) Timing() Timing {
	t := Timing{Sum: time.Duration(p.sum.Load()), Buckets: make([]Bucket, len(bounds))}
	for class := range p.counts {
		t.Count += p.counts[class].Load()
		if class < len(bounds) {
			t.Buckets[class] = Bucket{bounds[class], t.Count}
		}
	}
	return t
}

// A Timing says how often something was done, and how long it took.
type Timing struct {
	Count   int64
	Sum     time.Duration
	Buckets []Bucket // with rising bounds
}

// A Bucket counts what took a certain time or less.
type Bucket struct {
	AtMost time.Duration
	Count  int64
}

// Writer are the measures of the goroutine that writes.
type Writer struct {
	Written atomic.Int64 // functions that were answered without an error
	Failed  atomic.Int64 // functions that were answered with one
	Turn    Phase        // waiting for the turn to write
	Commit  Phase        // transactions, from their begin to the sync
	Fold    Phase        // checkpoints
	Full    Since        // when the disk was full, if no commit came after that
}

// Answered counts the answer to a function.
func (w *Writer) Answered(ok bool) {
	if ok {
		w.Written.Add(1)
	} else {
		w.Failed.Add(1)
	}
}

// Committed ends a transaction that was committed.
func (w *Writer) Committed() {
	w.Commit.End()
	w.Full.Clear()
}

const (
	lateTurn   = 5 * time.Second  // a writer that waits longer for its turn is stopped by another process
	lateCommit = 10 * time.Second // a commit that takes longer is stopped by its disk
	fullFor    = 5 * time.Second  // how long a write counts that found the disk full
)

// Late returns [workspace.ErrBusy] if something has kept the goroutine for long, and
// [workspace.ErrStorageFull] if the last write has just found the disk full.
func (w *Writer) Late() error {
	switch full, was := w.Full.For(); {
	case was && full < fullFor:
		return workspace.Errorf(workspace.ErrStorageFull, "the disk was full at the last write; make room on it")
	case w.Turn.Running() > lateTurn:
		return workspace.Errorf(workspace.ErrBusy, "another process has been writing for more than %v and does not give up its turn; end it", lateTurn)
	case w.Commit.Running() > lateCommit:
		return workspace.Errorf(workspace.ErrBusy, "a commit has taken more than %v; look at the disk", lateCommit)
	}
	return nil
}
