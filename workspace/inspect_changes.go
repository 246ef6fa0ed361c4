package workspace

import (
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A ChangeLogQuery selects rows of an agent's journal of changes. The zero value selects the
// newest rows.
type ChangeLogQuery struct {
	Before int64  // Next of the page before: only rows with lower revisions; 0: from the newest
	Prefix string // the beginning of the path, or of the path before a move; "": any
	Limit  int    // rows at most, 1-100; 0: 100
}

// A ChangeLog is a page of an agent's journal of changes. All of it comes from one snapshot.
type ChangeLog struct {
	// Changes are the rows, the newest first. One page looks at 5,000 rows at most. So with
	// a Prefix, a page may have few rows or none although Next is set.
	Changes []store.Change

	Next   int64 // for ChangeLogQuery.Before; 0: the journal has no older rows
	Last   int64 // the agent's last revision; 0: the agent never had a change
	Oldest int64 // the lowest revision in the journal; Last+1: the journal is empty
}

const (
	pageRows = 100  // of a page of the journal
	scanRows = 5000 // that a page looks at
)

// changesBack returns rows of the journal as they are, the newest first. kept is how many rows
// the journal keeps; those that a later write will remove do not count. Errors:
// [ErrInvalid].
func changesBack(r store.Reader, q ChangeLogQuery, kept int64) (ChangeLog, error) {
	if q.Before < 0 {
		return ChangeLog{}, Errorf(ErrInvalid, "before is %d, the least is 0", q.Before)
	}
	if err := setLimit(&q.Limit, pageRows, pageRows); err != nil {
		return ChangeLog{}, err
	}
	state, err := r.Owner()
	if err != nil {
		return ChangeLog{}, err
	}
	c := ChangeLog{Last: state.Revision, Oldest: state.Revision - min(state.Changes, kept) + 1}
	last := state.Revision // the newest row that was not looked at
	if q.Before > 0 {
		last = min(last, q.Before-1)
	}
	left := scanRows
	for last >= c.Oldest && left > 0 && len(c.Changes) < q.Limit {
		n := min(int64(changes.RowsAtOnce), int64(left), last-c.Oldest+1)
		if q.Prefix == "" {
			n = min(n, int64(q.Limit))
		}
		rows, err := changes.Rows(r, last-n, state.Revision, int(n))
		if err != nil {
			return ChangeLog{}, err
		}
		if int64(len(rows)) != n {
			return ChangeLog{}, Errorf(ErrCorrupt, "change %d is missing",
				last-n+int64(len(rows))+1)
		}
		for _, row := range slices.Backward(rows) {
			if len(c.Changes) == q.Limit {
				break
			}
			if strings.HasPrefix(row.Path, q.Prefix) || row.From != "" && strings.HasPrefix(row.From, q.Prefix) {
				c.Changes = append(c.Changes, row)
			}
			last, left = row.Revision-1, left-1
		}
	}
	if last >= c.Oldest {
		c.Next = last + 1
	}
	return c, nil
}
