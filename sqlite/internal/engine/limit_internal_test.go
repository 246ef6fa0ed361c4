package engine

import (
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite does not prepare a statement again because another limit is bound.
func TestLimitIsPreparedOnce(t *testing.T) {
	c, err := Dial(filepath.Join(t.TempDir(), "v.db"), "rwc")
	testkit.Must(t, err)
	defer c.Close()
	testkit.Must(t, c.Script("CREATE TABLE v (s);\nINSERT INTO v VALUES ('a'), ('b'), ('c')"))
	const query = "SELECT s FROM v LIMIT ?"
	for _, limit := range []int64{1, 2, 3, 2} {
		n := int64(0)
		if err := c.Each(func(*row.Fields) error { n++; return nil }, query, limit); err != nil || n != limit {
			t.Errorf("LIMIT %d: %d rows, %v", limit, n, err)
		}
	}
	if n := sqlite3.Xsqlite3_stmt_status(c.tls, c.stmts[query].handle, sqlite3.SQLITE_STMTSTATUS_REPREPARE, 0); n != 0 {
		t.Errorf("it was prepared again %d times", n)
	}
}
