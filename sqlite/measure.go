package sqlite

import (
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A phase measures work that the writer does again and again. Only the writer calls begin,
// end and drop.
type phase struct {
	began atomic.Pointer[time.Time] // nil: the work is not under way
	store.Timer
}

func (p *phase) begin() {
	now := time.Now()
	p.began.Store(&now)
}

// end ends the work, if it is under way, and counts it.
func (p *phase) end() {
	if began := p.began.Swap(nil); began != nil {
		p.Add(time.Since(*began))
	}
}

// drop ends the work and does not count it.
func (p *phase) drop() { p.began.Store(nil) }

// running returns how long the work has been under way; 0: it is not.
func (p *phase) running() time.Duration {
	if began := p.began.Load(); began != nil {
		return time.Since(*began)
	}
	return 0
}

// measures are those of the writer.
type measures struct {
	written    atomic.Int64              // functions that were answered without an error
	failed     atomic.Int64              // functions that were answered with one
	turn       phase                     // waiting for the turn to write
	commit     phase                     // transactions, from their begin to the sync
	checkpoint phase                     // checkpoints
	full       atomic.Pointer[time.Time] // when the disk was full; nil: a commit came after that
}

// answered counts the answer to a function.
func (m *measures) answered(ok bool) {
	if ok {
		m.written.Add(1)
	} else {
		m.failed.Add(1)
	}
}

// committed ends a transaction that was committed.
func (m *measures) committed() {
	m.commit.end()
	m.full.Store(nil)
}

func (m *measures) foundFull() {
	now := time.Now()
	m.full.Store(&now)
}

const (
	lateTurn   = 5 * time.Second  // a writer that waits longer for its turn is stopped by another process
	lateCommit = 10 * time.Second // a commit that takes longer is stopped by its disk
	fullFor    = 5 * time.Second  // how long a write counts that found the disk full
)

// late returns [store.ErrBusy] if something has kept the writer for long, and
// [store.ErrStorageFull] if the last write has just found the disk full.
func (m *measures) late() error {
	switch full := m.full.Load(); {
	case full != nil && time.Since(*full) < fullFor:
		return store.Errorf(store.ErrStorageFull, "the disk was full at the last write; make room on it")
	case m.turn.running() > lateTurn:
		return store.Errorf(store.ErrBusy, "another process has been writing for more than %v and does not give up "+
			"its turn; end it, unless it removes redacted content from a large file", lateTurn)
	case m.commit.running() > lateCommit:
		return store.Errorf(store.ErrBusy, "a commit has taken more than %v; look at the disk", lateCommit)
	}
	return nil
}
