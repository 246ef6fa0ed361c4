package postgres

import (
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Stats are what a store has done since it was opened, in this process, and how it is now.
// The numbers are read one after the other, while the store goes on.
type Stats struct {
	Writes int64  // functions that were answered without an error, each after a commit of its own
	Failed int64  // functions that were answered with an error
	Again  int64  // functions that ran again, because their transaction had not happened
	Commit Timing // commits, from sending the writes to the server's answer

	Conns     int           // connections that are open
	ConnsBusy int           // those that are in use
	MaxConns  int           // the most that are opened
	Waits     int64         // calls that found no connection free
	Waited    time.Duration // what those calls waited together
	Writers   int           // calls that write and have a connection or wait for one
}

// A Timing says how often something was done, and how long it took.
type Timing = store.Timing

type stats struct {
	writes, failed, again atomic.Int64
	commit                store.Timer
}

func (s *stats) count(err error) {
	if err == nil {
		s.writes.Add(1)
	} else {
		s.failed.Add(1)
	}
}

// Stats returns what the store has done. Stats waits for nothing.
func (s *Store) Stats() Stats {
	p := s.pool.Stat()
	return Stats{
		Writes: s.stats.writes.Load(), Failed: s.stats.failed.Load(), Again: s.stats.again.Load(),
		Commit: s.stats.commit.Timing(),
		Conns:  int(p.TotalConns()), ConnsBusy: int(p.AcquiredConns()), MaxConns: int(p.MaxConns()),
		Waits: p.EmptyAcquireCount(), Waited: p.EmptyAcquireWaitTime(), Writers: len(s.writers),
	}
}
