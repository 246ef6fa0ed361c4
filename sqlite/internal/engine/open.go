package engine

import (
	"encoding/binary"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// ModeStill is a mode of [Open]: reading without locks and without the log
// (https://www.sqlite.org/uri.html#uriimmutable). The connection does not see new
// commits until another process runs a checkpoint, and that disturbs a read.
// So it is for one transaction.
const ModeStill = "still"

// uri returns SQLite's name of a database. It escapes the path, so that no character of it
// is taken for an option.
func uri(path, mode string) string {
	q := url.Values{"mode": {mode}}
	switch mode {
	case ModeStill:
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	slashed := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		slashed = "/" + slashed // file:/C:/folder
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?" + q.Encode()
}

// Open opens a database. Each pragma has the form "name(value)". They run in the order of
// their names, busy_timeout first.
func Open(path, mode string, pragmas ...string) (*DB, error) {
	sqlite3.PatchIssue199() // the driver's own code does it, which is not in use here
	c := &DB{tls: libc.NewTLS(), stmts: make(map[string]*stmt)}
	if err := c.open(uri(path, mode)); err != nil {
		c.tls.Close()
		return nil, err
	}
	if err := c.configure(mode, pragmas); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// open opens the database without SQLite's mutexes: only one goroutine at a time uses a
// DB. An interrupt needs none.
func (d *DB) open(name string) error {
	text, err := libc.CString(name)
	if err != nil {
		return err
	}
	defer libc.Xfree(d.tls, text)
	out := d.tls.Alloc(pointerBytes)
	defer d.tls.Free(pointerBytes)
	const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE | sqlite3.SQLITE_OPEN_NOMUTEX |
		sqlite3.SQLITE_OPEN_URI
	rc := sqlite3.Xsqlite3_open_v2(d.tls, text, out, flags, 0)
	if d.db = pointer(out); rc != sqlite3.SQLITE_OK {
		err := d.error(rc)
		sqlite3.Xsqlite3_close_v2(d.tls, d.db) // SQLite may give a connection with an error, and takes 0
		return err
	}
	sqlite3.Xsqlite3_extended_result_codes(d.tls, d.db, 1)
	return nil
}

func (d *DB) configure(mode string, pragmas []string) error {
	// Without the guarantee of stable plans, SQLite prepares a statement with LIMIT ? again
	// whenever the limit is bound: https://www.sqlite.org/queryplanner-ng.html#qpstab
	if err := d.turnOn(sqlite3.SQLITE_DBCONFIG_ENABLE_QPSG); err != nil {
		return err
	}
	if mode != "ro" && mode != ModeStill {
		// This forbids statements that could damage the file:
		// https://www.sqlite.org/c3ref/c_dbconfig_defensive.html
		if err := d.turnOn(sqlite3.SQLITE_DBCONFIG_DEFENSIVE); err != nil {
			return err
		}
	}
	first := func(pragma string) string {
		if strings.HasPrefix(pragma, "busy_timeout") {
			return ""
		}
		return strings.ToLower(pragma)
	}
	pragmas = slices.SortedFunc(slices.Values(pragmas),
		func(a, b string) int { return strings.Compare(first(a), first(b)) })
	for _, p := range pragmas {
		if err := d.Script("PRAGMA " + p); err != nil {
			return err
		}
	}
	return nil
}

// turnOn sets an option of the connection.
func (d *DB) turnOn(option int32) error {
	const slots = 2 * 8 // of the two arguments: on, and where to say so
	list := d.tls.Alloc(slots)
	defer d.tls.Free(slots)
	if rc := sqlite3.Xsqlite3_db_config(d.tls, d.db, option,
		libc.VaList(list, int32(1), uintptr(0))); rc != sqlite3.SQLITE_OK {
		return d.error(rc)
	}
	return nil
}

const pointerBytes = 8 // the program is for machines of 64 bits only

// pointer reads a pointer that SQLite has written.
func pointer(at uintptr) uintptr {
	return uintptr(binary.NativeEndian.Uint64(libc.GoBytes(at, pointerBytes)))
}

// Close closes the connection and its statements.
func (d *DB) Close() error {
	for _, s := range d.stmts {
		d.finalize(s)
	}
	if rc := sqlite3.Xsqlite3_close_v2(d.tls, d.db); rc != sqlite3.SQLITE_OK {
		return d.error(rc)
	}
	d.tls.Close()
	return nil
}
