package store

import (
	"crypto/sha256"
	"time"
)

// LogHead is what is kept of a log besides its entries, which have the numbers First to
// Last without gaps.
type LogHead struct {
	Path    string
	First   int64 // Last+1 if the log has no entries
	Last    int64 // the highest number ever given; 0: the path was never written
	Bytes   int64 // of all entries
	Deleted bool
	Created time.Time // of the first entry since the path was new or deleted
	Updated time.Time // of the last write or the deletion
}

// Exists reports whether the path is a log now.
func (h LogHead) Exists() bool { return h.Last > 0 && !h.Deleted }

// Entries returns how many entries the log holds.
func (h LogHead) Entries() int64 {
	if !h.Exists() {
		return 0
	}
	return h.Last - h.First + 1
}

// Entry is one entry of a log.
type Entry struct {
	ID      int64 // its number in the log, from 1, without gaps
	SHA256  [sha256.Size]byte
	Author  Author
	Time    time.Time
	Content []byte
}

// EntryQuery selects entries of a log: those after After, or the newest if Tail is set;
// at most Limit of them, with at most MaxBytes of content together, but one at least. A
// Limit or MaxBytes of 0 sets no limit.
type EntryQuery struct {
	After    int64
	Tail     bool
	Limit    int
	MaxBytes int64
}

// LogChange is a change of one log, with the owner's state after it.
type LogChange struct {
	Head   LogHead
	New    []Entry
	Prune  int64  // entries up to this number are removed, before New is added; 0: none
	Change Change // the row for the journal; without a Revision: none
	Owner  OwnerState
}
