package httpserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

const (
	firstHead = 512  // bytes for the head of a request at first
	nextCall  = 2048 // the same behind the call of a known caller, so that all of the next one mostly comes at once
	maxLines  = 100  // of a head; each costs net/http far more memory than its bytes
	lineCost  = 200  // what a line takes besides its bytes
	maxBlank  = 2    // empty lines before a head, which some clients send after a body
)

// A conn is a connection. net/http gets the head of a request when all of it is there,
// because a part of a head would cost it up to a megabyte. It gets no byte beyond the
// head and the body of its request. So an idle connection can be taken away from net/http,
// and given back when there is another head. The handlers must not hijack connections.
type conn struct {
	net.Conn          // TCP, or TLS over it
	raw      net.Conn // TCP
	l        *listener

	// One goroutine at a time reads, and has these.
	buf    []byte // received, but not yet passed on
	head   int    // bytes at the beginning of buf that belong to a whole head
	line   int    // where the last line of an incomplete head begins
	lines  int    // of that head
	blank  int    // empty lines before it
	folded bool   // that head has a header over two lines
	begun  bool   // it has sent the first head

	body     atomic.Int64 // bytes to come of the body; -1: as many as there are
	served   atomic.Bool  // the handler has had the last head
	parked   atomic.Bool  // Close is to keep the connection
	stranger atomic.Bool  // the last request was not a known caller's, or the first one has no credential
	inRow    atomic.Bool  // enterRow has let it go on
	sinceRow time.Time    // when it has; read it after inRow was true

	place place
	gone  bool
	held  int // the weight of a large head
}

var (
	errParked  = errors.New("the connection is idle")
	errRefused = errors.New("the head of a request was refused")
)

// Read implements [net.Conn].
func (c *conn) Read(p []byte) (int, error) {
	if c.head == 0 && c.body.Load() == 0 {
		if err := c.nextHead(len(p) == 1); err != nil {
			return 0, err
		}
	}
	if c.head > 0 {
		if len(p) > 1 {
			c.enterRow()
		}
		n := copy(p, c.buf[:c.head])
		c.head -= n
		c.consume(n)
		return n, nil
	}
	c.leaveRow()
	if body := c.body.Load(); body > 0 && int64(len(p)) > body {
		p = p[:body]
	}
	var n int
	var err error
	if len(c.buf) > 0 {
		n = copy(p, c.buf)
		c.consume(n)
	} else {
		n, err = c.Conn.Read(p)
	}
	if c.body.Load() > 0 {
		c.body.Add(-int64(n))
	}
	return n, err
}

func (c *conn) consume(n int) {
	c.buf = c.buf[:copy(c.buf, c.buf[n:])]
	if len(c.buf) == 0 && cap(c.buf) > 8*firstHead {
		c.buf = nil
	}
}

// nextHead waits for another head, for net/http. While an answer is under way, net/http
// only wants to know whether the client hangs up.
func (c *conn) nextHead(answering bool) error {
	if answering {
		return c.gather(false)
	}
	if !c.served.Load() {
		return io.ErrUnexpectedEOF
	}
	c.leaveRow()
	c.l.conns.setQuiet(c)
	if !c.stranger.Load() && cap(c.buf) < nextCall {
		c.buf = append(make([]byte, 0, nextCall), c.buf...)
	}
	err := c.awaitHead(c.l.s.limits.near)
	if errors.Is(err, os.ErrDeadlineExceeded) && len(c.buf) == 0 {
		c.parked.Store(true)
		return errParked
	}
	return err
}

// awaitHead waits for the beginning of a head, and then for all of it.
func (c *conn) awaitHead(timeout time.Duration) error {
	err := c.SetReadDeadline(time.Now().Add(timeout))
	if err == nil {
		err = c.gather(true)
	}
	var plain tls.RecordHeaderError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && len(c.buf) > 0:
		return c.refuse("408 Request Timeout", "the head of the request did not arrive in time")
	case errors.As(err, &plain) && plain.Conn != nil:
		c.Conn = c.raw
		return c.refuse("400 Bad Request", "this port speaks HTTPS")
	}
	return err
}

