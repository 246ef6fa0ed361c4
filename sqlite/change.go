package sqlite

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

func (r reader) Changes(after int64, limit int) (rows []workspace.Change, err error) {
	if r.c.schema < journalSchema {
		return nil, nil
	}
	err = r.c.each(func(f *fields) error {
		c := f.change(r.owner)
		if err := f.err("change of", fmt.Sprintf("%s, %d,", r.owner, c.Revision)); err != nil {
			return err
		}
		if n := len(rows); n > 0 && c.Revision != rows[n-1].Revision+1 {
			return workspace.Errorf(workspace.ErrCorrupt, "a change between %d and %d is missing", rows[n-1].Revision, c.Revision)
		}
		rows = append(rows, c)
		return nil
	}, "SELECT "+changeColumns+" FROM changes WHERE owner = ? AND revision > ? ORDER BY revision LIMIT ?", r.owner, after, int64(limit))
	return rows, err
}

// journal compares the rows of the journal with the owner's counters.
func (k ownerCheck) journal(sum *workspace.OwnerState) error {
	const page = 1000
	for after := int64(0); ; {
		rows, err := k.Changes(after, page)
		if err != nil {
			return err
		}
		for _, c := range rows {
			if sum.Changes > 0 && c.Revision != sum.Revision+1 {
				k.report.problem("%s: a change between %d and %d is missing", k.owner, sum.Revision, c.Revision)
			}
			sum.Changes++
			sum.Revision = c.Revision
		}
		if len(rows) < page {
			return k.ctx.Err()
		}
		after = sum.Revision
	}
}

// journalOwners returns the part of a query for owners that asks the journal.
func (c *conn) journalOwners() string {
	if c.schema < journalSchema {
		return ""
	}
	return " UNION SELECT owner FROM changes"
}

// addChange adds a row to the journal, unless it has no revision.
func (t *tx) addChange(c *workspace.Change) error {
	if c.Revision == 0 {
		return nil
	}
	t.grew = true
	_, err := t.exec(insertChange, changeValues(t.owner, c)...)
	return err
}

func (t *tx) DropChanges(through int64) error {
	t.removed = true
	_, err := t.exec("DELETE FROM changes WHERE owner = ? AND revision <= ?", t.owner, through)
	return err
}

// MoveFile writes the versions that go along again, because a row's checksum is of its
// path too.
func (t *tx) MoveFile(m workspace.FileMove) error {
	t.added = true
	t.wrote += m.New.Size
	versions, err := t.Versions(m.From.Path)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if v.Number <= max(m.Above, m.Prune) {
			continue
		}
		values := versionValues(t.owner, m.To.Path, &v)
		crc := values[len(values)-2]
		if _, err := t.exec("UPDATE versions SET path = ?, crc = ? WHERE owner = ? AND path = ? AND version = ?",
			m.To.Path, crc, t.owner, m.From.Path, v.Number); err != nil {
			return err
		}
	}
	from := workspace.FileChange{Head: m.From, Prune: m.From.Version, Forget: true, Owner: m.Owner}
	if err := t.SaveFile(from); err != nil {
		return err
	}
	return t.SaveFile(workspace.FileChange{Head: m.To, New: &m.New, Forget: true, Change: m.Change, Owner: m.Owner})
}
