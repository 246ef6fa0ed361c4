package httpserver

import (
	"bufio"
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A person has one turn at a time, and others have their own. A turn that lasts too long ends.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q turns
		begun := make(chan string, 10)
		take := func(ctx context.Context, person, name string) (leave chan func()) {
			leave = make(chan func(), 1)
			go func() {
				end := q.take(ctx, person, time.Second)
				begun <- name
				leave <- end
			}()
			synctest.Wait()
			return leave
		}
		want := func(name string) {
			t.Helper()
			synctest.Wait()
			select {
			case got := <-begun:
				if got != name {
					t.Errorf("%q has the turn, want %q", got, name)
				}
			default:
				if name != "" {
					t.Errorf("nobody has the turn, want %q", name)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		one := <-take(t.Context(), "ada", "one")
		want("one")
		two, three, gone := take(t.Context(), "ada", "two"), take(t.Context(), "ada", "three"), take(ctx, "ada", "gone")
		want("")
		bob := <-take(t.Context(), "bob", "bob")
		want("bob")
		cancel()
		want("gone")
		(<-gone)()
		one()
		one()
		want("two")
		want("")
		time.Sleep(1100 * time.Millisecond)
		want("three")
		(<-two)() // too late to end anything
		want("")
		if len(q.by) != 1 {
			t.Errorf("%d people are known, want the one who has a turn", len(q.by))
		}
		(<-three)()
		bob()
		if len(q.by) != 0 {
			t.Errorf("%d people are known, and nobody has a turn", len(q.by))
		}
	})
}

// While an answer for a person is made, the person's other pages wait, and nobody else does.
// Neither a form that arrives nor an answer that nobody reads keeps others waiting.
func TestConsoleTurn(t *testing.T) {
	var ended atomic.Int64
	s, svc := serveConsole(t, Options{Visited: func(context.Context, Visit) { ended.Add(1) }}, func(s *Server) { s.limits.turn, s.limits.answer = time.Hour, time.Hour })
	testkit.Must(t, fillConsole(svc))
	page := func(person string) *client { return s.dial().send(request("GET", "/", "", as(person))) }
	ok := func(what string, c *client) {
		t.Helper()
		if a := c.read("GET"); a.status < 200 || a.status >= 400 {
			t.Errorf("%s: %v", what, a)
		}
	}
	leave := s.turns.take(t.Context(), "ada", time.Hour)
	waits := []*client{page("ada"), s.dial().send(post("ada", 100_000))}
	ok("the page of another person", page("bob"))
	s.mustAppend()
	events := s.dial().send(request("GET", "/events", "", as("ada")))
	if line, err := events.in.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Errorf("a page that waits for changes: %q, %v", line, err)
	}
	for _, c := range waits {
		testkit.Must(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
		if _, err := c.in.Peek(1); err == nil {
			t.Error("two answers for a person are made at once")
		}
		testkit.Must(t, c.SetReadDeadline(time.Now().Add(patience)))
		c.in = bufio.NewReader(c)
	}
	leave()
	for _, c := range waits {
		ok("when it is the turn", c)
	}

	full := post("ada", 100_000)
	slow := s.dial().send(full[:len(full)-1])
	ok("a page beside a slow form", page("ada"))
	ok("a slow form", slow.send(full[len(full)-1:]))

	deaf := s.dial()
	testkit.Must(t, deaf.Conn.(*net.TCPConn).SetReadBuffer(4<<10))
	deaf.send(strings.Repeat(request("GET", "/a/x/raw/big.md", "", as("ada")), 10))
	eventually(t, "the client that reads nothing gets all its answers", func() bool {
		before := ended.Load()
		time.Sleep(50 * time.Millisecond)
		return s.Stats().Visits == 1 && ended.Load() == before
	})
	ok("a page beside an answer that nobody reads", page("ada"))
}
