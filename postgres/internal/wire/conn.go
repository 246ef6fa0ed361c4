package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
)

// A Statement is SQL with its arguments, and what is done with the answer. SQL has no
// more than one statement.
type Statement struct {
	SQL  string
	Args []any
	New  func()              // called before the statement is sent; nil: not called
	Row  func(*Fields) error // called for each row, until it fails; nil: rows are ignored
	Done func(affected int)  // called after the rows, with how many were changed or read; nil: not called
}

// A Conn is a connection that one goroutine uses at a time.
type Conn struct {
	*pgconn.PgConn
	warning     *pgconn.Notice
	uncancelled atomic.Bool // a batch runs that must not be cancelled
}

var errUncancelled = errors.New("the server is not asked to cancel what it does")

// Connect opens a connection.
func Connect(ctx context.Context, config *pgconn.Config) (*Conn, error) {
	config = config.Copy()
	Prepare(config)
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return Of(c), nil
}

const connKey = "scratchpad" // of the custom data of a connection

// Of returns the Conn of a connection whose configuration Prepare has prepared.
func Of(c *pgconn.PgConn) *Conn { return c.CustomData()[connKey].(*Conn) }

// Prepare changes the configuration of one connection, so that [Of] finds its Conn.
func Prepare(config *pgconn.Config) {
	c := &Conn{}
	config.AfterConnect = func(_ context.Context, opened *pgconn.PgConn) error {
		c.PgConn = opened
		opened.CustomData()[connKey] = c
		return nil
	}
	// A connection that breaks asks the server, on another one, to cancel what it does.
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if c.uncancelled.Load() {
			return nil, errUncancelled
		}
		return dial(ctx, network, address)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Code[:min(2, len(n.Code))] == "01" || n.SeverityUnlocalized == "WARNING" {
			c.warning = n
		}
	}
}

// Warning returns the last warning of the server since the last Run began, else nil.
func (c *Conn) Warning() *pgconn.Notice { return c.warning }

// ErrRolledBack is the error of a COMMIT to which the server's answer was ROLLBACK.
var ErrRolledBack = errors.New("the server rolled back")

var binaryFormat = []int16{1}

// RunUncancelled is Run for a batch with the COMMIT of a write. If ctx ends or the
// connection breaks, the server goes on.
func (c *Conn) RunUncancelled(ctx context.Context, batch ...Statement) error {
	c.uncancelled.Store(true)
	err := c.Run(ctx, batch...)
	if !c.IsClosed() { // else the connection is being closed
		c.uncancelled.Store(false)
	}
	return err
}

// Run sends all statements in one go and waits for all answers. The server stops at the
// first statement that fails, and its error is returned. If a Row function fails, its
// error is returned, and the server runs the rest all the same. Statements without a BEGIN
// and a COMMIT among them are one transaction.
func (c *Conn) Run(ctx context.Context, batch ...Statement) error {
	c.warning = nil
	p := c.StartPipeline(ctx)
	for i := range batch {
		s := &batch[i]
		if s.New != nil {
			s.New()
		}
		values, types := make([][]byte, len(s.Args)), make([]uint32, len(s.Args))
		for i, a := range s.Args {
			p := Encode(a)
			values[i], types[i] = p.value, p.oid
		}
		p.SendQueryParams(s.SQL, values, types, binaryFormat, binaryFormat)
	}
	failed := p.Sync()
	for i := range batch {
		if failed != nil {
			break
		}
		failed = batch[i].answer(p)
	}
	if err := p.Close(); failed == nil {
		failed = err
	}
	return failed
}

// answer reads the answer to a statement.
func (s *Statement) answer(p *pgconn.Pipeline) (failed error) {
	result, err := p.GetResults()
	if err != nil {
		return err
	}
	r, ok := result.(*pgconn.ResultReader)
	if !ok {
		return fmt.Errorf("the server answered a statement with a %T", result)
	}
	for r.NextRow() {
		if s.Row != nil && failed == nil {
			failed = s.Row(&Fields{values: r.Values()})
		}
	}
	tag, err := r.Close()
	if err != nil {
		return err
	}
	if s.SQL == "COMMIT" && tag.String() != "COMMIT" { // of a transaction in which a statement had failed
		return ErrRolledBack
	}
	if s.Done != nil {
		s.Done(int(tag.RowsAffected()))
	}
	return failed
}
