package postgres

import (
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Changes returns ErrCorrupt also if a row is missing that the owner's state counts.
func (r reader) Changes(after int64, limit int) (rows []store.Change, err error) {
	var s store.OwnerState
	err = r.withOwner(&s, r.rows(store.ChangeTable, "", selectOf(store.ChangeTable, "")+
		" AND revision > $2 ORDER BY revision LIMIT $3", func() { rows = nil },
		func(found store.Row) { rows = append(rows, *found.Change) }, after, int64(limit)))
	if err == nil {
		err = store.CheckChanges(s, rows, after, limit)
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}
