package sqlite

import (
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Changes returns ErrCorrupt also if a row is missing that the owner's state counts.
func (r reader) Changes(after int64, limit int) (rows []store.Change, err error) {
	err = r.each(store.ChangeTable, "", selectChanges, func(c store.Row) error {
		rows = append(rows, *c.Change)
		return nil
	}, after, int64(limit))
	// A full page of ascending numbers that ends where it should has no gap.
	if n := len(rows); err == nil && (n < limit || rows[n-1].Revision != after+int64(limit)) {
		var s store.OwnerState
		if s, err = r.Owner(); err == nil {
			err = store.CheckChanges(s, rows, after, limit)
		}
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}

var selectChanges = row.Select(store.ChangeTable, "") + " AND revision > ? ORDER BY revision LIMIT ?"

// moveFile writes the rows of the versions that go along again, because a row's checksum is
// of its path too. No row of the other path stays that could have the same number.
func (t *tx) moveFile(m store.FileMove) error {
	versions, err := t.versions(m.From.Path)
	if err != nil {
		return err
	}
	if m.Above > 0 {
		if _, err := t.exec("DELETE FROM versions WHERE owner = ? AND path = ? AND version > ?", t.owner, m.To.Path,
			m.Above); err != nil {
			return err
		}
	}
	for _, v := range versions {
		if v.Number <= m.Above {
			continue
		}
		t.wrote += v.Size
		_, values := row.Values(t.owner, store.Row{Version: &v, Path: m.To.Path})
		if _, err := t.exec("UPDATE versions SET path = ?, crc = ? WHERE owner = ? AND path = ? AND version = ?",
			m.To.Path, values[len(values)-2], t.owner, m.From.Path, v.Number); err != nil {
			return err
		}
	}
	from, to := m.Changes()
	if err := t.saveFile(from); err != nil {
		return err
	}
	return t.saveFile(to)
}
