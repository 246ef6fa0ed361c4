package pgtest_test

import (
	"context"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/jackc/pgx/v5/pgconn"
)

func connect(t testing.TB, url string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), url)
	testkit.Must(t, err)
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// query returns the first column of the rows of a query.
func query(t testing.TB, c *pgconn.PgConn, sql string) []string {
	t.Helper()
	results, err := c.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out []string
	for _, row := range results[len(results)-1].Rows {
		out = append(out, string(row[0]))
	}
	return out
}

func TestURL(t *testing.T) {
	for range 2 {
		c := connect(t, pgtest.URL(t))
		query(t, c, "CREATE TABLE t (a text)")
		if got := query(t, c, "SELECT count(*) FROM t"); got[0] != "0" {
			t.Errorf("a new table has %s rows", got[0])
		}
	}
}
