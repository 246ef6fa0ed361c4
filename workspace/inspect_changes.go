package workspace

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A ChangeLogQuery selects rows of an agent's journal of changes. The zero value selects the
// newest rows.
type ChangeLogQuery struct {
	Before int64    // Next of the page before: only rows with lower revisions; 0: from the newest
	Prefix string   // the beginning of the path, or of the path before a move; "": any
	Author string   // a part of the author's "client version key", in upper or lower case, at most 1,000 bytes; "": any
	Kind   PathKind // KindFile or KindLog; "": any
	Limit  int      // rows at most, 1-100; 0: 100

	// Join makes one row of appends of one author to one log if no other selected row is between them. It is
	// the newest of them, with the Before of the oldest and the Entries of all.
	Join bool
}

// A ChangeLog is a page of an agent's journal of changes. All of it comes from one snapshot.
type ChangeLog struct {
	// Changes are the rows, the newest first. One page looks at 10,000 rows at most. So a page
	// may have few rows or none although Next is set, and a joined row may go on on the next
	// page.
	Changes []store.Change

	Next   int64 // for ChangeLogQuery.Before; 0: the journal has no older rows
	Last   int64 // the agent's last revision; 0: the agent never had a change
	Oldest int64 // the lowest revision in the journal; Last+1: the journal is empty
}

const (
	pageRows = 100    // of a page of the journal
	scanRows = 10_000 // that a page looks at
)

// changesBack returns rows of the journal as they are, the newest first. kept is how many rows
// the journal keeps; those that a later write will remove do not count. Errors:
// [ErrInvalid].
func changesBack(r store.Reader, q ChangeLogQuery, kept int64) (ChangeLog, error) {
	if q.Before < 0 {
		return ChangeLog{}, Errorf(ErrInvalid, "before is %d, the least is 0", q.Before)
	}
	if len(q.Author) > maxLogWord {
		return ChangeLog{}, Errorf(ErrInvalid, "what is looked for has more than %d bytes", maxLogWord)
	}
	q.Author = strings.ToLower(q.Author)
	if err := setLimit(&q.Limit, pageRows, pageRows); err != nil {
		return ChangeLog{}, err
	}
	state, err := r.Owner()
	if err != nil {
		return ChangeLog{}, err
	}
	c := ChangeLog{Last: state.Revision, Oldest: state.Revision - min(state.Changes, kept) + 1}
	last := state.Revision // the first row to look at
	if q.Before > 0 {
		last = min(last, q.Before-1)
	}
	atOnce := changes.RowsAtOnce
	if q.Prefix == "" && q.Author == "" && q.Kind == "" && !q.Join {
		atOnce = q.Limit + 1
	}
	for row, err := range changes.Backward(r, last, c.Oldest-1, atOnce) {
		switch {
		case err != nil:
			return ChangeLog{}, err
		case last-row.Revision < scanRows && (!q.selects(row) || q.Join && c.join(row)):
		case last-row.Revision == scanRows, len(c.Changes) == q.Limit:
			c.Next = row.Revision + 1
			return c, nil
		default:
			c.Changes = append(c.Changes, row)
		}
	}
	return c, nil
}

// selects reports whether the query, whose author is in lower case, selects a row.
func (q ChangeLogQuery) selects(row store.Change) bool {
	return (strings.HasPrefix(row.Path, q.Prefix) || row.From != "" && strings.HasPrefix(row.From, q.Prefix)) &&
		(q.Kind == "" || row.Kind == q.Kind) &&
		matchesAuthor(row.Author, q.Author)
}

// join adds a row to the last one of the page if both are appends of one author to one log.
func (c *ChangeLog) join(row store.Change) bool {
	if len(c.Changes) == 0 || row.Op != OpAppend {
		return false
	}
	last := &c.Changes[len(c.Changes)-1]
	if last.Op != OpAppend || last.Path != row.Path || !sameClient(last.Author, row.Author) {
		return false
	}
	last.Before, last.Entries = row.Before, last.Entries+row.Entries
	return true
}

// sameClient reports whether two authors are the same but for their sessions.
func sameClient(a, b Author) bool {
	a.Session, b.Session = "", ""
	return a == b
}
