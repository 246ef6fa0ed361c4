package pgtest_test

import (
	"context"
	"testing"

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
