package sqlite

import (
	"database/sql/driver"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// tx is a [workspace.Tx] on the writer's connection.
type tx struct {
	reader
	wrote   int64 // bytes of content
	removed bool  // it only removes: on a full disk the reserve is for it
}

const (
	upsertOwner = "INSERT INTO owners (owner, " + ownerColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" +
		" ON CONFLICT (owner) DO UPDATE SET files = excluded.files, logs = excluded.logs, entries = excluded.entries, bytes = excluded.bytes," +
		" operations = excluded.operations, file_floor = excluded.file_floor, log_floor = excluded.log_floor," +
		" deleted_files = excluded.deleted_files, deleted_logs = excluded.deleted_logs, requests = excluded.requests, crc = excluded.crc"
	upsertFile = "INSERT INTO files (owner, " + fileColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)" +
		" ON CONFLICT (owner, path) DO UPDATE SET version = excluded.version, sizes = excluded.sizes, summary_bytes = excluded.summary_bytes," +
		" deleted = excluded.deleted, created = excluded.created, updated = excluded.updated, crc = excluded.crc"
	insertVersion = "INSERT INTO versions (owner, " + versionColumns + ", content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	pruneVersions = "DELETE FROM versions WHERE owner = ? AND path = ? AND version <= ?"
	upsertLog     = "INSERT INTO logs (owner, " + logColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)" +
		" ON CONFLICT (owner, path) DO UPDATE SET first = excluded.first, last = excluded.last, bytes = excluded.bytes," +
		" deleted = excluded.deleted, created = excluded.created, updated = excluded.updated, crc = excluded.crc"
	insertEntry   = "INSERT INTO entries (owner, " + entryColumns + ", content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	clearEntries  = "DELETE FROM entries WHERE owner = ? AND path = ?"
	upsertRequest = "INSERT OR REPLACE INTO requests (owner, " + requestColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)

func (t *tx) SaveFile(ch workspace.FileChange) error {
	if ch.Prune > 0 {
		if _, err := t.c.exec(pruneVersions, t.owner, ch.Head.Path, ch.Prune); err != nil {
			return err
		}
	}
	if ch.New != nil {
		t.wrote += ch.New.Size
		if _, err := t.c.exec(insertVersion, versionValues(t.owner, ch.Head.Path, ch.New)...); err != nil {
			return err
		}
	} else {
		t.removed = true
	}
	if _, err := t.c.exec(upsertFile, fileValues(t.owner, ch.Head)...); err != nil {
		return err
	}
	return t.SaveOwner(ch.Owner)
}

func (t *tx) SaveLog(ch workspace.LogChange) error {
	if ch.Clear {
		t.removed = len(ch.New) == 0
		if _, err := t.c.exec(clearEntries, t.owner, ch.Head.Path); err != nil {
			return err
		}
	}
	for i := range ch.New {
		t.wrote += int64(len(ch.New[i].Content))
		if _, err := t.c.exec(insertEntry, entryValues(t.owner, ch.Head.Path, &ch.New[i])...); err != nil {
			return err
		}
	}
	if _, err := t.c.exec(upsertLog, logValues(t.owner, ch.Head)...); err != nil {
		return err
	}
	return t.SaveOwner(ch.Owner)
}

func (t *tx) SaveOwner(s workspace.OwnerState) error {
	_, err := t.c.exec(upsertOwner, ownerValues(t.owner, s)...)
	return err
}

func (t *tx) FoldFiles(n int) (int64, error) {
	return t.fold("DELETE FROM files WHERE owner = ? AND path IN"+
		" (SELECT path FROM files WHERE owner = ? AND deleted = 1 ORDER BY updated, path LIMIT ?) RETURNING "+fileColumns,
		n, func(f *fields) int64 { return f.file(t.owner).Version })
}

func (t *tx) FoldLogs(n int) (int64, error) {
	return t.fold("DELETE FROM logs WHERE owner = ? AND path IN"+
		" (SELECT path FROM logs WHERE owner = ? AND deleted = 1 ORDER BY updated, path LIMIT ?) RETURNING "+logColumns,
		n, func(f *fields) int64 { return f.log(t.owner).Last })
}

func (t *tx) fold(query string, n int, number func(*fields) int64) (highest int64, err error) {
	err = t.c.each(func(row []driver.Value) error {
		f := fields{row: row}
		highest = max(highest, number(&f))
		return f.err("number of a deleted path of", t.owner)
	}, query, t.owner, t.owner, int64(n))
	return highest, err
}

func (t *tx) SaveRequest(r workspace.Request) error {
	_, err := t.c.exec(upsertRequest, requestValues(t.owner, r)...)
	return err
}

func (t *tx) DropRequests(before time.Time, n int) (int, error) {
	dropped, err := t.c.exec("DELETE FROM requests WHERE owner = ? AND key IN"+
		" (SELECT key FROM requests WHERE owner = ? AND created < ? ORDER BY created, key LIMIT ?)", t.owner, t.owner, micros(before), int64(n))
	return int(dropped), err
}
