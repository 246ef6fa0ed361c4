package pgtest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/jackc/pgx/v5/pgconn"
)

// insert adds a row in a transaction, in one pipeline.
func insert(t *testing.T, c *pgconn.PgConn) error {
	pipeline := c.StartPipeline(t.Context())
	for _, sql := range []string{"BEGIN", "INSERT INTO t VALUES (1)", "COMMIT"} {
		pipeline.SendQueryParams(sql, nil, nil, nil, nil)
	}
	return errors.Join(pipeline.Sync(), pipeline.Close())
}

func TestProxyRoundTrips(t *testing.T) {
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	c := connect(t, proxy.URL())
	if n := proxy.RoundTrips(); n != 0 {
		t.Errorf("connecting takes %d round trips, want 0", n)
	}
	count := func(what string, want int64, f func()) {
		t.Helper()
		before := proxy.RoundTrips()
		f()
		if n := proxy.RoundTrips() - before; n != want {
			t.Errorf("%s: %d round trips, want %d", what, n, want)
		}
	}
	count("a query", 1, func() { query(t, c, "SELECT 1") })
	count("three queries in one", 1, func() { query(t, c, "SELECT 1; SELECT 2; CREATE TABLE t (n int)") })
	count("a large answer", 1, func() { query(t, c, "SELECT repeat('x', 10000) FROM generate_series(1, 1000)") })
	count("a pipeline", 1, func() { testkit.Must(t, insert(t, c)) })
	count("a prepared statement", 2, func() {
		if _, err := c.Prepare(t.Context(), "s", "SELECT 1", nil); err != nil {
			t.Error(err)
		}
		if r := c.ExecPrepared(t.Context(), "s", nil, nil, nil).Read(); r.Err != nil {
			t.Error(r.Err)
		}
	})
	proxy.Delay(20 * time.Millisecond)
	start := time.Now()
	count("two pipelines at once", 1, func() {
		p := c.StartPipeline(t.Context())
		for range 2 {
			p.SendQueryParams("SELECT 1", nil, nil, nil, nil)
			if err := p.Sync(); err != nil {
				t.Error(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	if d := time.Since(start); d < 20*time.Millisecond {
		t.Errorf("with a latency of 20ms a round trip takes %v", d)
	}
}
