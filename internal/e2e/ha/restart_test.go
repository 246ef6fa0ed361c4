package ha

import (
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Three servers are replaced one after the other, as for an upgrade. No call fails for a
// client that tries again, and nothing is lost or stored twice.
func TestRollingRestart(t *testing.T) {
	db := pgtest.URL(t)
	servers := startServers(t, 3, db, "--no-auth")
	s := startStorm(t, db, servers)
	for range testkit.Pick(1, 1, 10) {
		for _, r := range servers {
			s.wait(300)
			r.stop()
			r.start()
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
			_ = r.end(syscall.SIGKILL) // its error is the signal
		}
		time.Sleep(100 * time.Millisecond)
		for _, r := range servers[:2] {
			r.start()
			r.waitReady()
		}
	}
	s.wait(200)
	s.check()
}
