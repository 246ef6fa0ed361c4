package engine

import (
	"encoding/binary"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// LogState describes the write-ahead log after a checkpoint.
type LogState struct {
	Busy   bool  // another process or a reader was in the way
	Pages  int64 // in the log
	Copied int64 // pages of the log that are in the database too
}

// Checkpoint runs a checkpoint in one of SQLite's modes. NOOP changes nothing:
// https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
func (d *DB) Checkpoint(mode string) (l LogState, err error) {
	_, err = d.One(func(f *row.Fields) error {
		f.Scan(&l.Busy, &l.Pages, &l.Copied)
		return f.Err("answer to wal_checkpoint")
	}, "PRAGMA wal_checkpoint("+mode+")")
	return l, err
}

// PageBytes is the size of a page, which is SQLite's own choice for a new database.
const PageBytes = 4096

// KeepLog makes the connection leave the log when it closes, instead of copying the rest
// into the database and removing the log. If the disk failed to confirm a checkpoint, it may
// have lost pages of earlier checkpoints too. The next process has no record of which pages
// were copied, so it copies the whole log again.
func (d *DB) KeepLog() error {
	if err := d.Pragma("journal_size_limit(-1)"); err != nil {
		return err
	}
	main, err := libc.CString("main")
	if err != nil {
		return err
	}
	defer libc.Xfree(d.tls, main)
	on := d.tls.Alloc(4)
	defer d.tls.Free(4)
	binary.NativeEndian.PutUint32(libc.GoBytes(on, 4), 1)
	if rc := sqlite3.Xsqlite3_file_control(d.tls, d.db, main, sqlite3.SQLITE_FCNTL_PERSIST_WAL,
		on); rc != sqlite3.SQLITE_OK {
		return d.error(rc)
	}
	return nil
}
