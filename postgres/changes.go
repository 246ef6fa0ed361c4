package postgres

import (
	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Changes returns ErrCorrupt also if a row is missing that the owner's state counts.
func (r reader) Changes(after int64, limit int) (rows []store.Change, err error) {
	var s store.OwnerState
	err = r.withOwner(&s, wire.Statement{
		SQL:  "SELECT " + changeColumns + " FROM changes WHERE owner = $1 AND revision > $2 ORDER BY revision LIMIT $3",
		Args: []any{r.owner, after, int64(limit)},
		Row: func(row *wire.Row) error {
			c, err := readChange(row, r.owner)
			if err != nil {
				return err
			}
			rows = append(rows, c)
			return nil
		},
	})
	if err == nil {
		err = store.CheckChanges(s, rows, after, limit)
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}
