package store

import "time"

// A Change is one row of an agent's journal of changes. Every write that changes a file or a
// log adds a row, in the transaction of the write.
type Change struct {
	Revision int64 // number of the row, from 1, without gaps
	Op       ChangeOp
	Kind     PathKind
	Path     string
	From     string // the path before a move; else ""
	// Before is the version of the file, or the last entry of the log, before the change. 0:
	// there was none. With OpRedact, Before is the redacted version.
	Before  int64
	After   int64 // the version or the last entry after the change; 0: the file or log was deleted
	Entries int64 // number of entries that were appended
	Author  Author
	Time    time.Time
}

// A ChangeOp is the operation of a [Change].
type ChangeOp string

// The operations. OpAppend to a log that does not exist creates the log.
const (
	OpCreate  ChangeOp = "create"
	OpEdit    ChangeOp = "edit" // a part of the file was changed, or the whole file was written
	OpDelete  ChangeOp = "delete"
	OpMove    ChangeOp = "move"
	OpRestore ChangeOp = "restore" // the content of a retained version was stored again as a new version
	OpRedact  ChangeOp = "redact"  // the content of an earlier version was removed for good
	OpAppend  ChangeOp = "append"
	OpTrim    ChangeOp = "trim" // the oldest entries of a log were removed
)

// A PathKind says whether a path is that of a file or of a log.
type PathKind string

// The kinds. A file and a log may have the same path.
const (
	KindFile PathKind = "file"
	KindLog  PathKind = "log"
)

// Author says who wrote a version or an entry. An unknown field is "".
type Author struct {
	Client  string // the name that an MCP client gives itself
	Version string // the client's version
	Key     string // the id of the API key, never the key itself
	Session string // tells the connections of a client apart; only the journal of changes keeps it
}

// CheckChanges returns [ErrCorrupt] if a row of the journal is missing between rows, before
// the first or after the last row. s says which rows the journal has. rows are the rows that a
// store found after the revision after, at most limit of them, in ascending order.
func CheckChanges(s OwnerState, rows []Change, after int64, limit int) error {
	for i := 1; i < len(rows); i++ {
		if want := rows[i-1].Revision + 1; rows[i].Revision != want {
			return missingChange(want)
		}
	}
	if s.Changes == 0 {
		return nil
	}
	first, last := max(after+1, s.Revision-s.Changes+1), after
	if len(rows) > 0 {
		last = rows[len(rows)-1].Revision
		if rows[0].Revision > first {
			return missingChange(first)
		}
	}
	if len(rows) < limit && last < s.Revision {
		return missingChange(max(first, last+1))
	}
	return nil
}

func missingChange(revision int64) error {
	return Errorf(ErrCorrupt, "change %d is missing", revision)
}
