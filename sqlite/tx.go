package sqlite

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// tx is a [workspace.Tx] on the writer's connection.
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

func (t *tx) SaveFile(ch workspace.FileChange) error {
	first := row.UpdateFile
	if ch.Head.Created.Equal(ch.Head.Updated) { // most likely a new file
		first = row.PutFile
	}
	if err := t.saveFile(ch, first); err != nil {
		return err
	}
	return t.SaveOwner(ch.Owner)
}

// saveFile is SaveFile without the owner's state. It tries the statement first for the
// head.
func (t *tx) saveFile(ch workspace.FileChange, first string) error {
	if err := t.saveVersions(ch); err != nil {
		return err
	}
	if ch.Forget {
		t.removed = true
		if _, err := t.exec("DELETE FROM summaries WHERE owner = ? AND path = ?", t.owner, ch.Head.Path); err != nil {
			return err
		}
	}
	if err := t.save(first, row.PutFile, row.FileValues(t.owner, ch.Head)); err != nil {
		return err
	}
	return t.addChange(&ch.Change)
}

func (t *tx) SaveSummary(ch workspace.SummaryChange) error {
	t.added = true
	t.wrote += int64(len(ch.New.Content))
	if _, err := t.exec(row.PutSummary, row.SummaryValues(t.owner, ch.Head.Path, &ch.New)...); err != nil {
		return err
	}
	if err := t.save(row.UpdateFile, row.PutFile, row.FileValues(t.owner, ch.Head)); err != nil {
		return err
	}
	return t.SaveOwner(ch.Owner)
}

// RedactVersion writes the whole row again, because a row's checksum is of its size too.
func (t *tx) RedactVersion(ch workspace.VersionRedaction) error {
	v, err := t.Version(ch.Head.Path, ch.Number)
	if err != nil {
		return err
	}
	v = workspace.Version{Number: v.Number, Author: v.Author, Time: v.Time, Redacted: &ch.Redaction}
	t.removed = true
	values := row.VersionValues(t.owner, ch.Head.Path, &v)
	if _, err := t.exec("UPDATE versions SET size = ?, sha256 = ?, crc = ?, content = ? WHERE owner = ? AND path = ? AND version = ?",
		v.Size, v.SHA256[:], values[len(values)-2], values[len(values)-1], t.owner, ch.Head.Path, v.Number); err != nil {
		return err
	}
	if err := t.wantScrub(); err != nil {
		return err
	}
	return t.SaveFile(workspace.FileChange{Head: ch.Head, Forget: ch.Forget, Change: ch.Change, Owner: ch.Owner})
}

// saveVersions removes the pruned versions and adds the new one. If a file already has as
// many versions as it may, the usual case, the new version takes the row of the oldest:
// that writes fewer pages than removing a row and adding another.
func (t *tx) saveVersions(ch workspace.FileChange) error {
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

func (t *tx) SaveLog(ch workspace.LogChange) error {
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
	if err := t.save(first, row.PutLog, row.LogValues(t.owner, ch.Head)); err != nil {
		return err
	}
	if err := t.addChange(&ch.Change); err != nil {
		return err
	}
	return t.SaveOwner(ch.Owner)
}

func (t *tx) SaveOwner(s workspace.OwnerState) error {
	if s == (workspace.OwnerState{}) {
		_, err := t.exec("DELETE FROM owners WHERE owner = ?", t.owner)
		return err
	}
	return t.save(row.UpdateOwner, row.InsertOwner, row.OwnerValues(t.owner, s))
}

func (t *tx) FoldFiles(n int) (int64, error) {
	return t.fold("DELETE FROM files WHERE owner = ? AND path IN"+
		" (SELECT path FROM files WHERE owner = ? AND deleted = 1 ORDER BY updated, path LIMIT ?) RETURNING "+row.FileColumns,
		n, func(f *row.Fields) int64 { return f.File(t.owner).Version })
}

func (t *tx) FoldLogs(n int) (int64, error) {
	return t.fold("DELETE FROM logs WHERE owner = ? AND path IN"+
		" (SELECT path FROM logs WHERE owner = ? AND deleted = 1 ORDER BY updated, path LIMIT ?) RETURNING "+row.LogColumns,
		n, func(f *row.Fields) int64 { return f.Log(t.owner).Last })
}

func (t *tx) fold(query string, n int, number func(*row.Fields) int64) (highest int64, err error) {
	t.changed, t.removed = true, true
	err = t.c.Each(func(f *row.Fields) error {
		highest = max(highest, number(f))
		return f.Err("number of a deleted path of", t.owner)
	}, query, t.owner, t.owner, int64(n))
	return highest, err
}

func (t *tx) SaveRequest(r workspace.Request) error {
	_, err := t.exec(row.PutRequest, row.RequestValues(t.owner, r)...)
	return err
}

func (t *tx) DropRequests(from, to time.Time, n int) error {
	dropped, err := t.dropRequests("created < ?", from, n)
	if err != nil || dropped >= n {
		return err
	}
	_, err = t.dropRequests("created > ?", to, n-dropped)
	return err
}

func (t *tx) dropRequests(kept string, at time.Time, n int) (int, error) {
	dropped, err := t.c.Exec("DELETE FROM requests WHERE owner = ? AND key IN"+
		" (SELECT key FROM requests WHERE owner = ? AND "+kept+" ORDER BY created, key LIMIT ?)", t.owner, t.owner, row.Micros(at), int64(n))
	if dropped > 0 || err != nil {
		t.changed, t.removed = true, true
	}
	return int(dropped), err
}
