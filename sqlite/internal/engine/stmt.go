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

func (c *Conn) prepare(query string) (*stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	s, err := c.compile(query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

// compile returns a statement that is not kept.
func (c *Conn) compile(query string) (*stmt, error) {
	text, err := libc.CString(query)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, text)
	s, rest, err := c.compileFirst(text)
	if err != nil {
		return nil, err
	}
	if s == nil || libc.GoString(rest) != "" {
		c.finalize(s)
		return nil, fmt.Errorf("sqlite: %q is not one statement", query)
	}
	return s, nil
}

// compileFirst compiles the first statement of a text and returns what comes after it. The
// statement is nil if there is none.
func (c *Conn) compileFirst(text uintptr) (s *stmt, rest uintptr, err error) {
	out := c.tls.Alloc(2 * pointerBytes)
	defer c.tls.Free(2 * pointerBytes)
	if rc := sqlite3.Xsqlite3_prepare_v2(c.tls, c.db, text, -1, out, out+pointerBytes); rc != sqlite3.SQLITE_OK {
		return nil, 0, c.error(rc)
	}
	handle, rest := pointer(out), pointer(out+pointerBytes)
	if handle == 0 {
		return nil, rest, nil
	}
	return &stmt{handle: handle, columns: int(sqlite3.Xsqlite3_column_count(c.tls, handle))}, rest, nil
}

// bind gives a statement its arguments, of type int64, string or []byte. None is NULL.
func (c *Conn) bind(s *stmt, args []any) error {
	c.runs++
	if err := c.makeRoom(s, args); err != nil {
		return err
	}
	at := s.args
	for i, a := range args {
		n, rc := int32(i+1), int32(sqlite3.SQLITE_OK)
		switch a := a.(type) {
		case int64:
			rc = sqlite3.Xsqlite3_bind_int64(c.tls, s.handle, n, a)
		case string:
			copy(libc.GoBytes(at, len(a)), a)
			rc = sqlite3.Xsqlite3_bind_text(c.tls, s.handle, n, at, int32(len(a)), 0)
			at += uintptr(len(a))
		case []byte:
			copy(libc.GoBytes(at, len(a)), a)
			rc = sqlite3.Xsqlite3_bind_blob(c.tls, s.handle, n, at, int32(len(a)), 0)
			at += uintptr(len(a))
		default:
			return fmt.Errorf("sqlite: argument %d has type %T", n, a)
		}
		if rc != sqlite3.SQLITE_OK {
			return c.error(rc)
		}
	}
	return nil
}

// makeRoom makes s.args for the texts and BLOBs. It is not 0 afterwards, as SQLite takes an
// empty BLOB there for NULL.
func (c *Conn) makeRoom(s *stmt, args []any) error {
	need := 1
	for _, a := range args {
		switch a := a.(type) {
		case string:
			need += len(a)
		case []byte:
			need += len(a)
		}
	}
	if s.args = sqlite3.Xsqlite3_malloc64(c.tls, uint64(need)); s.args == 0 {
		return c.error(sqlite3.SQLITE_NOMEM)
	}
	return nil
}

// step runs a statement until its next row, and reports whether there is one.
func (c *Conn) step(s *stmt) (bool, error) {
	switch rc := sqlite3.Xsqlite3_step(c.tls, s.handle); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, c.error(rc)
	}
}

// end makes a statement ready for its next run. It returns the error of the run.
func (c *Conn) end(s *stmt) error {
	rc := sqlite3.Xsqlite3_reset(c.tls, s.handle)
	var err error
	if rc != sqlite3.SQLITE_OK {
		err = c.error(rc)
	}
	sqlite3.Xsqlite3_clear_bindings(c.tls, s.handle)
	sqlite3.Xsqlite3_free(c.tls, s.args)
	s.args = 0
	return err
}

func (c *Conn) finalize(s *stmt) {
	if s == nil {
		return
	}
	sqlite3.Xsqlite3_finalize(c.tls, s.handle)
}

// read copies the values of the row. NULL is nil, and an empty BLOB is not. The error is that
// of SQLite if it has no memory for a value.
func (c *Conn) read(s *stmt, to []any) error {
	for i := range to {
		n := int32(i)
		at := uintptr(1)
		switch sqlite3.Xsqlite3_column_type(c.tls, s.handle, n) {
		case sqlite3.SQLITE_INTEGER:
			to[i] = sqlite3.Xsqlite3_column_int64(c.tls, s.handle, n)
		case sqlite3.SQLITE_FLOAT:
			to[i] = sqlite3.Xsqlite3_column_double(c.tls, s.handle, n)
		case sqlite3.SQLITE_TEXT:
			at = sqlite3.Xsqlite3_column_text(c.tls, s.handle, n)
			to[i] = string(c.bytes(s, n, at))
		case sqlite3.SQLITE_BLOB:
			at = sqlite3.Xsqlite3_column_blob(c.tls, s.handle, n)
			to[i] = append([]byte{}, c.bytes(s, n, at)...)
		default:
			to[i] = nil
		}
		if at == 0 && c.noMemory() {
			return c.error(sqlite3.SQLITE_NOMEM)
		}
	}
	return nil
}

// noMemory reports whether SQLite had no memory for the value that it was asked for last. It
// answers 0 then, as it does for an empty BLOB.
func (c *Conn) noMemory() bool {
	return sqlite3.Xsqlite3_errcode(c.tls, c.db)&0xff == sqlite3.SQLITE_NOMEM
}

// bytes returns the bytes of a column, which are SQLite's.
func (c *Conn) bytes(s *stmt, column int32, at uintptr) []byte {
	if at == 0 {
		return nil
	}
	return libc.GoBytes(at, int(sqlite3.Xsqlite3_column_bytes(c.tls, s.handle, column)))
}
