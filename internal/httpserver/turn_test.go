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
				end, ok := q.take(ctx, person, time.Second)
				if !ok {
					name += " without"
				}
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
					t.Errorf("%q goes on, want %q", got, name)
				}
			default:
				if name != "" {
					t.Errorf("nobody goes on, want %q", name)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		one := <-take(t.Context(), "ada", "one")
		want("one")
		two, three := take(t.Context(), "ada", "two"), take(t.Context(), "ada", "three")
		take(ctx, "ada", "gone")
		want("")
		bob := <-take(t.Context(), "bob", "bob")
		want("bob")
		cancel()
		want("gone without")
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

// Few may wait for the turn of a person, and not for long.
func TestTurnsOfACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q turns
		leave, ok := q.take(t.Context(), "ada", time.Hour)
		if !ok {
			t.Fatal("nobody has the turn, and it cannot be taken")
		}
		refused, began := make(chan time.Duration, 100), time.Now()
		for range maxUsers + 9 {
			go func() {
				if _, ok := q.take(t.Context(), "ada", time.Hour); !ok {
					refused <- time.Since(began)
				}
			}()
		}
		synctest.Wait()
		if len(refused) != 10 {
			t.Errorf("%d are refused at once, want 10", len(refused))
		}
		time.Sleep(turnWait)
		synctest.Wait()
		if len(refused) != maxUsers+9 {
			t.Errorf("%d are refused after %v, want all", len(refused), turnWait)
		}
		leave()
		if len(q.by) != 0 {
			t.Errorf("%d people are known, and nobody has a turn", len(q.by))
		}
	})
}

// While a page of a person is made, the person's other pages wait, and nothing else does.
// An answer that nobody reads keeps no page waiting.
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
	leave, _ := s.turns.take(t.Context(), "ada", time.Hour)
	waits := page("ada")
	ok("a form of the same person", s.dial().send(post("ada", 100_000)))
	ok("the page of another person", page("bob"))
	s.mustAppend()
	events := s.dial().send(request("GET", "/events", "", as("ada")))
	if line, err := events.in.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Errorf("a page that waits for changes: %q, %v", line, err)
	}
	testkit.Must(t, waits.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	if _, err := waits.in.Peek(1); err == nil {
		t.Error("two pages of a person are made at once")
	}
	waits.in = bufio.NewReader(waits)
	leave()
	ok("when it is the turn", waits)

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
