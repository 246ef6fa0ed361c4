package engine

import (
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A Backup copies the database of a connection, as its transaction sees it, to a file:
// https://www.sqlite.org/backup.html
type Backup struct {
	from, to *DB
	handle   uintptr
}

// NewBackup begins a copy to a database that nobody else uses. The caller calls Finish.
func (d *DB) NewBackup(path string) (*Backup, error) {
	to, err := Open(path, "rw")
	if err != nil {
		return nil, err
	}
	main, err := libc.CString("main")
	if err != nil {
		to.Close()
		return nil, err
	}
	defer libc.Xfree(d.tls, main)
	b := &Backup{from: d, to: to}
	if b.handle = sqlite3.Xsqlite3_backup_init(to.tls, to.db, main, d.db, main); b.handle == 0 {
		err := to.error(sqlite3.Xsqlite3_extended_errcode(to.tls, to.db))
		to.Close()
		return nil, err
	}
	return b, nil
}

// Step copies at most n pages, and reports whether there are more.
func (b *Backup) Step(n int) (more bool, err error) {
	switch rc := sqlite3.Xsqlite3_backup_step(b.from.tls, b.handle, int32(n)); rc {
	case sqlite3.SQLITE_OK:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, b.from.error(rc)
	}
}

// Pages returns how many pages there are, and how many of them are still to be copied, as
// of the last Step.
func (b *Backup) Pages() (all, left int) {
	return int(sqlite3.Xsqlite3_backup_pagecount(b.from.tls, b.handle)),
		int(sqlite3.Xsqlite3_backup_remaining(b.from.tls, b.handle))
}

// Finish ends the copy, complete or not. The error is that of the steps, if there was one.
func (b *Backup) Finish() error {
	rc := sqlite3.Xsqlite3_backup_finish(b.from.tls, b.handle)
	b.to.Close()
	if rc != sqlite3.SQLITE_OK {
		return b.from.error(rc)
	}
	return nil
}
