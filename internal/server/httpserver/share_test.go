package httpserver

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// slowBody returns the head of a call with a key, whose body does not come.
func slowBody(key string) string {
	return request("POST", "/mcp", "", withKey+key, "Content-Length: 1000", "Content-Type: application/json", "Mcp-Protocol-Version: 2026-07-28")
}

// probes fails if health or metrics are not answered.
func (s *served) probes() {
	s.t.Helper()
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		if a := s.ask("GET", path, "", "Authorization: Bearer sp_metrics"); a.status != 200 {
			s.t.Errorf("%s: %v, want 200", path, a)
		}
	}
}

// held returns how many connections stay open, however many come.
func (s *served) held() int {
	s.places.mu.Lock()
	defer s.places.mu.Unlock()
	return s.places.open - s.places.quiet.Len()
}

// Nine keys of two tenants, whose bodies do not come, keep nobody else from being served.
func TestSlowBodiesOfTwoTenants(t *testing.T) {
	s := serve(t, Options{MaxConnections: 64, Metrics: text("metrics")}, nil)
	var calls [2]int // of each tenant
	for i := range 9 * 12 {
		tenant := i % 9 % 2
		s.dial().send(slowBody(fmt.Sprintf("%d/tenant%d", i%9, tenant)))
		calls[tenant] = min(calls[tenant]+1, 24)
		// The next connection would make room for itself if this one were still quiet.
		eventually(t, "a call does not begin", func() bool { n := s.Stats(); return n.Accepted == int64(i+1) && n.Calls == int64(calls[0]+calls[1]) })
	}
	eventually(t, "calls over the share keep their places", func() bool { return s.held() == 48 })
	s.mustAppend()
	s.probes()
	// Stats count a call that is about to be refused, so the last of the 48 may still have to come.
	var a answer
	eventually(t, "a call over the share is let in", func() bool {
		a = s.ask("POST", "/mcp", "", withKey+"0/tenant0")
		return a.status == 429
	})
	if a.header.Get("Retry-After") == "" || !strings.Contains(a.text, "under way, which is the limit") {
		t.Errorf("a call over the share: %v, want when to try again", a)
	}
}

// However many callers there are, health and metrics are answered, and a call that is one
// too many is told to come again.
func TestProbesHavePlaces(t *testing.T) {
	s := serve(t, Options{MaxConnections: 64, Metrics: text("metrics")}, nil)
	for i := range 56 {
		s.dial().send(slowBody(fmt.Sprintf("%d/tenant%d", i, i)))
	}
	eventually(t, "the calls do not begin", func() bool { return s.Stats().Calls == 56 && s.held() == 56 })
	s.probes()
	if a := s.dial().send(appends()).read("POST"); a.status != 503 || a.header.Get("Retry-After") == "" || !strings.Contains(a.text, "limit of this server") {
		t.Errorf("a call too many: %v, want 503", a)
	}
}

// A handler that waits for a body or a form does not wait for ever. When all of it has arrived, the
// answer may take longer.
func TestRequestTime(t *testing.T) {
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, "late", http.StatusRequestTimeout)
			return
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-r.Context().Done():
		}
		fmt.Fprint(w, r.Context().Err())
	})
	s := serve(t, Options{MCP: slow, Console: slow}, func(s *Server) { s.limits.read, s.limits.form = 50*time.Millisecond, 50*time.Millisecond })
	for _, path := range []string{"/mcp", "/signout"} {
		late, whole := s.dial().send(request("POST", path, "", withKey, "Content-Length: 1000")), s.dial()
		for range 2 { // on one connection
			if a := whole.send(request("POST", path, "body", withKey)).read("POST"); a.text != "<nil>" {
				t.Errorf("%s: a call that takes longer: %v, want no error of its context", path, a)
			}
		}
		if a := late.read("POST"); a.status != 408 {
			t.Errorf("%s: a body that does not come: %v, want 408 from the handler", path, a)
		}
	}
}

