package httpserver

import (
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var nothing = request("GET", "/none", "")

// stranger connects somebody whose next request waits in the row.
func (s *served) stranger() *client {
	s.t.Helper()
	c := s.dial()
	if a := c.send(nothing).read("GET"); a.status != 404 { // before the row is full: the first one does not wait
		s.t.Errorf("the first request of a connection: %v", a)
	}
	return c
}

// While a stranger's request is answered, the next ones of strangers wait, and others do not.
func TestRow(t *testing.T) {
	s := serve(t, Options{}, func(s *Server) { s.limits.skip = time.Minute })
	known := s.dial()
	known.send(appends()).read("POST")
	waits := s.stranger()
	s.row <- struct{}{}
	waits.send(nothing + nothing)
	s.stranger()
	if a := known.send(appends()).read("POST"); !a.isAppended() {
		t.Errorf("the second call of a known caller: %v", a)
	}
	testkit.Must(t, waits.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	if _, err := waits.in.Peek(1); err == nil {
		t.Error("the second request of a stranger was answered out of turn")
	}
	testkit.Must(t, waits.SetReadDeadline(time.Now().Add(10*time.Second)))
	<-s.row
	for range 2 {
		if a := waits.read("GET"); a.status != 404 {
			t.Errorf("when the row moves on: %v", a)
		}
	}
}

// Nobody who waits for something keeps the others in the row.
func TestRowMovesOn(t *testing.T) {
	g := newGate()
	s := serve(t, Options{MCP: g}, func(s *Server) { s.limits.skip = time.Minute })
	defer g.open()
	busy := s.stranger().send(request("POST", "/mcp", "", withKey))
	<-g.entered
	slow := s.stranger().send(request("POST", "/none", "", "Content-Length: 1000"))
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

// If a place in the row is not left in time, the others go on.
func TestRowOfAStuckOne(t *testing.T) {
	s := serve(t, Options{}, func(s *Server) { s.limits.skip = 20 * time.Millisecond })
	c := s.stranger()
	s.row <- struct{}{}
	if a := c.send(nothing).read("GET"); a.status != 404 {
		t.Errorf("behind one that is stuck: %v", a)
	}
}
