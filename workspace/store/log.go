package store

import (
	"crypto/sha256"
	"time"
)

// LogHead describes a log, without its entries. The entries have the numbers First to Last,
// without gaps.
type LogHead struct {
	Path    string
	First   int64 // Last+1 if the log has no entries
	Last    int64 // the highest number ever given; 0: the path was never written, or its number is forgotten
	Bytes   int64 // of all entries
	Deleted bool
	Created time.Time // time of the first entry when the log was created
	Updated time.Time // time of the last write or the deletion
}

// Exists reports whether there is a log at the path.
func (h LogHead) Exists() bool { return h.Last > 0 && !h.Deleted }

// Entries returns the number of entries of the log.
func (h LogHead) Entries() int64 {
	if !h.Exists() {
		return 0
	}
	return h.Last - h.First + 1
}

// Entry is one entry of a log.
//
// A redacted entry has no content any more: Content is nil, and SHA256 is zero. The entry keeps
// its number, author and time.
type Entry struct {
	ID       int64 // number of the entry in the log, from 1, without gaps
	SHA256   [sha256.Size]byte
	Author   Author
	Time     time.Time
	Redacted *Redaction `json:",omitempty"` // the receipt of the redaction; nil: the entry has its content
	Content  []byte
}

// EntryQuery selects entries of a log: the first ones after the number After, or the newest
// ones if Tail is set. It selects at most Limit entries, with at most MaxBytes of content
// together. It selects at least one entry, even if that entry has more content. A Limit or
// MaxBytes of 0 sets no limit.
type EntryQuery struct {
	After    int64
	Tail     bool
	Limit    int
	MaxBytes int64
}

// LogChange is a change of one log. Owner is the owner's state after the change.
type LogChange struct {
	Head   LogHead
	New    []Entry
	Prune  int64  // removes the entries up to this number before it adds New; 0: none
	Change Change // the row for the journal; a Revision of 0: no row
	Owner  OwnerState
}
