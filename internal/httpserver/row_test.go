package httpserver

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var nothing = request("GET", "/none", "")

// stranger connects somebody whose requests wait in the row.
func (s *served) stranger() *client {
	s.t.Helper()
	c := s.dial()
	if a := c.send(nothing).read("GET"); a.status != 404 {
		s.t.Errorf("the first request of a connection: %v", a)
	}
	return c
}

// While a stranger's request is answered, the next ones of strangers wait, and others do not.
func TestRow(t *testing.T) {
	s := serve(t, Options{}, func(s *Server) { s.limits.row = time.Minute })
	known := s.dial()
	known.send(appends()).read("POST")
	later, first := s.stranger(), s.dial()
	s.row.taken <- struct{}{}
	later.send(nothing + nothing)
	first.send(nothing + nothing)
	if a := known.send(appends()).read("POST"); !a.isAppended() {
		t.Errorf("the second call of a known caller: %v", a)
	}
	s.mustAppend()
	for _, c := range []*client{later, first} {
		testkit.Must(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
		if _, err := c.in.Peek(1); err == nil {
			t.Error("a stranger's request was answered out of turn")
		}
	}
	<-s.row.taken
	for _, c := range []*client{later, first} {
		for range 2 {
			if a := c.read("GET"); a.status != 404 {
				t.Errorf("when the row moves on: %v", a)
			}
		}
	}
}

// Whose connection was closed while it waited is not served.
func TestRowOfClosed(t *testing.T) {
	var served atomic.Int64
	s := serve(t, Options{MaxConnections: 1, Anonymous: func(context.Context) (c auth.Caller, ok bool, err error) {
		served.Add(1)
		return c, false, nil
	}}, func(s *Server) { s.limits.row = time.Minute })
	s.row.taken <- struct{}{}
	waits := s.dial().send(request("POST", "/mcp", ""))
	eventually(t, "nobody waits in the row", func() bool {
		s.conns.mu.Lock()
		defer s.conns.mu.Unlock()
		for c := range s.conns.all {
			return c.stranger.Load()
		}
		return false
	})
	s.mustAppend()
	<-s.row.taken
	if !waits.isClosed() {
		t.Error("the connection is open")
	}
	s.stranger() // is behind it in the row
	testkit.Must(t, s.stop())
	if served.Load() > 0 {
		t.Error("the request was served")
	}
}

// A head says who sends it in any case, and only at the beginning of a line.
func TestHasCredential(t *testing.T) {
	for head, want := range map[string]bool{
		request("GET", "/", "", withKey):                            true,
		request("GET", "/", "", "x-aPi-kEy: k"):                     true,
		request("GET", "/", "", "COOKIE: a=b"):                      true,
		request("GET", "/authorization:", "", "X-Authorization: k"): false,
		nothing: false,
	} {
		if got := hasCredential([]byte(head)); got != want {
			t.Errorf("%q has a credential: %v, want %v", head, got, want)
		}
	}
}

// Nobody who waits for something keeps the others in the row.
func TestRowMovesOn(t *testing.T) {
	g := newGate()
	s := serve(t, Options{MCP: g}, func(s *Server) { s.limits.row = time.Minute })
	defer g.open()
	busy := s.stranger().send(request("POST", "/mcp", "", withKey))
	<-g.entered
	slow := s.dial().send(request("POST", "/none", "", "Content-Length: 1000"))
	gone := s.stranger().send("GET /none HTTP/1.1\r\nHost: localhost\r\n")
	gone.Close()
	if a := s.stranger().send(nothing).read("GET"); a.status != 404 {
		t.Errorf("behind a call under way and a slow body: %v", a)
	}
	g.open()
	if a := busy.read("POST"); a.text != "done" {
		t.Errorf("the call under way: %v", a)
	}
	slow.Close()
}

// A store that does not answer keeps no stranger waiting who does not need it.
func TestRowBesideASlowStore(t *testing.T) {
	asked, answer := make(chan struct{}, 3), make(chan struct{})
	wait := func(context.Context) error { asked <- struct{}{}; <-answer; return nil }
	s := serve(t, Options{
		Ready:     wait,
		Anonymous: func(ctx context.Context) (c auth.Caller, ok bool, err error) { return c, false, wait(ctx) },
		Console:   http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _ = wait(r.Context()) }),
	}, func(s *Server) { s.limits.row, s.limits.ready = time.Hour, time.Hour })
	defer close(answer)
	for _, slow := range []string{request("GET", "/readyz", ""), request("POST", "/mcp", ""), request("GET", "/signin", "")} {
		s.dial().send(slow)
		select {
		case <-asked:
		case <-time.After(patience):
			t.Fatalf("the store is not asked for %.20q", slow)
		}
	}
	if a := s.ask("GET", "/healthz", ""); a.status != 200 {
		t.Errorf("/healthz beside a slow store: %v", a)
	}
}

// If a place in the row is not left in time, the others go on.
func TestRowOfAStuckOne(t *testing.T) {
	s := serve(t, Options{}, func(s *Server) { s.limits.row = 20 * time.Millisecond })
	c := s.stranger()
	s.row.taken <- struct{}{}
	if a := c.send(nothing).read("GET"); a.status != 404 {
		t.Errorf("behind one that is stuck: %v", a)
	}
}
