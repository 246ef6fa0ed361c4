package sqlite

import (
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// tx is a [store.Tx] on the writer's connection.
type tx struct {
	reader
	changed  bool  // the function may have changed something
	wrote    int64 // bytes of content
	removed  bool  // it has removed something
	added    bool  // it has added something; if it only removes, it gets the reserve of a full disk
	grew     bool  // the journal of changes has a new row
	redacted bool  // the file is to be scrubbed
}

func (t *tx) exec(query string, args ...any) (int64, error) {
	t.changed = true
	return t.c.Exec(query, args...)
}

// store stores a row with one of the statements, by table. It returns how many rows there
// are of it, 0 or 1.
func (t *tx) store(statements map[*store.Table]string, r store.Row) (int64, error) {
	table, values := row.Values(t.owner, r)
	return t.exec(statements[table], values...)
}

// add stores a row that is not there yet.
func (t *tx) add(r store.Row) error {
	t.added = true
	t.wrote += int64(len(r.Content()))
	t.grew = t.grew || r.Change != nil
	_, err := t.store(row.Insert, r)
	return err
}

// put stores a row in place of another, if there is one. isNew says that there most likely
// is none.
func (t *tx) put(r store.Row, isNew bool) error {
	if !isNew {
		query, values := row.ToUpdate(t.owner, r)
		if n, err := t.exec(query, values...); err != nil || n > 0 {
			return err
		}
	}
	_, err := t.store(row.Put, r)
	return err
}

func (t *tx) Apply(w store.Write) error {
	var err error
	switch w := w.(type) {
	case store.FileChange:
		err = t.saveFile(w)
	case store.LogChange:
		err = t.saveLog(w)
	case store.FileMove:
		err = t.moveFile(w)
	case store.VersionRedaction:
		err = t.redact(w)
	case store.EntryRedaction:
		err = t.redactEntry(w)
	case store.SummaryChange:
		err = t.saveSummary(w)
	case store.Request:
		err = t.put(store.Row{Request: &w}, true)
	}
	state, change := w.After()
	if err == nil && change != nil {
		t.grew = true
		_, err = t.store(row.Insert, store.Row{Change: change})
	}
	switch {
	case err != nil || state == nil:
	case *state == store.OwnerState{}:
		_, err = t.exec("DELETE FROM owners WHERE owner = ?", t.owner)
	default:
		err = t.put(store.Row{State: state}, false)
	}
	return err
}

func (t *tx) saveFile(ch store.FileChange) error {
	if err := t.saveVersions(ch); err != nil {
		return err
	}
	if ch.Scrub {
		if err := t.wantScrub(); err != nil {
			return err
		}
	}
	if ch.Forget {
		t.removed = true
		if _, err := t.exec("DELETE FROM summaries WHERE owner = ? AND path = ?", t.owner, ch.Head.Path); err != nil {
			return err
		}
	}
	return t.put(store.Row{File: &ch.Head}, ch.Head.Created.Equal(ch.Head.Updated))
}

func (t *tx) saveSummary(ch store.SummaryChange) error {
	t.added = true
	t.wrote += int64(len(ch.New.Content))
	if err := t.put(store.Row{Summary: &ch.New, Path: ch.Head.Path}, true); err != nil {
		return err
	}
	return t.put(store.Row{File: &ch.Head}, false)
}

// redact writes the whole row again, because a row's checksum is of its size too.
func (t *tx) redact(ch store.VersionRedaction) error {
	v, err := t.version(ch.Head.Path, ch.Number, selectReceipts)
	switch {
	case err != nil:
		return err
	case v.Number == 0:
		return store.MissingVersion(ch.Number)
	}
	v = store.Version{Number: v.Number, Author: v.Author, Time: v.Time, Project: v.Project, Redacted: &ch.Redaction}
	t.removed = true
	if _, err := t.store(row.Update, store.Row{Version: &v, Path: ch.Head.Path}); err != nil {
		return err
	}
	if err := t.wantScrub(); err != nil {
		return err
	}
	return t.saveFile(store.FileChange{Head: ch.Head, Forget: ch.Forget})
}

// redactEntry writes the whole row again, as redact does.
func (t *tx) redactEntry(ch store.EntryRedaction) error {
	e := store.Entry{ID: ch.ID}
	there, err := t.one(store.Row{Entry: &e, Path: ch.Head.Path}, selectEntries+" AND entry = ?", ch.Head.Path, ch.ID)
	switch {
	case err != nil:
		return err
	case !there:
		return store.Errorf(store.ErrCorrupt, "entry %d is missing", ch.ID)
	}
	e = store.Entry{ID: e.ID, Author: e.Author, Time: e.Time, Redacted: &ch.Redaction}
	t.removed = true
	if _, err := t.store(row.Update, store.Row{Entry: &e, Path: ch.Head.Path}); err != nil {
		return err
	}
	if err := t.wantScrub(); err != nil {
		return err
	}
	return t.saveLog(store.LogChange{Head: ch.Head})
}

// saveVersions removes the pruned versions and adds the new one. If a file already has as
// many versions as it may, the usual case, the new version takes the row of the oldest:
// that writes fewer pages than removing a row and adding another.
func (t *tx) saveVersions(ch store.FileChange) error {
	added := store.Row{Version: ch.New, Path: ch.Head.Path}
	if ch.Pruned == 1 && ch.New != nil {
		t.added = true
		t.wrote += ch.New.Size
		_, values := row.Values(t.owner, added)
		n, err := t.exec(row.ReplaceVersion, append(values, ch.Prune)...)
		if err != nil || n == 1 {
			return err
		}
	}
	if ch.Prune > 0 {
		if _, err := t.exec(pruneVersions, t.owner, ch.Head.Path, ch.Prune); err != nil {
			return err
		}
	}
	if ch.New == nil {
		t.removed = true
		return nil
	}
	return t.add(added)
}

// The statements that remove versions and entries of a path up to a number.
const (
	pruneVersions = "DELETE FROM versions WHERE owner = ? AND path = ? AND version <= ?"
	pruneEntries  = "DELETE FROM entries WHERE owner = ? AND path = ? AND entry <= ?"
)

func (t *tx) saveLog(ch store.LogChange) error {
	if ch.Prune > 0 {
		t.removed = true
		if _, err := t.exec(pruneEntries, t.owner, ch.Head.Path, ch.Prune); err != nil {
			return err
		}
	}
	for i := range ch.New {
		if err := t.add(store.Row{Entry: &ch.New[i], Path: ch.Head.Path}); err != nil {
			return err
		}
	}
	return t.put(store.Row{Log: &ch.Head}, ch.Head.Created.Equal(ch.Head.Updated))
}

func (t *tx) ForgetDeleted(kind store.PathKind, n int) (highest int64, err error) {
	table := store.FileTable
	if kind == store.KindLog {
		table = store.LogTable
	}
	t.changed, t.removed = true, true
	err = t.c.Each(func(f *row.Fields) error {
		gone := table.New("")
		err := f.Read(t.owner, gone)
		if gone.File != nil {
			highest = max(highest, gone.File.Version)
		} else {
			highest = max(highest, gone.Log.Last)
		}
		return err
	}, "DELETE FROM "+table.Name+" WHERE owner = ? AND path IN ("+row.Forgotten[table]+") RETURNING "+
		row.Columns(table), t.owner, t.owner, int64(n))
	return highest, err
}

func (t *tx) Forget(o store.Old) error {
	if o.Changes > 0 {
		t.removed = true
		if _, err := t.exec("DELETE FROM changes WHERE owner = ? AND revision <= ?", t.owner, o.Changes); err != nil {
			return err
		}
	}
	if o.Requests <= 0 {
		return nil
	}
	dropped, err := t.exec("DELETE FROM requests WHERE owner = ?1 AND key IN (SELECT key FROM requests WHERE "+
		"owner = ?1 AND (created < ?2 OR created > ?3) ORDER BY created, key LIMIT ?4)", t.owner,
		row.Micros(o.DueBefore), row.Micros(o.DueAfter), int64(o.Requests))
	t.removed = t.removed || dropped > 0
	return err
}
