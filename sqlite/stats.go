package sqlite

import (
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Stats are what a store has done since it was opened, in this process, and how it is now.
// The numbers are read one after the other, while the store goes on.
type Stats struct {
	Writes     int64  // functions that were answered without an error; each commit has one or more
	Failed     int64  // functions that were answered with an error
	Queued     int    // functions that wait now
	Commit     Timing // transactions that were committed: from their begin to the sync
	Turn       Timing // waiting for the turn to write, while another process has it
	Checkpoint Timing // which copies the write-ahead log into the database

	LogBytes int64 // the size of the write-ahead log
	ReadOnly bool  // the store takes no writes until it is opened again

	Readers     int   // connections for reading, opened when needed
	ReadersBusy int   // those that are in use
	ReaderWaits int64 // reads that found no connection free
}

// A Timing says how often something was done, and how long it took.
type Timing = store.Timing

// Stats returns what the store has done. Stats waits for no transaction.
func (s *Store) Stats() Stats {
	n := Stats{
		LogBytes: dbfile.Bytes(s.path + dbfile.Log), ReadOnly: s.writer == nil,
		Readers: readers, ReadersBusy: len(s.readers), ReaderWaits: s.waits.Load(),
	}
	if w := s.writer; w != nil {
		n.Writes, n.Failed = w.meter.written.Load(), w.meter.failed.Load()
		n.Commit, n.Turn, n.Checkpoint = w.meter.commit.Timing(), w.meter.turn.Timing(), w.meter.checkpoint.Timing()
		w.mu.Lock()
		n.Queued, n.ReadOnly = len(w.queue), w.broken != nil
		w.mu.Unlock()
	}
	return n
}
