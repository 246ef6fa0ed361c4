package engine

import (
	"fmt"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// stmt is a prepared statement.
type stmt struct {
	handle  uintptr
	columns int
	args    uintptr // SQLite's copy of the texts and BLOBs that are bound; 0: none
}

func (d *DB) prepare(query string) (*stmt, error) {
	if s, ok := d.stmts[query]; ok {
		return s, nil
	}
	s, err := d.compile(query)
	if err != nil {
		return nil, err
	}
	d.stmts[query] = s
	return s, nil
}

// compile returns a statement that is not kept.
func (d *DB) compile(query string) (*stmt, error) {
	text, err := libc.CString(query)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(d.tls, text)
	s, rest, err := d.compileFirst(text)
	if err != nil {
		return nil, err
	}
	if s == nil || libc.GoString(rest) != "" {
		d.finalize(s)
		return nil, fmt.Errorf("sqlite: %q is not one statement", query)
	}
	return s, nil
}

// compileFirst compiles the first statement of a text and returns what comes after it. The
// statement is nil if there is none.
func (d *DB) compileFirst(text uintptr) (s *stmt, rest uintptr, err error) {
	out := d.tls.Alloc(2 * pointerBytes)
	defer d.tls.Free(2 * pointerBytes)
	if rc := sqlite3.Xsqlite3_prepare_v2(d.tls, d.db, text, -1, out, out+pointerBytes); rc != sqlite3.SQLITE_OK {
		return nil, 0, d.error(rc)
	}
	handle, rest := pointer(out), pointer(out+pointerBytes)
	if handle == 0 {
		return nil, rest, nil
	}
	return &stmt{handle: handle, columns: int(sqlite3.Xsqlite3_column_count(d.tls, handle))}, rest, nil
}

// bind gives a statement its arguments, of type int64, string or []byte. None is NULL.
func (d *DB) bind(s *stmt, args []any) error {
	d.runs++
	if err := d.makeRoom(s, args); err != nil {
		return err
	}
	at := s.args
	for i, a := range args {
		n, rc := int32(i+1), int32(sqlite3.SQLITE_OK)
		switch a := a.(type) {
		case int64:
			rc = sqlite3.Xsqlite3_bind_int64(d.tls, s.handle, n, a)
		case string:
			copy(libc.GoBytes(at, len(a)), a)
			rc = sqlite3.Xsqlite3_bind_text(d.tls, s.handle, n, at, int32(len(a)), 0)
			at += uintptr(len(a))
		case []byte:
			copy(libc.GoBytes(at, len(a)), a)
			rc = sqlite3.Xsqlite3_bind_blob(d.tls, s.handle, n, at, int32(len(a)), 0)
			at += uintptr(len(a))
		default:
			return fmt.Errorf("sqlite: argument %d has type %T", n, a)
		}
		if rc != sqlite3.SQLITE_OK {
			return d.error(rc)
		}
	}
	return nil
}

// makeRoom makes s.args for the texts and BLOBs. It is not 0 afterwards, as SQLite takes an
// empty BLOB there for NULL.
func (d *DB) makeRoom(s *stmt, args []any) error {
	need := 1
	for _, a := range args {
		switch a := a.(type) {
		case string:
			need += len(a)
		case []byte:
			need += len(a)
		}
	}
	if s.args = sqlite3.Xsqlite3_malloc64(d.tls, uint64(need)); s.args == 0 {
		return d.error(sqlite3.SQLITE_NOMEM)
	}
	return nil
}

// step runs a statement until its next row, and reports whether there is one.
func (d *DB) step(s *stmt) (bool, error) {
	switch rc := sqlite3.Xsqlite3_step(d.tls, s.handle); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, d.error(rc)
	}
}

// end makes a statement ready for its next run. It returns the error of the run.
func (d *DB) end(s *stmt) error {
	rc := sqlite3.Xsqlite3_reset(d.tls, s.handle)
	var err error
	if rc != sqlite3.SQLITE_OK {
		err = d.error(rc)
	}
	sqlite3.Xsqlite3_clear_bindings(d.tls, s.handle)
	sqlite3.Xsqlite3_free(d.tls, s.args)
	s.args = 0
	return err
}

func (d *DB) finalize(s *stmt) {
	if s == nil {
		return
	}
	sqlite3.Xsqlite3_finalize(d.tls, s.handle)
}

// read copies the values of the row. NULL is nil, and an empty BLOB is not. The error is that
// of SQLite if it has no memory for a value.
func (d *DB) read(s *stmt, to []any) error {
	for i := range to {
		n := int32(i)
		at := uintptr(1)
		switch sqlite3.Xsqlite3_column_type(d.tls, s.handle, n) {
		case sqlite3.SQLITE_INTEGER:
			to[i] = sqlite3.Xsqlite3_column_int64(d.tls, s.handle, n)
		case sqlite3.SQLITE_FLOAT:
			to[i] = sqlite3.Xsqlite3_column_double(d.tls, s.handle, n)
		case sqlite3.SQLITE_TEXT:
			at = sqlite3.Xsqlite3_column_text(d.tls, s.handle, n)
			to[i] = string(d.bytes(s, n, at))
		case sqlite3.SQLITE_BLOB:
			at = sqlite3.Xsqlite3_column_blob(d.tls, s.handle, n)
			to[i] = append([]byte{}, d.bytes(s, n, at)...)
		default:
			to[i] = nil
		}
		if at == 0 && d.noMemory() {
			return d.error(sqlite3.SQLITE_NOMEM)
		}
	}
	return nil
}

// noMemory reports whether SQLite had no memory for the value that it was asked for last. It
// answers 0 then, as it does for an empty BLOB.
func (d *DB) noMemory() bool {
	return sqlite3.Xsqlite3_errcode(d.tls, d.db)&0xff == sqlite3.SQLITE_NOMEM
}

// bytes returns the bytes of a column, which are SQLite's.
func (d *DB) bytes(s *stmt, column int32, at uintptr) []byte {
	if at == 0 {
		return nil
	}
	return libc.GoBytes(at, int(sqlite3.Xsqlite3_column_bytes(d.tls, s.handle, column)))
}
