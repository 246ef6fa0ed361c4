package pgtest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/jackc/pgx/v5/pgconn"
)

// A journal has what was acknowledged.
type journal struct {
	mu   sync.Mutex // guards rows
	rows []string
}

func (j *journal) add(row string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rows = append(j.rows, row)
}

func (j *journal) len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.rows)
}

// write inserts rows until the context ends and notes those that are acknowledged. It
// connects again when a connection breaks.
func (j *journal) write(ctx context.Context, url string, writer int) {
	var c *pgconn.PgConn
	for i := 0; ctx.Err() == nil; i++ {
		if c == nil {
			var err error
			if c, err = pgconn.Connect(ctx, url); err != nil {
				time.Sleep(10 * time.Millisecond)
				continue
			}
		}
		row := fmt.Sprintf("%d-%d", writer, i)
		if _, err := c.Exec(ctx, "INSERT INTO t VALUES ('"+row+"')").ReadAll(); err != nil {
			c.Close(context.Background())
			c = nil
			continue
		}
		j.add(row)
	}
	if c != nil {
		c.Close(context.Background())
	}
}

// wait waits until n more rows are acknowledged.
func (j *journal) wait(t *testing.T, n int) {
	t.Helper()
	n += j.len()
	deadline := time.Now().Add(time.Minute)
	for j.len() < n {
		if time.Now().After(deadline) {
			t.Fatalf("%d rows are acknowledged, want %d", j.len(), n)
		}
		time.Sleep(time.Millisecond)
	}
}

// Nothing that was acknowledged is lost when a primary is stopped and its synchronous
// standby is promoted, over sockets and over TCP. The old primary becomes the standby.
func TestFailover(t *testing.T) {
	testkit.SkipInShort(t)
	for _, c := range []struct {
		name   string
		tcp    bool
		rounds int
	}{{"sockets", false, testkit.Pick(1, 3, 20)}, {"TCP", true, testkit.Pick(0, 1, 3)}} {
		if c.rounds == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			a := pgtest.NewCluster(t, pgtest.ClusterOptions{TCP: c.tcp})
			a.Exec("CREATE TABLE t (a text PRIMARY KEY)")
			b := a.Standby("b", pgtest.Synchronous)
			url := pgtest.FailoverURL(a, b)

			var j journal
			var writers sync.WaitGroup
			ctx, cancel := context.WithCancel(t.Context())
			defer writers.Wait()
			defer cancel()
			for w := range 4 {
				writers.Go(func() { j.write(ctx, url, w) })
			}
			for range c.rounds {
				j.wait(t, 200)
				a.Stop()
				b.Promote()
				j.wait(t, 200)
				a.Rewind(b, pgtest.Synchronous)
				a, b = b, a
			}
			j.wait(t, 200)
			cancel()
			writers.Wait()

			have := map[string]bool{}
			for _, row := range a.Exec("SELECT a FROM t") {
				have[row] = true
			}
			for _, row := range j.rows {
				if !have[row] {
					t.Errorf("row %s was acknowledged and is lost", row)
				}
			}
			t.Logf("%d rows acknowledged, %d there", len(j.rows), len(have))
		})
	}
}
