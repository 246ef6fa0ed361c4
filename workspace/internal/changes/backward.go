package changes

import (
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/inspect"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	pageRows = 100  // of a page of the journal
	scanRows = 5000 // that a page looks at
)

// Backward returns rows of the journal as they are, the newest first. kept is how many rows
// the journal keeps; those that a later write will remove do not count. Errors:
// [store.ErrInvalid].
func Backward(r store.Reader, q inspect.ChangeLogQuery, kept int64) (inspect.ChangeLog, error) {
	switch {
	case q.Limit < 0 || q.Limit > pageRows:
		return inspect.ChangeLog{}, store.Errorf(store.ErrInvalid, "%s is %d, allowed are 1-%d", store.ArgLimit,
			q.Limit, pageRows)
	case q.Before < 0:
		return inspect.ChangeLog{}, store.Errorf(store.ErrInvalid, "before is %d, the least is 0", q.Before)
	case q.Limit == 0:
		q.Limit = pageRows
	}
	state, err := r.Owner()
	if err != nil {
		return inspect.ChangeLog{}, err
	}
	c := inspect.ChangeLog{Last: state.Revision, Oldest: state.Revision - min(state.Changes, kept) + 1}
	last := state.Revision // the newest row that was not looked at
	if q.Before > 0 {
		last = min(last, q.Before-1)
	}
	left := scanRows
	for last >= c.Oldest && left > 0 && len(c.Changes) < q.Limit {
		n := min(int64(rowsAtOnce), int64(left), last-c.Oldest+1)
		if q.Prefix == "" {
			n = min(n, int64(q.Limit))
		}
		rows, err := nextRows(r, last-n, state.Revision, int(n))
		if err != nil {
			return inspect.ChangeLog{}, err
		}
		if int64(len(rows)) != n {
			return inspect.ChangeLog{}, store.Errorf(store.ErrCorrupt, "change %d is missing",
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
