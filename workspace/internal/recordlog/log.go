package recordlog

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Log is the log that a [Journal] writes and reads.
type Log interface {
	// MaxEntry returns how many bytes an entry may have.
	MaxEntry() int64

	// Append adds entries to the end, all of them or none, and returns the number of
	// the last one. If next is above 0, and foreign reports true for any entry from next
	// on, it refuses. No entries are no change.
	Append(ctx context.Context, entries [][]byte, next int64, foreign func(entry []byte) bool) (last int64, err error)

	// Read returns a page of the entries after a number.
	Read(ctx context.Context, after int64) (Page, error)

	// Fail returns the error for a fault.
	Fail(f Fault) error
}

// A Page is some entries of a log, the oldest first.
type Page struct {
	Entries []Entry
	Last    int64 // the number of the last entry of the page; without entries, the number that was asked for
	End     int64 // the number of the last entry of the log
}

// An Entry is one entry of a log.
type Entry = store.Entry