// A process can have only so many connections as it may open files.
func TestConnectionsAndFiles(t *testing.T) {
	o := must(Options{MCP: who, MaxConnections: math.MaxInt}.complete())(t)
	if want := native.MaxFiles() - 64; o.MaxConnections != want {
		t.Errorf("MaxConnections is %d, want %d", o.MaxConnections, want)
	}
}

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

// A connection is closed when it has been idle too long.
func TestIdle(t *testing.T) {
	s := serve(t, Options{}, func(s *Server) { s.limits.idle = 100 * time.Millisecond })
	if c := s.dial(); !c.send(appends()).read("POST").isAppended() || !c.isClosed() {
		t.Error("an idle connection stays open")
	}
}

// A caller over its rate is told when to come again, on the same connection. Others are
// not held back, and time gives the rate back.
func TestCallerRate(t *testing.T) {
	clock := testkit.NewClock()
	s := serve(t, Options{MCP: who, Rate: auth.Rate{PerSecond: 2, Burst: 3}}, func(s *Server) { s.now = clock.Now })
	c := s.dial()
	ask := func(key string) answer {
		t.Helper()
		return c.send(request("POST", "/mcp", `{"a":1,"id":"7"}`, "Authorization: Bearer "+key)).read("POST")
	}
	for i := range 3 {
		if a := ask("sp_good1"); a.status != 200 {
			t.Fatalf("call %d: %v", i, a)
		}
	}
	for range 4 { // refused calls do not count
		a := ask("sp_good1")
		if a.status != 429 || a.header.Get("Retry-After") != "1" || a.close || !strings.HasPrefix(a.text, `{"jsonrpc":"2.0","id":"7","error":{"code":-32000,`) || !strings.Contains(a.text, "try again in 500ms") {
			t.Fatalf("over the rate: %v, closed: %v, want 429", a, a.close)
		}
		if a := ask("sp_good2"); a.status != 200 && a.status != 429 {
			t.Errorf("another caller: %v", a)
		}
	}
	clock.Advance(499 * time.Millisecond)
	if a := ask("sp_good1"); a.status != 429 {
		t.Errorf("a little too early: %v, want 429", a)
	}
	clock.Advance(time.Millisecond)
	if a := ask("sp_good1"); a.status != 200 {
		t.Errorf("in time: %v, want 200", a)
	}
	for range 5 { // those who are nobody do not use up the rate of a caller
		s.ask("POST", "/mcp", "", "Authorization: Bearer sp_bad")
	}
	if got := s.Stats().RefusedCallerRate; got != 6 {
		t.Errorf("%d refused, want 6", got)
	}
	if n := s.callers.all.Len(); n != 2 {
		t.Errorf("%d callers are known, want 2: wrong credentials have no place", n)
	}
}

// The table has a size, and an agent that calls is not pushed out by others.
func TestAgentRate(t *testing.T) {
	testkit.SkipInShort(t)
	clock := testkit.NewClock()
	s := must(New(Options{MCP: who}))(t)
	s.now = clock.Now
	admitted := 0
	for range 1000 {
		after, ok := s.AdmitAgent(t.Context(), "t", "a")
		if ok {
			admitted++
		} else if after <= 0 || after > 10*time.Millisecond {
			t.Fatalf("try again after %v, want 10ms at most", after)
		}
	}
	if admitted != 400 {
		t.Errorf("%d calls admitted, want 400", admitted)
	}
	if _, ok := s.AdmitAgent(t.Context(), "other", "a"); !ok {
		t.Error("the agent of another tenant shares the rate")
	}
	for i := range maxRates + 1000 {
		s.AdmitAgent(t.Context(), "t", "x"+strconv.Itoa(i))
		if i%1000 == 0 {
			if _, ok := s.AdmitAgent(t.Context(), "t", "a"); ok {
				t.Fatal("others have pushed the agent out")
			}
		}
	}
	if n := s.agents.all.Len(); n != maxRates {
		t.Errorf("%d agents are known, want %d", n, maxRates)
	}
	clock.Advance(time.Second)
	if _, ok := s.AdmitAgent(t.Context(), "t", "a"); !ok {
		t.Error("nothing is admitted after a second")
	}
}
