package engine

import (
	"errors"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite's result codes: https://www.sqlite.org/rescode.html
const (
	CodeError      = 1
	CodePerm       = 3
	CodeBusy       = 5
	CodeLocked     = 6
	CodeNoMem      = 7
	CodeReadOnly   = 8
	CodeInterrupt  = 9
	CodeIOErr      = 10
	CodeCorrupt    = 11
	CodeFull       = 13
	CodeCantOpen   = 14
	CodeProtocol   = 15
	CodeConstraint = 19
	CodeNotADB     = 26

	CodeIOErrShort      = 522
	CodeIOErrWrite      = 778
	CodeIOErrFsync      = 1034
	CodeIOErrDirFsync   = 1290
	CodeIOErrShmSize    = 4874
	CodeReadOnlyRollbck = 776
)

// Error is an error of SQLite.
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string { return e.Text }

// error returns the error of a result code, with its kind. Only the last call has one.
func (d *DB) error(code int32) error {
	text := libc.GoString(sqlite3.Xsqlite3_errstr(d.tls, code))
	if d.db != 0 {
		if more := libc.GoString(sqlite3.Xsqlite3_errmsg(d.tls, d.db)); more != text {
			text += ": " + more
		}
	}
	text = fmt.Sprintf("sqlite: %s (%d)", text, code)
	switch {
	case code == CodeBusy:
		text += " (SQLITE_BUSY)"
	case code&0xff == CodeFull: // if a copy meets it, SQLite's text is "not an error"
		text = "the disk is full"
	}
	e := &Error{Code: int(code), Text: text}
	if kind := kindOf(e.Code); kind != nil {
		return &store.Error{Kind: kind, Err: e}
	}
	return e
}

// kindOf returns the kind of a result code, and nil for one that only a mistake in this
// package can cause.
func kindOf(code int) error {
	switch code {
	case CodeIOErrWrite, CodeIOErrShmSize:
		return store.ErrStorageFull
	case CodeIOErrFsync, CodeIOErrDirFsync:
		return store.ErrOutcomeUnknown
	}
	switch code & 0xff {
	case CodeBusy, CodeLocked, CodeProtocol, CodeCantOpen, CodeNoMem: // nothing happened, and a later try may succeed
		return store.ErrBusy
	case CodeFull:
		return store.ErrStorageFull
	case CodeCorrupt, CodeNotADB, CodeConstraint, CodeIOErr: // stored data is wrong or cannot be read
		return store.ErrCorrupt
	case CodeReadOnly, CodePerm:
		return store.ErrReadOnly
	}
	return nil
}

// CodeOf returns SQLite's extended result code of an error, and 0 for an error of
// somebody else.
func CodeOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// IsFsync reports whether an error says that the disk did not confirm a write.
func IsFsync(err error) bool {
	code := CodeOf(err)
	return code == CodeIOErrFsync || code == CodeIOErrDirFsync
}

// IsFull reports whether an error says that the disk is full.
func IsFull(err error) bool { return errors.Is(err, store.ErrStorageFull) }

// Explain says what is wrong with a database, for an error of SQLite that came before
// anything was opened for writing. It returns any other error as it is.
func Explain(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	code := e.Code
	switch {
	case IsFull(err): // the disk may have no room for the index of the log
		return err
	case code == CodeNotADB:
		return store.Errorf(store.ErrInvalid, "it is not an SQLite database, or its first page is damaged; give "+
			"another path")
	case code == CodeIOErrShort:
		return store.Errorf(store.ErrCorrupt, "its write-ahead log is missing or cut off; if another process has "+
			"the database open, stop that process normally and try again; otherwise restore the database from a backup")
	case code&0xff == CodeBusy:
		return store.Errorf(store.ErrBusy, "another program keeps it locked; close that program or try again")
	case code == CodeReadOnlyRollbck:
		return store.Errorf(store.ErrInvalid, "another program has not finished a change to it (there is a hot "+
			"journal); open it with that program")
	case code&0xff == CodeCantOpen:
		return store.Errorf(store.ErrInvalid, "it cannot be opened; check the permissions of the file and its "+
			"folder: %s", e.Text)
	case code&0xff == CodeReadOnly:
		return store.Errorf(store.ErrReadOnly, "it cannot be opened; the database's folder must be writable: %s",
			e.Text)
	case code&0xff == CodeCorrupt, code&0xff == CodeError, code&0xff == CodeIOErr:
		return store.Errorf(store.ErrCorrupt, "it is damaged or cannot be read; restore it from a backup: %s", e.Text)
	}
	return err
}