// gather reads until buf begins with a whole head. With timed, the head has limits.header
// from its first byte on, if it does not come at once.
func (c *conn) gather(timed bool) error {
	if c.buf == nil {
		c.buf = make([]byte, 0, firstHead)
	}
	blank := c.blank // that came long ago, behind the request before
	for {
		c.scan()
		limits := c.l.s.limits
		switch {
		case c.head > limits.bytes || c.head == 0 && len(c.buf) > limits.bytes || c.lines > maxLines:
			return c.refuse("431 Request Header Fields Too Large", fmt.Sprintf("the head of a request may have %d bytes and %d lines", limits.bytes, maxLines))
		case c.folded:
			return c.refuse("400 Bad Request", "a header must not continue on another line") // readers differ on where it ends
		case !c.l.conns.hold(c, max(c.head, cap(c.buf))+lineCost*c.lines, c.l.s):
			if !c.l.conns.isOpen(c) {
				return net.ErrClosed // it was closed a moment ago, and wants no answer
			}
			return c.refuse("503 Service Unavailable", "too many large heads of requests arrive at once; try again")
		case c.head > 0:
			c.line, c.lines, c.blank = 0, 0, 0
			c.served.Store(false)
			return nil
		case len(c.buf) == cap(c.buf):
			c.buf = append(make([]byte, 0, 2*len(c.buf)), c.buf...)
		}
		if timed && (len(c.buf) > 0 || c.blank > blank) {
			_ = c.SetReadDeadline(time.Now().Add(limits.header))
			timed = false
		}
		n, err := c.Conn.Read(c.buf[len(c.buf):cap(c.buf)])
		c.buf = c.buf[:len(c.buf)+n]
		if err != nil && n == 0 {
			return err
		}
	}
}

// scan looks for the empty line that ends a head, where net/http finds it too.
func (c *conn) scan() {
	for {
		i := bytes.IndexByte(c.buf[c.line:], '\n')
		if i < 0 {
			return
		}
		if c.line > 0 && (c.buf[c.line] == ' ' || c.buf[c.line] == '\t') {
			c.folded = true
		}
		empty := i == 0 || i == 1 && c.buf[c.line] == '\r'
		if empty && c.line == 0 && c.blank < maxBlank {
			c.blank++
			c.consume(i + 1)
			continue
		}
		c.line += i + 1
		c.lines++
		if empty {
			c.head = c.line
			return
		}
	}
}

// refuse answers a head that net/http does not get to see.
func (c *conn) refuse(status, text string) error {
	c.l.s.stats.heads.Add(1)
	_ = c.SetWriteDeadline(time.Now().Add(c.l.s.limits.skip))
	retry := ""
	if status[0] == '5' {
		retry = "Retry-After: 1\r\n"
	}
	c.buf = nil
	_, err := fmt.Fprintf(c.Conn, "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n%s\n", status, retry, len(text)+1, text)
	if err == nil {
		c.linger()
	}
	return errRefused
}

const maxRest = 4 << 20 // of what a client sends after its head was refused

// linger takes some of what a client still sends. Without it, the client may get an error
// in place of its answer.
func (c *conn) linger() {
	select {
	case c.l.s.lingerers <- struct{}{}:
		defer func() { <-c.l.s.lingerers }()
	default:
		return // too many do, with all that net/http holds for them
	}
	if c.CloseWrite() == nil {
		_ = c.raw.SetReadDeadline(time.Now().Add(c.l.s.limits.skip))
		_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.LimitReader(c.raw, maxRest), make([]byte, firstHead))
	}
}

// CloseWrite is for net/http, which waits a little for the client to read its answer.
func (c *conn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// Close implements [net.Conn]. If the connection has become idle, only net/http is done
// with it.
func (c *conn) Close() error {
	c.leaveRow()
	if c.parked.CompareAndSwap(true, false) {
		c.buf = nil
		_ = c.SetWriteDeadline(time.Time{})
		c.l.wait(c, c.l.s.limits.idle)
		return nil
	}
	if !c.served.Load() || c.body.Load() != 0 {
		c.linger()
	}
	return c.shut()
}

func (c *conn) shut() error {
	c.leaveRow()
	c.l.conns.remove(c)
	_ = c.raw.SetWriteDeadline(time.Now().Add(c.l.s.limits.skip)) // for the farewell of TLS
	return c.Conn.Close()
}

type connKey struct{}

// connOf returns the connection of a request.
func connOf(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// encryption returns the state of TLS, nil without it. net/http does not know that a conn may
// be a connection of TLS.
func (c *conn) encryption() *tls.ConnectionState {
	if t, ok := c.Conn.(*tls.Conn); ok {
		state := t.ConnectionState()
		return &state
	}
	return nil
}

// begin tells the connection that the handler has a request. The answer to a body without
// a length is the last on its connection, because nobody knows where such a body ends.
func (c *conn) begin(w http.ResponseWriter, r *http.Request) {
	c.served.Store(true)
	c.stranger.Store(true) // until somebody knows better
	if r.Body == http.NoBody {
		return // net/http may be reading on already
	}
	if c.body.Store(r.ContentLength); r.ContentLength < 0 {
		w.Header().Set("Connection", "close")
	}
}
