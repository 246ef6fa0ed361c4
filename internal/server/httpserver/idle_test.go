package httpserver

import (
	"testing"
	"time"
)

// When all connections are taken, the one that has been quiet longest makes room. Those
// with a call under way stay.
func TestRoom(t *testing.T) {
	g := newGate()
	s := serve(t, Options{MCP: g, MaxConnections: 6}, func(s *Server) { s.limits.header = time.Minute })
	defer g.open()
	busy := s.dial().send(request("POST", "/mcp", "", withKey))
	<-g.entered
	first, second := s.dial(), s.dial()
	first.send(request("GET", "/healthz", "")).read("GET")
	second.send("GET /heal")
	eventually(t, "the second connection is not accepted", func() bool { return s.Stats().Connections == 3 })
	first.send(request("GET", "/healthz", "")).read("GET") // so that second is the one that is quiet longest
	for range 3 {
		s.dial().send(request("GET", "/healthz", "")).read("GET")
	}
	if !second.isClosed() {
		t.Error("the connection that was quiet longest is open")
	}
	if a := first.send(request("GET", "/healthz", "")).read("GET"); a.status != 200 {
		t.Errorf("another one: %v", a)
	}
	for range 20 {
		s.dial().send(request("GET", "/healthz", "")).read("GET")
	}
	if n := s.Stats(); n.Connections > 6 || n.ClosedForRoom < 20 {
		t.Errorf("%d connections, %d closed, want 6 at most and 20 at least", n.Connections, n.ClosedForRoom)
	}
	g.open()
	if a := busy.read("POST"); a.text != "done" {
		t.Errorf("the call under way: %v", a)
	}
}

// A connection goes on after it was idle, and is closed when it has been idle too long.
func TestIdle(t *testing.T) {
	s := serve(t, Options{}, nil)
	c := s.dial()
	for range 2 {
		if a := c.send(appends()).read("POST"); !a.isAppended() {
			t.Fatal(a)
		}
		time.Sleep(30 * time.Millisecond)
	}
	if n := s.Stats(); n.Accepted != 1 || n.Connections != 1 {
		t.Errorf("%d connections accepted, %d open, want 1 and 1", n.Accepted, n.Connections)
	}
	s = serve(t, Options{}, func(s *Server) { s.limits.idle = 100 * time.Millisecond })
	if c = s.dial(); !c.send(appends()).read("POST").isAppended() || !c.isClosed() {
		t.Error("an idle connection stays open")
	}
}
