package pgtest_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
)

func TestClusterRestart(t *testing.T) {
	c := pgtest.NewCluster(t, pgtest.ClusterOptions{Fsync: true, TCP: true, Settings: map[string]string{"lock_timeout": "7s"}})
	for setting, want := range map[string]string{"fsync": "on", "lock_timeout": "7s", "listen_addresses": "127.0.0.1"} {
		if got := c.Exec("SHOW " + setting); got[0] != want {
			t.Errorf("%s is %q, want %q", setting, got[0], want)
		}
	}
	c.Exec("CREATE TABLE t (n int); INSERT INTO t VALUES (1)")
	for _, end := range []func(){c.Stop, c.Kill} {
		conn := connect(t, c.URL())
		query(t, conn, "INSERT INTO t VALUES (2)")
		end()
		c.Start()
		if _, err := conn.Exec(t.Context(), "SELECT 1").ReadAll(); err == nil {
			t.Error("a connection outlives its server")
		}
	}
	if got := c.Exec("SELECT count(*) FROM t"); got[0] != "3" {
		t.Errorf("%s rows are left of 3", got[0])
	}
}
