package postgres

import (
	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Changes returns ErrCorrupt also if a row is missing that the owner's state counts.
func (r reader) Changes(after int64, limit int) (rows []workspace.Change, err error) {
	var s workspace.OwnerState
	err = r.withOwner(&s, wire.Statement{
		SQL:  "SELECT " + changeColumns + " FROM changes WHERE owner = $1 AND revision > $2 ORDER BY revision LIMIT $3",
		Args: []any{r.owner, after, int64(limit)},
		Row: func(row *wire.Row) error {
			c, err := readChange(row, r.owner)
			if err != nil {
				return err
			}
			if n := len(rows); n > 0 && c.Revision != rows[n-1].Revision+1 {
				return missingChange(rows[n-1].Revision + 1)
			}
			rows = append(rows, c)
			return nil
		},
	})
	if err == nil {
		err = checkEnds(s, rows, after, limit)
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// checkEnds compares the first row and the last one with the owner's state.
func checkEnds(s workspace.OwnerState, rows []workspace.Change, after int64, limit int) error {
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
	return workspace.Errorf(workspace.ErrCorrupt, "change %d is missing", revision)
}
