package pgtest_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/jackc/pgx/v5/pgconn"
)

// What a client and the database see of each fault at COMMIT, by both protocols.
func TestProxyCommit(t *testing.T) {
	const lost, kept, either = "0", "1", "0 or 1"
	for _, c := range []struct {
		name     string
		fault    pgtest.Fault
		ok, open bool // the client has an answer; the connection is not closed
		rows     string
	}{
		{"Pass", pgtest.Fault{}, true, true, kept},
		{"Delay", pgtest.Fault{Delay: 50 * time.Millisecond}, true, true, kept},
		{"CutBefore", pgtest.Fault{Do: pgtest.CutBefore}, false, false, lost},
		{"CutAfter", pgtest.Fault{Do: pgtest.CutAfter}, false, false, either},
		{"CutAnswer", pgtest.Fault{Do: pgtest.CutAnswer}, false, false, kept},
		{"HalfOpenBefore", pgtest.Fault{Do: pgtest.HalfOpenBefore}, false, true, lost},
		{"HalfOpenAnswer", pgtest.Fault{Do: pgtest.HalfOpenAnswer}, false, true, kept},
	} {
		for _, protocol := range []string{"simple", "extended"} {
			t.Run(c.name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				url := pgtest.URL(t)
				direct := connect(t, url)
				query(t, direct, "CREATE TABLE t (n int)")
				proxy := pgtest.NewProxy(t, url)
				client := connect(t, proxy.URL())
				query(t, client, "SELECT 1") // passes
				proxy.Break(func(b pgtest.Batch) pgtest.Fault {
					if b.Commit {
						return c.fault
					}
					return pgtest.Fault{}
				})
				start := time.Now()
				err := insert(t, client, protocol)
				if (err == nil) != c.ok || pgconn.Timeout(err) != (c.open && !c.ok) {
					t.Errorf("the client sees %v", err)
				}
				if c.ok && time.Since(start) < c.fault.Delay {
					t.Errorf("the answer is there after %v, want %v", time.Since(start), c.fault.Delay)
				}
				waitIdle(t, direct)
				if got := query(t, direct, "SELECT count(*) FROM t")[0]; !strings.Contains(c.rows, got) {
					t.Errorf("the table has %s rows, want %s", got, c.rows)
				}
			})
		}
	}
}

// insert adds a row in a transaction. It waits for two seconds.
func insert(t *testing.T, c *pgconn.PgConn, protocol string) error {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if protocol == "simple" {
		_, err := c.Exec(ctx, "BEGIN; INSERT INTO t VALUES (1); COMMIT").ReadAll()
		return err
	}
	pipeline := c.StartPipeline(ctx)
	for _, sql := range []string{"BEGIN", "INSERT INTO t VALUES (1)", "COMMIT"} {
		pipeline.SendQueryParams(sql, nil, nil, nil, nil)
	}
	if err := pipeline.Sync(); err != nil {
		return err
	}
	for {
		r, err := pipeline.GetResults()
		if err != nil {
			pipeline.Close()
			return err
		}
		if _, end := r.(*pgconn.PipelineSync); end {
			return pipeline.Close()
		}
		if r, ok := r.(*pgconn.ResultReader); ok {
			if _, err := r.Close(); err != nil {
				pipeline.Close()
				return err
			}
		}
	}
}

