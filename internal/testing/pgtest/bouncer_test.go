package pgtest_test

import (
	"errors"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/jackc/pgx/v5/pgconn"
)

// Transactions work behind pgbouncer. A session does not: that shows that pgbouncer is
// there, in transaction mode.
func TestBouncer(t *testing.T) {
	url := pgtest.URL(t)
	direct := connect(t, url)
	query(t, direct, "CREATE TABLE t (n int)")
	behind := pgtest.Bouncer(t, url)
	a, b := connect(t, behind), connect(t, behind)

	query(t, a, "BEGIN; INSERT INTO t VALUES (1)")
	query(t, b, "BEGIN; INSERT INTO t VALUES (2)")
	query(t, a, "COMMIT")
	query(t, b, "ROLLBACK")
	if got := query(t, direct, "SELECT n FROM t"); len(got) != 1 || got[0] != "1" {
		t.Errorf("the table has %q, want 1", got)
	}

	// Both clients have the same connection to the server, one after the other.
	const backend = "SELECT pg_backend_pid()"
	if one, two := query(t, a, backend), query(t, b, backend); one[0] != two[0] {
		t.Errorf("two clients that take turns use the processes %s and %s", one, two)
	}

	_, err := pgconn.Connect(t.Context(), behind+"&statement_timeout=1000")
	if pgErr := (*pgconn.PgError)(nil); !errors.As(err, &pgErr) {
		t.Errorf("a startup parameter is ignored: %v", err)
	}
}
