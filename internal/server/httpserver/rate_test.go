package httpserver

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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