// waitIdle waits until no other connection runs anything.
func waitIdle(t *testing.T, c *pgconn.PgConn) {
	t.Helper()
	const busy = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
		AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'`
	deadline := time.Now().Add(time.Minute)
	for query(t, c, busy)[0] != "0" {
		if time.Now().After(deadline) {
			t.Fatal("a connection does not come to an end")
		}
		time.Sleep(time.Millisecond)
	}
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
	count("a pipeline", 1, func() {
		if err := insert(t, c, "extended"); err != nil {
			t.Error(err)
		}
	})
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

func TestProxyStatements(t *testing.T) {
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	c := connect(t, proxy.URL())
	query(t, c, "CREATE TABLE t (n int)")
	var seen atomic.Pointer[pgtest.Batch]
	proxy.Break(func(b pgtest.Batch) pgtest.Fault {
		seen.Store(&b)
		return pgtest.Fault{}
	})
	testkit.Must(t, insert(t, c, "extended"))
	if b := seen.Load(); strings.Join(b.SQL, "|") != "BEGIN|INSERT INTO t VALUES (1)|COMMIT" || !b.Commit || b.Startup || !b.RoundTrip {
		t.Errorf("the batch was %+v", b)
	}
	query(t, c, "SELECT 1")
	if b := seen.Load(); strings.Join(b.SQL, "|") != "SELECT 1" || b.Commit {
		t.Errorf("the batch was %+v", b)
	}
	connect(t, proxy.URL())
	if b := seen.Load(); !b.Startup || b.Connection != 2 || proxy.Opened() != 2 {
		t.Errorf("the batch was %+v, and %d connections were opened", b, proxy.Opened())
	}
}

// A server's last words reach the client. Reset reaches clients that wait, and those
// that are half open.
func TestProxyEnds(t *testing.T) {
	url := pgtest.URL(t)
	proxy := pgtest.NewProxy(t, url)
	c := connect(t, proxy.URL())
	go func() {
		for n := 0; n == 0 && t.Context().Err() == nil; {
			n, _ = pgtest.Terminate(t.Context(), url, "active")
		}
	}()
	_, err := c.Exec(t.Context(), "SELECT pg_sleep(30)").ReadAll()
	if pgErr := (*pgconn.PgError)(nil); !errors.As(err, &pgErr) || pgErr.Code != "57P01" {
		t.Errorf("a connection that is terminated ends with %v", err)
	}
	for _, do := range []pgtest.Action{pgtest.Pass, pgtest.HalfOpenBefore, pgtest.HalfOpenAnswer} {
		c := connect(t, proxy.URL())
		proxy.Break(func(b pgtest.Batch) pgtest.Fault {
			time.AfterFunc(20*time.Millisecond, proxy.Reset)
			return pgtest.Fault{Do: do}
		})
		if _, err := c.Exec(t.Context(), "SELECT pg_sleep(30)").ReadAll(); err == nil || pgconn.Timeout(err) {
			t.Errorf("action %d: a connection that is reset ends with %v", do, err)
		}
		proxy.Break(nil)
	}
	for _, do := range []pgtest.Action{pgtest.CutBefore, pgtest.HalfOpenBefore, pgtest.CutAnswer, pgtest.HalfOpenAnswer, pgtest.CutAfter} {
		proxy.Break(func(b pgtest.Batch) pgtest.Fault { return pgtest.Fault{Do: do} })
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if c, err := pgconn.Connect(ctx, proxy.URL()); err == nil {
			c.Close(ctx)
			t.Errorf("action %d: a client can connect", do)
		}
		cancel()
	}
}

func TestProxyCancels(t *testing.T) {
	url := pgtest.URL(t)
	proxy := pgtest.NewProxy(t, url)
	c, direct := connect(t, proxy.URL()), connect(t, url)
	ended := make(chan error, 1)
	go func() {
		_, err := c.Exec(t.Context(), "SELECT pg_sleep(60)").ReadAll()
		ended <- err
	}()
	for query(t, direct, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'")[0] == "0" {
		time.Sleep(time.Millisecond)
	}
	if err := c.CancelRequest(t.Context()); err != nil {
		t.Error(err)
	}
	err := <-ended
	if pgErr := (*pgconn.PgError)(nil); !errors.As(err, &pgErr) || pgErr.Code != "57014" {
		t.Errorf("a query that is cancelled ends with %v", err)
	}
	if n := proxy.Cancels(); n != 1 {
		t.Errorf("%d cancels are counted", n)
	}
}
