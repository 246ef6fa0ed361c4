package engine

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A DB is an open database with its prepared statements: what SQLite calls a database
// connection. A DB is not safe for concurrent use. It calls SQLite itself and not through the
// module's driver for database/sql, which asks for the name and the type of each column again
// whenever a statement runs, and takes SQLite's mutex for each value.
type DB struct {
	tls   *libc.TLS // what SQLite has in place of a thread
	db    uintptr
	stmts map[string]*stmt
	dest  []any      // reused from call to call
	row   row.Fields // likewise
	runs  int        // of statements; with it the race detector sees if two goroutines use the DB

	// Broken is the last error after which SQLite may have ended the transaction by
	// itself. Whoever begins something sets it to nil first.
	Broken error
}

// Exec runs a statement and returns how many rows it changed. It drops rows that the
// statement returns.
func (d *DB) Exec(query string, args ...any) (int64, error) {
	s, err := d.prepare(query)
	if err != nil {
		return 0, err
	}
	n, err := d.exec(s, args)
	if err != nil {
		return 0, d.failed(err)
	}
	return n, nil
}

func (d *DB) exec(s *stmt, args []any) (n int64, err error) {
	err = d.bind(s, args)
	for more := err == nil; more; {
		more, err = d.step(s)
	}
	n = int64(sqlite3.Xsqlite3_changes(d.tls, d.db))
	if end := d.end(s); err == nil {
		err = end
	}
	return n, err
}

// Each runs a query and calls fn with every row. fn may keep the values but not the
// fields. It may run other queries once it has read the fields.
func (d *DB) Each(fn func(*row.Fields) error, query string, args ...any) error {
	s, err := d.prepare(query)
	if err != nil {
		return err
	}
	open := true
	defer func() {
		if open { // fn has returned an error, has ended the goroutine, or panics: an open query would keep its snapshot
			d.end(s)
		}
	}()
	if err := d.bind(s, args); err != nil {
		return d.failed(err)
	}
	for len(d.dest) < s.columns {
		d.dest = append(d.dest, nil)
	}
	for {
		more, err := d.step(s)
		if err == nil && !more {
			open = false
			return d.end(s)
		}
		if err == nil {
			if err = d.read(s, d.dest[:s.columns]); err == nil {
				d.row = row.Fields{Row: d.dest[:s.columns]}
				err = fn(&d.row)
			}
		}
		if err != nil {
			return d.failed(err)
		}
	}
}

// EachUntil is Each, but if the context ends, the statement is interrupted, and the error
// is that of the context. The connection must not be used again then.
func (d *DB) EachUntil(ctx context.Context, fn func(*row.Fields) error, query string, args ...any) error {
	done, ended := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		tls := libc.NewTLS() // of this goroutine
		defer tls.Close()
		for { // an interrupt before the statement runs has no effect
			sqlite3.Xsqlite3_interrupt(tls, d.db)
			select {
			case <-done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	defer func() {
		close(done)
		if !stop() {
			<-ended
		}
	}()
	err := d.Each(fn, query, args...)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return err
}

// failed sets c.Broken if the error of a statement may have ended the transaction:
// https://www.sqlite.org/lang_transaction.html, part 3.
func (d *DB) failed(err error) error {
	switch CodeOf(err) & 0xff {
	case CodeFull, CodeIOErr, CodeNoMem, CodeInterrupt, CodeBusy, CodeCantOpen:
		d.Broken = err
	}
	return err
}

// One runs a query of at most one row and reports whether there was one.
func (d *DB) One(fn func(*row.Fields) error, query string, args ...any) (bool, error) {
	found := false
	err := d.Each(func(f *row.Fields) error {
		found = true
		return fn(f)
	}, query, args...)
	return found, err
}

// Number runs a query of one integer.
func (d *DB) Number(query string, args ...any) (n int64, err error) {
	_, err = d.One(func(f *row.Fields) error {
		n = f.Int()
		return f.Err("answer to " + query)
	}, query, args...)
	return n, err
}

// Script runs several statements that take no arguments.
func (d *DB) Script(sql string) error {
	text, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(d.tls, text)
	for rest := text; libc.GoString(rest) != ""; {
		var s *stmt
		if s, rest, err = d.compileFirst(rest); err != nil {
			return err
		}
		if s == nil { // a comment, or space
			continue
		}
		_, err = d.exec(s, nil)
		d.finalize(s)
		if err != nil {
			return err
		}
	}
	return nil
}

// Pragma runs a pragma and drops what it returns.
func (d *DB) Pragma(text string) error {
	_, err := d.One(func(*row.Fields) error { return nil }, "PRAGMA "+text)
	return err
}
