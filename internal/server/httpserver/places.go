package httpserver

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"

	"golang.org/x/net/netutil"
)

// allHeads is how many bytes the heads of requests may have together while nobody knows who
// sends them. A head of many short lines takes net/http forty times its bytes. net/http has the
// head of a closed connection until the connection's goroutine ends.
const allHeads = 1 << 20

// places are the open connections of a listener. A connection is quiet unless a known caller
// has a request under way there. When seven eighths of the places are taken, each new
// connection closes the one that has been quiet longest. They are safe for concurrent use.
type places struct {
	most  int
	stats *counters

	mu    sync.Mutex // guards the following, and the fields of the connections
	open  int
	quiet list.List // of *conn; the one that has been quiet longest comes first
	heads int       // bytes of heads
	held  int       // bytes of heads that net/http has
	ended sync.Cond // held has become less, or a connection is gone
}

// A conn is a connection that counts the bytes of its heads.
type conn struct {
	net.Conn
	of    *places
	place *list.Element // in quiet; nil: a known caller's request is under way, or it is closed
	head  int           // bytes that have arrived of a head, until the request is answered
	heads bool          // it waits for a head, or a part of one has arrived
	held  int           // bytes of the head that net/http has
	gone  bool
}

// listen limits the connections of a listener. secure may be nil.
func (q *places) listen(l net.Listener, secure *tls.Config) net.Listener {
	q.ended.L = &q.mu
	l = counted{netutil.LimitListener(l, q.most), q}
	if secure != nil {
		l = tls.NewListener(l, secure)
	}
	return l
}

// A counted listener has connections of places.
type counted struct {
	net.Listener
	of *places
}

// Accept implements [net.Listener].
func (l counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, of: l.of}, nil
}

// Read implements [net.Conn]. When too many bytes of heads have arrived, it closes the quiet
// connection with the longest one. So hostile clients close each other, unless their heads are
// as short as anybody's. Read waits while the connections that were closed hold too many bytes.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	q := c.of
	q.mu.Lock()
	defer q.mu.Unlock()
	if !c.heads {
		return n, err
	}
	if !c.gone {
		c.head += n
		q.heads += n
	}
	for q.heads > allHeads {
		longest := c
		for e := q.quiet.Front(); e != nil; e = e.Next() {
			if other := e.Value.(*conn); other.head > longest.head {
				longest = other
			}
		}
		q.stats.heads.Add(1)
		q.drop(longest)
	}
	for !c.gone && q.held+n > allHeads {
		q.ended.Wait()
	}
	if c.gone {
		return 0, net.ErrClosed
	}
	c.held += n
	q.held += n
	return n, err
}

// noteState is for [http.Server.ConnState].
func (q *places) noteState(accepted net.Conn, state http.ConnState) {
	c := connOf(accepted)
	q.mu.Lock()
	defer q.mu.Unlock()
	if state >= http.StateIdle { // net/http has let go of the head
		q.release(c)
	}
	switch {
	case c.gone:
	case state == http.StateNew:
		q.stats.accepted.Add(1)
		q.open++
		q.makeRoom()
		c.heads, c.place = true, q.quiet.PushBack(c)
	case state == http.StateActive:
		c.heads = false
		q.quiet.MoveToBack(c.place)
	case state == http.StateIdle:
		c.heads, c.place = true, q.quiet.PushBack(c)
		q.makeRoom()
	default:
		c.gone = true
		q.open--
	}
}

// makeRoom closes the connections that have been quiet longest while there are too many.
func (q *places) makeRoom() {
	for q.open > q.most-max(1, q.most/8) && q.quiet.Len() > 0 {
		q.drop(q.quiet.Front().Value.(*conn))
	}
}

// drop closes a connection at once. TLS says no farewell, which could wait for the client.
func (q *places) drop(c *conn) {
	q.stats.closedForRoom.Add(1)
	q.leaveQuiet(c)
	c.gone = true
	q.open--
	q.ended.Broadcast()
	_ = c.Conn.Close()
}

// release says that net/http has no head of a connection that counts. The connection is not quiet.
func (q *places) release(c *conn) {
	q.leaveQuiet(c)
	q.held, c.held = q.held-c.held, 0
	q.ended.Broadcast()
}

// leaveQuiet takes a connection out of the quiet ones. Its head is no reason to close others.
func (q *places) leaveQuiet(c *conn) {
	if c.place != nil {
		q.quiet.Remove(c.place)
	}
	q.heads -= c.head
	c.place, c.head = nil, 0
}

func (q *places) count() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(q.open)
}

type connKey struct{}

// connOf returns the connection that a listener of places has accepted.
func connOf(accepted net.Conn) *conn {
	if t, ok := accepted.(*tls.Conn); ok {
		accepted = t.NetConn()
	}
	return accepted.(*conn)
}

// keepOpen says that the request of a context is a known caller's. Its connection is not
// closed to make room before the request is answered.
func keepOpen(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.of.release(c)
	}
}
