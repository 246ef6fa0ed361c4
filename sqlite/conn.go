package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"modernc.org/sqlite"
)

// conn is one connection with its prepared statements. It is not safe for concurrent
// use. It uses the driver itself and not database/sql: no pool is needed here, and content
// is copied once less.
type conn struct {
	dc     driver.Conn
	stmts  map[string]statement
	schema int64               // of the database; reading an older one differs
	still  bool                // opened with modeStill, for one transaction
	files  *dbfile.Opened      // nil except for the connection that writes
	args   []driver.NamedValue // reused from call to call
	dest   []driver.Value      // likewise
	row    row.Fields          // likewise

	// broken is the last error after which SQLite may have ended the transaction by
	// itself. Whoever begins something sets it to nil first.
	broken error
}

type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// background is the context of every statement. If a statement is interrupted, SQLite
// undoes the whole transaction.
var background = context.Background()

// dial opens a connection. Each pragma has the form "name(value)".
func dial(path, mode string, pragmas ...string) (*conn, error) {
	connector, err := sqlite.NewConnector(dsn(path, mode, pragmas))
	if err != nil {
		return nil, fmt.Errorf("%v", err)
	}
	dc, err := connector.Connect(background)
	if err != nil {
		return nil, translate(err)
	}
	return &conn{dc: dc, stmts: make(map[string]statement), schema: schemaVersion}, nil
}

// dialRead opens a connection that changes nothing. To read, SQLite must make a -wal and
// a -shm. If it cannot, because this user may not write in the folder, and there is no log
// to read, the database is opened with modeStill.
func dialRead(path string, pragmas ...string) (*conn, error) {
	c, err := dial(path, "ro", pragmas...)
	if err == nil {
		if err = c.pragma("schema_version"); err == nil {
			return c, nil
		}
		c.close()
	}
	if code := codeOf(err) & 0xff; code != codeReadOnly && code != codeCantOpen || !dbfile.IsWhole(path) {
		return nil, err
	}
	c, stillErr := dial(path, modeStill, pragmas...)
	if stillErr == nil {
		if stillErr = c.pragma("schema_version"); stillErr == nil {
			c.still = true
			return c, nil
		}
		c.close()
	}
	return nil, err
}

// modeStill is a mode of dial: reading without locks and without the log
// (https://www.sqlite.org/uri.html#uriimmutable). The connection does not see new
// commits until another process folds its log into the database, and that disturbs a
// read. So it is for one transaction.
const modeStill = "still"

// dsn returns the driver's name of a database. It escapes the path, so that no character
// of it is taken for an option.
func dsn(path, mode string, pragmas []string) string {
	q := url.Values{"mode": {mode}, "_pragma": pragmas}
	switch mode {
	case "ro":
	case modeStill:
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	default:
		q.Set("_defensive", "1")
	}
	slashed := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		slashed = "/" + slashed // file:/C:/folder
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?" + q.Encode()
}

func (c *conn) close() error {
	for _, s := range c.stmts {
		s.Close()
	}
	if c.files != nil {
		c.files.Close() // first: Windows removes no file that is open
	}
	return translate(c.dc.Close())
}

func (c *conn) prepare(query string) (statement, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	ds, err := c.dc.Prepare(query)
	if err != nil {
		return nil, translate(err)
	}
	s := ds.(statement)
	c.stmts[query] = s
	return s, nil
}

// bind returns the arguments, of type int64, string or []byte, in the form of the driver.
func (c *conn) bind(args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, a := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args
}

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(query string, args ...any) (int64, error) {
	s, err := c.prepare(query)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(background, c.bind(args))
	if err != nil {
		return 0, c.failed(err)
	}
	n, err := res.RowsAffected()
	return n, translate(err)
}

// each runs a query and calls fn with every row. fn may keep the values but not the
// fields. It may run other queries once it has read the fields.
func (c *conn) each(fn func(*row.Fields) error, query string, args ...any) error {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(background, c.bind(args))
	if err != nil {
		return c.failed(err)
	}
	open := true
	defer func() {
		if open { // fn has ended the goroutine, or panics: an open query would keep its snapshot
			rows.Close()
		}
	}()
	n := len(rows.Columns())
	for len(c.dest) < n {
		c.dest = append(c.dest, nil)
	}
	for {
		err := rows.Next(c.dest[:n])
		if err == io.EOF {
			open = false
			return translate(rows.Close())
		}
		if err == nil {
			c.row = row.Fields{Row: c.dest[:n]}
			err = fn(&c.row)
		}
		if err != nil {
			return c.failed(err)
		}
	}
}

// failed translates an error of a statement, and sets c.broken if the error may have
// ended the transaction: https://www.sqlite.org/lang_transaction.html, part 3.
func (c *conn) failed(err error) error {
	err = translate(err)
	switch codeOf(err) & 0xff {
	case codeFull, codeIOErr, codeNoMem, codeInterrupt, codeBusy, codeCantOpen:
		c.broken = err
	}
	return err
}

// one runs a query of at most one row and reports whether there was one.
func (c *conn) one(fn func(*row.Fields) error, query string, args ...any) (bool, error) {
	found := false
	err := c.each(func(f *row.Fields) error {
		found = true
		return fn(f)
	}, query, args...)
	return found, err
}

// number runs a query of one integer.
func (c *conn) number(query string, args ...any) (n int64, err error) {
	_, err = c.one(func(f *row.Fields) error {
		n = f.Int()
		return f.Err("answer", query)
	}, query, args...)
	return n, err
}

// script runs several statements that take no arguments.
func (c *conn) script(sql string) error {
	for _, one := range strings.Split(sql, ";\n") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		s, err := c.dc.Prepare(one)
		if err != nil {
			return translate(err)
		}
		_, err = s.(statement).ExecContext(background, nil)
		s.Close()
		if err != nil {
			return translate(err)
		}
	}
	return nil
}

// owners returns how the rows of owners are read in the connection's database.
func (c *conn) owners() *row.OwnerForm { return row.OwnerFormOf(c.schema) }
