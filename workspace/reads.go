package workspace

import (
	"context"
	"errors"
	"sync"
	"time"
)

// readCounter holds the reads that no transaction has counted yet: a reader
// stays read-only, and its operation is written with the owner's next write or
// within ten seconds.
type readCounter struct {
	mu      sync.Mutex // guards the following
	pending map[Owner]int64
	timer   *time.Timer
	flush   func()
}

const (
	readFlushInterval = 10 * time.Second
	readFlushTimeout  = 10 * time.Second // of a flush that nobody waits for
)

func (c *readCounter) add(o Owner, n int64) {
	if n == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending == nil {
		c.pending = make(map[Owner]int64)
	}
	c.pending[o] += n
	if c.timer == nil {
		c.timer = time.AfterFunc(readFlushInterval, c.flush)
	}
}

func (c *readCounter) take(o Owner) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.pending[o]
	delete(c.pending, o)
	return n
}

func (c *readCounter) peek(o Owner) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[o]
}

func (c *readCounter) takeAll() map[Owner]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.pending
	c.pending = nil
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	return all
}

// flushReads writes what is pending. What could not be written waits for the
// next flush; a closed store forgets it.
func (s *Service) flushReads(ctx context.Context) error {
	var failed error
	for owner, n := range s.reads.takeAll() {
		err := s.store.Update(ctx, owner, func(tx Tx) error {
			state, err := tx.Owner()
			if err != nil || state.Usage == (Usage{}) { // a read leaves no trace of an agent that never wrote
				return err
			}
			state.Operations += n
			return tx.SaveOwner(state)
		})
		if err != nil {
			failed = within("count reads of", owner.Agent, err)
			if !errors.Is(err, ErrClosed) {
				s.reads.add(owner, n)
			}
		}
	}
	return failed
}
