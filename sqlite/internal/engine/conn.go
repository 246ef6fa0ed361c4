package engine

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"modernc.org/sqlite"
)

// Conn is one connection with its prepared statements. It is not safe for concurrent
// use. It uses the driver itself and not database/sql: no pool is needed here, and content
// is copied once less.
type Conn struct {
	dc    driver.Conn
	stmts map[string]statement
	args  []driver.NamedValue // reused from call to call
	dest  []driver.Value      // likewise
	row   row.Fields          // likewise

	// Broken is the last error after which SQLite may have ended the transaction by
	// itself. Whoever begins something sets it to nil first.
	Broken error
}

type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// background is the context of every statement. If a statement is interrupted, SQLite
// undoes the whole transaction.
var background = context.Background()

// Dial opens a connection. Each pragma has the form "name(value)".
func Dial(path, mode string, pragmas ...string) (*Conn, error) {
	connector, err := sqlite.NewConnector(DSN(path, mode, pragmas))
	if err != nil {
		return nil, fmt.Errorf("%v", err)
	}
	dc, err := connector.Connect(background)
	if err != nil {
		return nil, Translate(err)
	}
	return &Conn{dc: dc, stmts: make(map[string]statement)}, nil
}

// ModeStill is a mode of Dial: reading without locks and without the log
// (https://www.sqlite.org/uri.html#uriimmutable). The connection does not see new
// commits until another process folds its log into the database, and that disturbs a
// read. So it is for one transaction.
const ModeStill = "still"

// ModePages is a mode of Dial: the connection may write pages by their numbers, which
// SQLite's defensive mode forbids.
const ModePages = "pages"

// DSN returns the driver's name of a database. It escapes the path, so that no character
// of it is taken for an option.
func DSN(path, mode string, pragmas []string) string {
	q := url.Values{"mode": {mode}, "_pragma": pragmas}
	switch mode {
	case "ro":
	case ModePages:
		q.Set("mode", "rw")
	case ModeStill:
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

func (c *Conn) prepare(query string) (statement, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	ds, err := c.dc.Prepare(query)
	if err != nil {
		return nil, Translate(err)
	}
	s := ds.(statement)
	c.stmts[query] = s
	return s, nil
}

// bind returns the arguments, of type int64, string or []byte, in the form of the driver.
func (c *Conn) bind(args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, a := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args
}

// Exec runs a statement and returns how many rows it changed.
func (c *Conn) Exec(query string, args ...any) (int64, error) {
	s, err := c.prepare(query)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(background, c.bind(args))
	if err != nil {
		return 0, c.failed(err)
	}
	n, err := res.RowsAffected()
	return n, Translate(err)
}

// Each runs a query and calls fn with every row. fn may keep the values but not the
// fields. It may run other queries once it has read the fields.
func (c *Conn) Each(fn func(*row.Fields) error, query string, args ...any) error {
	return c.EachUntil(background, fn, query, args...)
}

// EachUntil is Each, but if the context ends, the statement is interrupted. The connection
// must not be used again then.
func (c *Conn) EachUntil(ctx context.Context, fn func(*row.Fields) error, query string, args ...any) error {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, c.bind(args))
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
			return Translate(rows.Close())
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

// failed translates an error of a statement, and sets c.Broken if the error may have
// ended the transaction: https://www.sqlite.org/lang_transaction.html, part 3.
func (c *Conn) failed(err error) error {
	err = Translate(err)
	switch CodeOf(err) & 0xff {
	case CodeFull, CodeIOErr, CodeNoMem, CodeInterrupt, CodeBusy, CodeCantOpen:
		c.Broken = err
	}
	return err
}

// One runs a query of at most one row and reports whether there was one.
func (c *Conn) One(fn func(*row.Fields) error, query string, args ...any) (bool, error) {
	found := false
	err := c.Each(func(f *row.Fields) error {
		found = true
		return fn(f)
	}, query, args...)
	return found, err
}

// Number runs a query of one integer.
func (c *Conn) Number(query string, args ...any) (n int64, err error) {
	_, err = c.One(func(f *row.Fields) error {
		n = f.Int()
		return f.Err("answer", query)
	}, query, args...)
	return n, err
}

// Script runs several statements that take no arguments.
func (c *Conn) Script(sql string) error {
	for _, one := range strings.Split(sql, ";\n") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		s, err := c.dc.Prepare(one)
		if err != nil {
			return Translate(err)
		}
		_, err = s.(statement).ExecContext(background, nil)
		s.Close()
		if err != nil {
			return Translate(err)
		}
	}
	return nil
}

// Pragma runs a pragma and drops what it returns.
func (c *Conn) Pragma(text string) error {
	_, err := c.One(func(*row.Fields) error { return nil }, "PRAGMA "+text)
	return err
}

// Driver returns the driver's connection.
func (c *Conn) Driver() driver.Conn { return c.dc }

// Close closes the connection and its statements.
func (c *Conn) Close() error {
	for _, s := range c.stmts {
		s.Close()
	}
	return Translate(c.dc.Close())
}
