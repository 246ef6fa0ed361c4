package httpserver

import (
	"runtime"
	"time"
)

// A stranger's connection that sends one request behind the other waits in a row with the
// others of its kind, and one of them at a time has the processor. Else a thousand of them
// would keep everybody waiting, because the runtime lets all that can run take turns. The
// first request of a connection does not wait, and neither do those that follow the request
// of a known caller.

// enterRow waits until the next request of the connection may be parsed and answered. It
// waits a second at most, so that nobody who is slow stops the row.
func (c *conn) enterRow() {
	defer runtime.Gosched() // lets all others go first, also the one that has just left the row
	if !c.stranger.Load() || c.inRow.Load() {
		return
	}
	select {
	case c.l.s.row <- struct{}{}:
		c.inRow.Store(true)
		return
	default:
	}
	late := time.NewTimer(c.l.s.limits.skip)
	defer late.Stop()
	select {
	case c.l.s.row <- struct{}{}:
		c.inRow.Store(true)
	case <-late.C:
	case <-c.l.closed:
	}
}

// leaveRow lets the next one go. It is called before anything that waits: for the client,
// or for the work of a known caller.
func (c *conn) leaveRow() {
	if c.inRow.CompareAndSwap(true, false) {
		<-c.l.s.row
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
