package httpserver

import (
	"bytes"
	"context"
	"runtime"
	"time"
)

// The requests of strangers wait in a row, and one of them at a time has the processor. Else
// a thousand of them would keep everybody waiting, because the runtime lets all that can run
// take turns. The first request of a connection is a stranger's if it has no credential, and
// a later one if the one before it was not a known caller's. A connection that ends without
// a request waits there too, because thousands may end in the same moment.

// credentials begin the lines of a head that may say who sends it, in lower case.
var credentials = [][]byte{[]byte("authorization:"), []byte("cookie:"), []byte("x-api-key:")}

// hasCredential reports whether a head has a line that may say who sends it. Whether that is
// true, nobody has looked.
func hasCredential(head []byte) bool {
	for line := range bytes.Lines(head) {
		for _, name := range credentials {
			if len(line) >= len(name) && bytes.EqualFold(line[:len(name)], name) {
				return true
			}
		}
	}
	return false
}

// mayGoOn waits until net/http may have the connection, whose next head is whole. It returns
// false if the connection was closed meanwhile.
func (c *conn) mayGoOn() bool {
	if !c.begun {
		c.begun = true
		c.stranger.Store(!hasCredential(c.buf[:c.head]))
	}
	c.enterRow()
	return c.l.conns.isOpen(c)
}

// enterRow waits until the next request of the connection may be parsed and answered. It
// waits limits.row at most, so that nobody who is slow stops the row.
func (c *conn) enterRow() {
	if !c.stranger.Load() {
		return
	}
	if c.inRow.Load() {
		runtime.Gosched()
		return
	}
	row := &c.l.s.row
	select {
	case row.taken <- struct{}{}:
	default:
		late := time.NewTimer(c.l.s.limits.row)
		defer late.Stop()
		select {
		case row.taken <- struct{}{}:
		case <-late.C:
			return
		case <-c.l.closed:
			return
		}
	}
	row.rest()
	c.sinceRow = time.Now()
	c.inRow.Store(true)
}

// leaveRow lets the next one go. It is called before anything that waits: for the client,
// or for the work of a known caller.
func (c *conn) leaveRow() {
	if c.inRow.CompareAndSwap(true, false) {
		c.l.s.row.worked += time.Since(c.sinceRow)
		<-c.l.s.row.taken
	}
}

// A row lets one stranger at a time go on.
type row struct {
	taken  chan struct{} // has room for the one
	worked time.Duration // since the last rest; for the one
}

// rest lets all others go first, also the one that has just left the row. The runtime asks
// for what has arrived from the network only when nobody can run, or after 10 ms. So a row
// that never ends would keep known callers waiting, and nobody in it goes on for a moment
// after each [rowWork].
func (q *row) rest() {
	if q.worked < rowWork {
		runtime.Gosched()
		return
	}
	q.worked = 0
	time.Sleep(rowRest)
}

const (
	rowWork = 200 * time.Microsecond
	rowRest = 100 * time.Microsecond // at least; a millisecond if nothing arrives
)

// leaveRow lets the next stranger go on, before the request of a context waits for the store.
func leaveRow(ctx context.Context) {
	if c := connOf(ctx); c != nil {
		c.leaveRow()
	}
}

// knownCaller says that the request under way is no stranger's.
func (c *conn) knownCaller() {
	c.stranger.Store(false)
	c.leaveRow()
}

// Write implements [net.Conn].
func (c *conn) Write(p []byte) (int, error) {
	c.leaveRow()
	return c.Conn.Write(p)
}
