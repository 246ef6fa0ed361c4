package ha

import (
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Three servers write to a primary with a synchronous standby. The primary is stopped at
// once, the standby is promoted, and the old primary becomes its standby. Nothing that was
// acknowledged is lost or stored twice, and every client is served again.
func TestFailover(t *testing.T) {
	a := pgtest.NewCluster(t, pgtest.ClusterOptions{})
	b := a.Standby("b", pgtest.Synchronous)
	db := pgtest.FailoverURL(a, b)
	s := startStorm(t, db, startServers(t, 3, db, "--no-auth"))
	var longest time.Duration
	for round := range testkit.Pick(2, 2, 20) {
		s.wait(300)
		a.Stop()
		time.Sleep(time.Duration(round%4) * 200 * time.Millisecond) // so that calls wait, and connections fail
		b.Promote()
		recovered := s.mark()
		took := recovered()
		longest = max(longest, took)
		t.Logf("round %d: every client is served %v after the promotion", round+1, took.Round(time.Millisecond))
		s.wait(100)
		a.Rewind(b, pgtest.Synchronous)
		a, b = b, a
	}
	s.wait(300)
	s.check()
	t.Logf("the longest wait after a promotion: %v", longest.Round(time.Millisecond))
}

// Three servers are replaced one after the other, as for an upgrade. No call fails for a
// client that tries again, and nothing is lost or stored twice.
func TestRollingRestart(t *testing.T) {
	db := pgtest.URL(t)
	servers := startServers(t, 3, db, "--no-auth")
	s := startStorm(t, db, servers)
	for range testkit.Pick(1, 1, 10) {
		for _, r := range servers {
			s.wait(300)
			r.Stop()
			r.Start()
			r.waitReady()
		}
	}
	s.wait(300)
	s.check()
}

// Servers are killed in the middle of calls, all but one, and started again.
func TestKilledServers(t *testing.T) {
	db := pgtest.URL(t)
	servers := startServers(t, 3, db, "--no-auth")
	s := startStorm(t, db, servers)
	for range testkit.Pick(2, 2, 20) {
		s.wait(200)
		for _, r := range servers[:2] {
			r.Kill()
		}
		time.Sleep(100 * time.Millisecond)
		for _, r := range servers[:2] {
			r.Start()
			r.waitReady()
		}
	}
	s.wait(200)
	s.check()
}
