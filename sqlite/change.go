package sqlite

import (
	"fmt"
	"math"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// journalSchema is the first schema with a journal of changes.
const journalSchema = 3

// Changes returns ErrCorrupt also if a row is missing that the owner's state counts.
func (r reader) Changes(after int64, limit int) (rows []workspace.Change, err error) {
	if r.c.schema < journalSchema {
		return nil, nil
	}
	err = r.c.each(func(f *row.Fields) error {
		c, err := r.change(f)
		if err != nil {
			return err
		}
		if n := len(rows); n > 0 && c.Revision != rows[n-1].Revision+1 {
			return missingChange(rows[n-1].Revision + 1)
		}
		rows = append(rows, c)
		return nil
	}, "SELECT "+row.ChangeColumns+" FROM changes WHERE owner = ? AND revision > ? ORDER BY revision LIMIT ?", r.owner, after, int64(limit))
	if err == nil && (len(rows) < limit || rows[0].Revision != after+1) {
		err = r.checkEnds(rows, after, limit)
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (r reader) change(f *row.Fields) (workspace.Change, error) {
	c := f.Change(r.owner)
	if f.Bad {
		return c, f.Err("change of", fmt.Sprintf("%s, %d,", r.owner, c.Revision))
	}
	return c, nil
}

// checkEnds compares the first row and the last one with the owner's state.
func (r reader) checkEnds(rows []workspace.Change, after int64, limit int) error {
	s, err := r.Owner()
	if err != nil || s.Changes == 0 {
		return err
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

// addChange adds a row to the journal, unless it has no revision.
func (t *tx) addChange(c *workspace.Change) error {
	if c.Revision == 0 {
		return nil
	}
	t.grew = true
	_, err := t.exec(insertChange, row.ChangeValues(t.owner, c)...)
	return err
}

// DropChanges implements [workspace.Tx].
func (t *tx) DropChanges(through int64) error {
	t.removed = true
	_, err := t.exec("DELETE FROM changes WHERE owner = ? AND revision <= ?", t.owner, through)
	return err
}

// MoveFile writes the rows of the versions that go along again, because a row's checksum is
// of its path too. No row of the other path stays that could have the same number.
func (t *tx) MoveFile(m workspace.FileMove) error {
	versions, err := t.Versions(m.From.Path)
	if err != nil {
		return err
	}
	if _, err := t.exec(pruneVersions, t.owner, m.To.Path, int64(math.MaxInt64)); err != nil {
		return err
	}
	for _, v := range versions {
		if v.Number <= max(m.Above, m.Prune) {
			continue
		}
		t.wrote += v.Size
		values := row.VersionValues(t.owner, m.To.Path, &v)
		crc := values[len(values)-2]
		if _, err := t.exec(moveVersion, m.To.Path, crc, t.owner, m.From.Path, v.Number); err != nil {
			return err
		}
	}
	from := workspace.FileChange{Head: m.From, Prune: m.From.Version, Forget: true, Owner: m.Owner}
	if err := t.SaveFile(from); err != nil {
		return err
	}
	return t.SaveFile(workspace.FileChange{Head: m.To, New: &m.New, Forget: true, Change: m.Change, Owner: m.Owner})
}
