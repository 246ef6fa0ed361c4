package httpserver

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// stopping begins a stop, and waits until the server says so on its open listener.
func (s *served) stopping() (ended chan error) {
	s.t.Helper()
	ended = make(chan error, 1)
	go func() { ended <- s.stop() }()
	eventually(s.t, "/readyz never says that the server stops", func() bool {
		a := s.ask("GET", "/readyz", "")
		if a.status == 503 && !strings.Contains(a.text, "stopping") {
			s.t.Errorf("/readyz: %v", a)
		}
		return a.status == 503
	})
	return ended
}

// While a call is under way, the listener stays open and says that the server stops. New
// calls are refused. The call gets its answer, and then Serve returns.
func TestStop(t *testing.T) {
	g := newGate()
	s := serve(t, Options{MCP: g}, func(s *Server) { s.limits.drain = time.Hour })
	defer g.open()
	under, idle := s.dial(), s.dial()
	under.send(request("POST", "/mcp", "", withKey))
	<-g.entered
	idle.send(request("GET", "/healthz", "")).read("GET")
	ended := s.stopping()
	for _, c := range []*client{s.dial(), idle} {
		a := c.send(request("POST", "/mcp", "", withKey)).read("POST")
		if a.status != 503 || a.header.Get("Retry-After") == "" || !strings.Contains(a.text, "stopping") || !a.close {
			t.Errorf("a new call: %v, want 503", a)
		}
	}
	if a := s.ask("GET", "/healthz", ""); a.status != 200 {
		t.Errorf("/healthz: %v", a)
	}
	select {
	case err := <-ended:
		t.Fatalf("Serve returned %v before the call was answered", err)
	case <-time.After(50 * time.Millisecond):
	}
	g.open()
	if a := under.read("POST"); a.status != 200 || a.text != "done" {
		t.Errorf("the call under way: %v", a)
	}
	testkit.Must(t, <-ended)
}

// A call that takes too long is cut, and Serve returns all the same.
func TestStopCuts(t *testing.T) {
	for name, handler := range map[string]func(stopped <-chan struct{}) http.Handler{
		"a call that heeds its context": func(<-chan struct{}) http.Handler { return newGate() },
		"a call that does not": func(stopped <-chan struct{}) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stopped })
		},
	} {
		stopped := make(chan struct{})
		var log testkit.Buffer
		s := serve(t, Options{MCP: handler(stopped), Logger: logTo(&log)}, func(s *Server) { s.limits.drain, s.limits.linger = 30*time.Millisecond, 30*time.Millisecond })
		s.dial().send(request("POST", "/mcp", "", withKey))
		eventually(t, "no call is under way", func() bool { return s.Stats().Calls > 0 })
		testkit.Must(t, s.stop())
		if !strings.Contains(log.String(), "calls are cut") {
			t.Errorf("%s: nothing is logged", name)
		}
		close(stopped)
		eventually(t, "a call is under way", func() bool { return s.Stats().Calls == 0 })
	}
}

// A call whose body has stopped arriving is cut with the others, and the log says how many
// those are.
func TestStopCutsSlowBodies(t *testing.T) {
	var log testkit.Buffer
	reads := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body) })
	s := serve(t, Options{MCP: reads, Console: reads, Logger: logTo(&log)}, func(s *Server) {
		s.limits.drain, s.limits.linger, s.limits.read, s.limits.form = 30*time.Millisecond, time.Hour, time.Hour, time.Hour
	})
	s.stop = s.within(patience)
	call, form := s.dial().send(slowBody("")), s.dial().send(request("POST", "/keys", "", "Content-Length: 1000"))
	eventually(t, "the call and the form are not under way", func() bool { n := s.Stats(); return n.Calls+n.Visits == 2 })
	testkit.Must(t, s.stop())
	for _, c := range []*client{call, form} {
		if !c.isClosed() {
			t.Error("the connection is open")
		}
	}
	for _, want := range []string{`msg="the server stops when the calls under way have ended" calls=2`, `msg="the server has stopped" cut=2`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, &log)
		}
	}
}

// Streams of events end at once, and so do connections that are idle.
func TestStopEndsStreams(t *testing.T) {
	s := serve(t, Options{}, func(s *Server) { s.limits.drain = time.Hour })
	s.stop = s.within(patience)
	header := []string{withKey, "Content-Type: application/json", "Accept: application/json, text/event-stream", "Mcp-Protocol-Version: 2025-06-18"}
	c := s.dial()
	a := c.send(request("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, header...)).read("POST")
	if a.status != 200 {
		t.Fatal(a)
	}
	header = append(header, "Mcp-Session-Id: "+a.header.Get("Mcp-Session-Id"))
	c.send(request("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, header...)).read("POST")
	stream := s.dial().send(request("GET", "/mcp", "", header...))
	s.dial() // says nothing
	eventually(t, "no call is under way", func() bool { return s.Stats().Calls > 0 })
	testkit.Must(t, s.stop())
	if res, err := http.ReadResponse(stream.in, nil); err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		if res.StatusCode != 200 {
			t.Errorf("the stream: %d", res.StatusCode)
		}
	}
}

// within returns a stop that fails if it takes too long.
func (s *served) within(limit time.Duration) func() error {
	stop := s.stop
	return func() error {
		done := make(chan error, 1)
		go func() { done <- stop() }()
		select {
		case err := <-done:
			return err
		case <-time.After(limit):
			return fmt.Errorf("Serve has not returned after %v", limit)
		}
	}
}

// A gate is a handler that holds requests until it is opened, or they are cancelled.
type gate struct {
	entered chan struct{} // gets a value for each request
	opened  chan struct{}
	once    sync.Once
}

func newGate() *gate { return &gate{entered: make(chan struct{}, 10000), opened: make(chan struct{})} }

func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.entered <- struct{}{}
	select {
	case <-g.opened:
		io.WriteString(w, "done")
	case <-r.Context().Done():
		http.Error(w, "cut", http.StatusServiceUnavailable)
	}
}
