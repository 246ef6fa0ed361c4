package httpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"runtime"
	"sync"
	"time"
)

// A listener gives net/http the connections that have sent the whole head of a request.
// It keeps the others itself, where they cost little: a goroutine and 512 bytes, without
// the buffers of net/http. If there are too many connections, it closes the one that has
// been quiet longest.
type listener struct {
	net.Listener
	s       *Server
	tls     *tls.Config // nil: no TLS
	conns   *conns
	ready   chan *conn
	closed  chan struct{}
	failed  error // why accepting ended; read it when closed is closed
	close   sync.Once
	waiting sync.WaitGroup
}

func (s *Server) listen(l net.Listener, q *conns, t *tls.Config) *listener {
	ln := &listener{Listener: l, s: s, tls: t, conns: q, ready: make(chan *conn), closed: make(chan struct{})}
	ln.waiting.Go(ln.acceptAll)
	return ln
}

// Accept implements [net.Listener].
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.ready:
		return c, nil
	case <-l.closed:
		return nil, l.failed
	}
}

// Close implements [net.Listener]. It closes the connections that net/http does not have.
func (l *listener) Close() error {
	l.end(net.ErrClosed)
	return l.Listener.Close()
}

func (l *listener) end(err error) {
	l.close.Do(func() {
		l.failed = err
		close(l.closed)
		l.conns.end()
	})
}

// acceptAll accepts connections until the listener is closed. If the process has no
// descriptor left, it tries again later.
func (l *listener) acceptAll() {
	var pause time.Duration
	for n := 1; ; n++ {
		raw, err := l.Listener.Accept()
		var t net.Error
		switch {
		case err == nil:
			pause = 0
			l.admit(raw)
			if n%16 == 0 {
				runtime.Gosched() // lets those go first who are connected already
			}
			continue
		case !errors.As(err, &t) || t.Timeout() || errors.Is(err, net.ErrClosed):
			l.end(err)
			return
		case pause == 0:
			l.s.o.Logger.LogAttrs(context.Background(), slog.LevelWarn, "a connection cannot be accepted", slog.Any("error", err))
		}
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		select {
		case <-time.After(pause):
		case <-l.closed:
		}
	}
}

func (l *listener) admit(raw net.Conn) {
	c := &conn{Conn: raw, raw: raw, l: l}
	if l.tls != nil {
		c.Conn = tls.Server(raw, l.tls)
	}
	if !l.conns.add(c, l.s) {
		raw.Close()
		return
	}
	l.s.stats.accepted.Add(1)
	_ = raw.SetWriteDeadline(time.Now().Add(l.s.limits.header)) // of a TLS handshake; net/http sets its own
	l.wait(c, l.s.limits.header)
}

// wait passes a connection to net/http when it has sent the head of a request.
func (l *listener) wait(c *conn, timeout time.Duration) {
	if !l.conns.goes(&l.waiting) {
		c.shut()
		return
	}
	go func() {
		defer l.waiting.Done()
		if c.awaitHead(timeout) != nil || !c.mayGoOn() {
			c.buf = nil
			if !c.begun {
				c.stranger.Store(true)
			}
			if c.l.conns.isOpen(c) {
				c.enterRow()
			}
			c.shut()
			return
		}
		select {
		case l.ready <- c:
		case <-l.closed:
			c.shut()
		}
	}()
}

// conns are the open connections of a listener. A connection is quiet unless a known
// caller has a request under way there that is no stream.
type conns struct {
	most int

	mu    sync.Mutex // guards the following, and place, gone and held of the connections
	room  sync.Cond  // a connection has gone or become quiet, or ended is set
	all   map[*conn]struct{}
	quiet place // the one that has been quiet longest comes first
	heads int   // bytes of large heads
	ended bool
}

func newConns(most int) *conns {
	q := &conns{most: most, all: map[*conn]struct{}{}}
	q.room.L = &q.mu
	q.quiet.next, q.quiet.prev = &q.quiet, &q.quiet
	return q
}

// A place is in the list of quiet connections, or in none. It is a part of its
// connection, so that the list takes no memory.
type place struct {
	of         *conn
	next, prev *place
}

func (p *place) remove() {
	if p.next != nil {
		p.prev.next, p.next.prev = p.next, p.prev
		p.next, p.prev = nil, nil
	}
}

// insertBefore puts p, which is in no list, before another place.
func (p *place) insertBefore(o *place) {
	p.next, p.prev = o, o.prev
	p.prev.next, o.prev = p, p
}

// add makes room and adds a connection. It waits while all others are busy. It returns
// false after end.
func (q *conns) add(c *conn, s *Server) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.all) >= q.most && !q.ended {
		if victim := q.quiet.next.of; victim != nil {
			q.drop(victim)
			s.stats.closedForRoom.Add(1)
			continue
		}
		q.room.Wait()
	}
	if q.ended {
		return false
	}
	q.all[c] = struct{}{}
	c.place.of = c
	c.place.insertBefore(&q.quiet)
	return true
}

// drop closes a connection at once. The caller holds mu.
func (q *conns) drop(c *conn) {
	q.forget(c)
	c.raw.Close()
}

func (q *conns) forget(c *conn) {
	if c.gone {
		return
	}
	c.gone = true
	delete(q.all, c)
	c.place.remove()
	q.heads -= c.held
	c.held = 0
	q.room.Signal()
}

// remove forgets a connection that is closed.
func (q *conns) remove(c *conn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forget(c)
}

// setBusy says that a known caller has a request under way.
func (q *conns) setBusy(c *conn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.place.remove()
}

// setQuiet says that the answer is written, so that the head is not needed any more.
func (q *conns) setQuiet(c *conn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.gone {
		return
	}
	q.heads -= c.held
	c.held = 0
	c.place.remove()
	c.place.insertBefore(&q.quiet)
	q.room.Signal()
}

const (
	smallHead = 8 << 10  // the weight of a head that every connection may have
	allHeads  = 16 << 20 // the weight of all heads above that
)

// hold counts the head of a request, of which all connections together may have so much.
// When there is no room, the quiet connection with a large head that has been quiet
// longest is closed. It returns false if there is none.
func (q *conns) hold(c *conn, weight int, s *Server) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.gone {
		return false
	}
	more := max(0, weight-smallHead-c.held)
	for p := q.quiet.next; more > 0 && q.heads+more > allHeads; {
		victim := p.of
		if victim == nil {
			return false
		}
		p = p.next
		if victim.held > 0 && victim != c {
			q.drop(victim)
			s.stats.heads.Add(1)
		}
	}
	q.heads += more
	c.held += more
	return true
}

func (q *conns) isOpen(c *conn) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !c.gone
}

func (q *conns) open() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(len(q.all))
}

// goes adds a goroutine to a group, unless end has been called.
func (q *conns) goes(group *sync.WaitGroup) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.ended {
		group.Add(1)
	}
	return !q.ended
}

// end lets no connection in any more.
func (q *conns) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.room.Broadcast()
}

// closeAll closes all connections.
func (q *conns) closeAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for c := range q.all {
		q.drop(c)
	}
}
