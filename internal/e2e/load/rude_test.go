//go:build linux

package load

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"
)

// watch keeps a stream of events open beside the calls of an agent. It hangs up and comes
// back now and then. In the current protocol the server has no events and ends the stream at
// once. Then the watcher waits as long as it would have listened. stop waits until the stream
// is closed.
func (a *agent) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var w sync.WaitGroup
	w.Go(func() {
		c := newClient(a.c.url, a.c.key, a.c.modern)
		defer c.hangUp()
		for ctx.Err() == nil {
			until, leave := context.WithTimeout(ctx, a.plan.pause)
			if err := c.listen(until); err != nil && until.Err() == nil && !strings.Contains(err.Error(), "EOF") {
				_, why := a.reason(err)
				if why == "" {
					a.found.add("%s: the stream of events: %v", a.name, err)
				}
			} else if err == nil && c.modern {
				<-until.Done()
			}
			leave()
			a.wait(ctx, 100*time.Millisecond)
		}
		if c.session != "" {
			a.abandoned = append(a.abandoned, c.session) // until the agent leaves
		}
	})
	return func() { cancel(); w.Wait() }
}

// listen reads a stream of events until the context ends or the server ends the stream.
func (c *client) listen(ctx context.Context) error {
	c.web.Timeout = 0
	if c.modern {
		req, err := c.request(ctx, 1, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, "")
		if err == nil {
			_, err = c.do(req)
		}
		return err
	}
	if err := c.open(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	req, err := c.request(ctx, 0, "", "", "", "")
	if err == nil {
		req.Method, req.Body, req.ContentLength = "GET", nil, 0
		_, err = c.do(req)
	}
	return err
}

// deaf asks for a long file many times and reads no answer, for as long as it has patience.
func (a *agent) deaf(ctx context.Context) {
	for ; ctx.Err() == nil; a.wait(ctx, a.about(a.plan.gap)) {
		conn := dial(ctx, a.c.url())
		if conn == nil {
			continue // there is no server now
		}
		conn.SetReadBuffer(4 << 10)
		conn.SetWriteDeadline(time.Now().Add(a.plan.patience))
		call := a.raw("read_file", `"path":"long"`)
		for range 30 {
			if _, err := conn.Write([]byte(call)); err != nil {
				break
			}
		}
		a.wait(ctx, a.plan.patience)
		conn.Close()
	}
}

// breakOff sends a part of a request and hangs up.
func (a *agent) breakOff(ctx context.Context) {
	for ; ctx.Err() == nil; a.wait(ctx, a.about(a.plan.gap)) {
		conn := dial(ctx, a.c.url())
		if conn == nil {
			continue
		}
		call := a.raw("append_log", `"path":"log","entry":"half"`)
		conn.Write([]byte(call[:1+a.rnd.IntN(len(call)-1)]))
		a.wait(ctx, time.Duration(a.rnd.Float64()*float64(a.plan.gap)))
		if a.rnd.IntN(2) == 0 {
			conn.SetLinger(0) // a reset
		}
		conn.Close()
	}
}

// raw returns a call of a tool as bytes of HTTP.
func (a *agent) raw(tool, args string) string {
	req, err := a.c.request(context.Background(), 1, "tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":{"agent_id":%q,%s}`, tool, a.name, args), "")
	if err != nil {
		panic(err) // the URL is the server's
	}
	var b strings.Builder
	if err := req.Write(&b); err != nil {
		panic(err)
	}
	return b.String()
}

// dial returns a bare connection to a server, or nil if there is none.
func dial(ctx context.Context, to string) *net.TCPConn {
	u, err := url.Parse(to)
	if err != nil {
		return nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil
	}
	return conn.(*net.TCPConn)
}
