package sqlite

import (
	"time"

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

// save runs the first statement, and the second one if the first has found no row to
// change.
func (t *tx) save(first, second string, values []any) error {
	n, err := t.exec(first, values...)
	if err == nil && n == 0 {
		_, err = t.exec(second, values...)
	}
	return err
}

func (t *tx) Apply(w store.Write) error {
	var err error
	switch w := w.(type) {
	case store.FileChange:
		first := row.UpdateFile
		if w.Head.Created.Equal(w.Head.Updated) { // most likely a new file
			first = row.PutFile
		}
		err = t.saveFile(w, first)
	case store.LogChange:
		err = t.saveLog(w)
	case store.FileMove:
		err = t.moveFile(w)
	case store.VersionRedaction:
		err = t.redact(w)
	case store.SummaryChange:
		err = t.saveSummary(w)
	case store.Request:
		_, err = t.exec(row.PutRequest, row.RequestValues(t.owner, w)...)
	}
	state, change := w.After()
	if err == nil && change != nil {
		err = t.addChange(change)
	}
	if err == nil && state != nil {
		err = t.saveOwner(*state)
	}
	return err
}

// saveFile stores a change of a file. It tries the statement first for the head.
func (t *tx) saveFile(ch store.FileChange, first string) error {
	if err := t.saveVersions(ch); err != nil {
		return err
	}
	if ch.Forget {
		t.removed = true
		if _, err := t.exec("DELETE FROM summaries WHERE owner = ? AND path = ?", t.owner, ch.Head.Path); err != nil {
			return err
		}
	}
	return t.save(first, row.PutFile, row.FileValues(t.owner, ch.Head))
}

func (t *tx) saveSummary(ch store.SummaryChange) error {
	t.added = true
	t.wrote += int64(len(ch.New.Content))
	if _, err := t.exec(row.PutSummary, row.SummaryValues(t.owner, ch.Head.Path, &ch.New)...); err != nil {
		return err
	}
	return t.save(row.UpdateFile, row.PutFile, row.FileValues(t.owner, ch.Head))
}

// redact writes the whole row again, because a row's checksum is of its size too.
func (t *tx) redact(ch store.VersionRedaction) error {
	v, err := t.version(ch.Head.Path, ch.Number, row.Receipt)
	switch {
	case err != nil:
		return err
	case v.Number == 0:
		return store.MissingVersion(ch.Number)
	}
	v = store.Version{Number: v.Number, Author: v.Author, Time: v.Time, Redacted: &ch.Redaction}
	t.removed = true
	values := row.VersionValues(t.owner, ch.Head.Path, &v)
	if _, err := t.exec("UPDATE versions SET size = ?, sha256 = ?, crc = ?, content = ? WHERE owner = ? AND path = "+
		"? AND version = ?",
		v.Size, v.SHA256[:], values[len(values)-2], values[len(values)-1], t.owner, ch.Head.Path,
		v.Number); err != nil {
		return err
	}
	if err := t.wantScrub(); err != nil {
		return err
	}
	return t.saveFile(store.FileChange{Head: ch.Head, Forget: ch.Forget}, row.UpdateFile)
}

// saveVersions removes the pruned versions and adds the new one. If a file already has as
// many versions as it may, the usual case, the new version takes the row of the oldest:
// that writes fewer pages than removing a row and adding another.
func (t *tx) saveVersions(ch store.FileChange) error {
	if ch.New == nil {
		t.removed = true
	} else {
		t.added = true
		t.wrote += ch.New.Size
	}
	if ch.Pruned == 1 && ch.New != nil {
		n, err := t.exec(row.ReplaceVersion, append(row.VersionValues(t.owner, ch.Head.Path, ch.New), ch.Prune)...)
		if err != nil || n == 1 {
			return err
		}
	}
	if ch.Prune > 0 {
		if _, err := t.exec(row.PruneVersions, t.owner, ch.Head.Path, ch.Prune); err != nil {
			return err
		}
	}
	if ch.New == nil {
		return nil
	}
	_, err := t.exec(row.InsertVersion, row.VersionValues(t.owner, ch.Head.Path, ch.New)...)
	return err
}

func (t *tx) saveLog(ch store.LogChange) error {
	if ch.Prune > 0 {
		t.removed = true
		if _, err := t.exec(row.PruneEntries, t.owner, ch.Head.Path, ch.Prune); err != nil {
			return err
		}
	}
	for i := range ch.New {
		t.added = true
		t.wrote += int64(len(ch.New[i].Content))
		if _, err := t.exec(row.InsertEntry, row.EntryValues(t.owner, ch.Head.Path, &ch.New[i])...); err != nil {
			return err
		}
	}
	first := row.UpdateLog
	if ch.Head.Created.Equal(ch.Head.Updated) { // most likely a new log
		first = row.PutLog
	}
	return t.save(first, row.PutLog, row.LogValues(t.owner, ch.Head))
}

func (t *tx) saveOwner(s store.OwnerState) error {
	if s == (store.OwnerState{}) {
		_, err := t.exec("DELETE FROM owners WHERE owner = ?", t.owner)
		return err
	}
	return t.save(row.UpdateOwner, row.InsertOwner, row.OwnerValues(t.owner, s))
}

func (t *tx) Fold(kind store.PathKind, n int) (highest int64, err error) {
	table, columns := "files", row.FileColumns
	number := func(f *row.Fields) int64 { return f.File(t.owner).Version }
	if kind == store.KindLog {
		table, columns = "logs", row.LogColumns
		number = func(f *row.Fields) int64 { return f.Log(t.owner).Last }
	}
	t.changed, t.removed = true, true
	err = t.c.Each(func(f *row.Fields) error {
		highest = max(highest, number(f))
		return f.Err("number of a deleted path of", t.owner)
	}, "DELETE FROM "+table+" WHERE owner = ? AND path IN (SELECT path FROM "+table+
		" WHERE owner = ? AND deleted = 1 ORDER BY updated, path LIMIT ?) RETURNING "+columns, t.owner, t.owner,
		int64(n))
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
	dropped, err := t.dropRequests("created < ?", o.From, o.Requests)
	if err != nil || dropped >= o.Requests {
		return err
	}
	_, err = t.dropRequests("created > ?", o.Until, o.Requests-dropped)
	return err
}

func (t *tx) dropRequests(kept string, at time.Time, n int) (int, error) {
	dropped, err := t.c.Exec("DELETE FROM requests WHERE owner = ? AND key IN"+
		" (SELECT key FROM requests WHERE owner = ? AND "+kept+" ORDER BY created, key LIMIT ?)", t.owner, t.owner,
		row.Micros(at), int64(n))
	if dropped > 0 || err != nil {
		t.changed, t.removed = true, true
	}
	return int(dropped), err
}
