package engine

import (
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"modernc.org/sqlite"
)

// LogState describes the write-ahead log after a checkpoint.
type LogState struct {
	Busy   bool  // another process or a reader was in the way
	Pages  int64 // in the log
	Folded int64 // pages of the log that are in the database too
}

// Checkpoint runs a checkpoint in one of SQLite's modes. NOOP changes nothing:
// https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
func (c *Conn) Checkpoint(mode string) (l LogState, err error) {
	_, err = c.One(func(f *row.Fields) error {
		l.Busy = f.Int() != 0
		l.Pages = f.Int()
		l.Folded = f.Int()
		return f.Err("answer", "wal_checkpoint")
	}, "PRAGMA wal_checkpoint("+mode+")")
	return l, err
}

// KeepLog makes the connection leave the log when it closes, instead of folding the rest
// and removing it. If the disk failed to confirm a checkpoint, it may have lost pages of
// earlier checkpoints too. The next process has no record of which pages were folded, so
// it folds the whole log again.
func (c *Conn) KeepLog() error {
	if err := c.Pragma("journal_size_limit(-1)"); err != nil {
		return err
	}
	_, err := c.dc.(sqlite.FileControl).FileControlPersistWAL("main", 1)
	return Translate(err)
}

// TakePagesWritten returns how many pages the connection has written to the log since
// the last call.
func (c *Conn) TakePagesWritten() int {
	n, _, err := c.dc.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, true)
	if err != nil {
		return 0 // SQLite does not have this counter; then the log is synced for every group
	}
	return n
}
