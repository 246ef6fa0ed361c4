package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
)

// gathering opens a database of which a page holds one row. The connection gathers, and
// begins to write pages before the commit when 30 have changed.
func gathering(t *testing.T) (c *engine.Conn, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "gather.db")
	c, err := engine.Dial(path, "rwc", "journal_mode(WAL)", "synchronous(FULL)", "wal_autocheckpoint(0)", "busy_timeout(1000)", "cache_size(30)")
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, c.Close()) })
	testkit.Must(t, c.Script("CREATE TABLE v (n INTEGER PRIMARY KEY, text TEXT);"))
	testkit.Must(t, c.GatherWrites())
	return c, path
}

// put changes rows in a transaction that has begun.
func put(t *testing.T, c *engine.Conn, from, to, mark int) {
	t.Helper()
	for n := from; n < to; n++ {
		_, err := c.Exec("INSERT OR REPLACE INTO v VALUES (?, ? || printf('%3000c', 'x'))", int64(n), fmt.Sprint(mark, " "))
		testkit.Must(t, err)
	}
}

func begin(t *testing.T, c *engine.Conn) {
	t.Helper()
	_, err := c.Exec("BEGIN IMMEDIATE")
	testkit.Must(t, err)
}

// inFiles returns how many rows have a mark in a copy of the database and its log. Without
// its index, SQLite reads the log up to the first page whose checksum is wrong.
func inFiles(t *testing.T, path string, mark int) int64 {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy.db")
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + end)
		testkit.Must(t, err)
		testkit.Must(t, os.WriteFile(copied+end, b, 0o600))
	}
	c, err := engine.Dial(copied, "rw")
	testkit.Must(t, err)
	defer c.Close()
	whole, err := c.Number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'")
	if err != nil || whole != 1 {
		t.Fatalf("the copy of the files is damaged: %v", err)
	}
	n, err := c.Number("SELECT count(*) FROM v WHERE text LIKE ? || ' %'", fmt.Sprint(mark))
	testkit.Must(t, err)
	return n
}

// What Commit has returned is in the files, whatever the size of the commit. So are the
// pages that were written before the commit, and changed again.
func TestCommitIsInTheFiles(t *testing.T) {
	c, path := gathering(t)
	for mark, rows := range []int{1, 2, 10, 28, 29, 30, 31, 60, 200, 3} {
		begin(t, c)
		put(t, c, 0, rows, mark)
		put(t, c, 0, rows/2, mark)
		testkit.Must(t, c.Commit())
		if got := inFiles(t, path, mark); got != int64(rows) {
			t.Fatalf("%d of %d rows are in the files after their commit", got, rows)
		}
	}
}

// A transaction that was undone leaves nothing that comes over the commits of others.
func TestUndoneIsNotKept(t *testing.T) {
	c, path := gathering(t)
	other, err := engine.Dial(path, "rw", "synchronous(FULL)", "wal_autocheckpoint(0)", "busy_timeout(1000)")
	testkit.Must(t, err)
	defer other.Close()
	for mark := range 3 {
		begin(t, c)
		put(t, c, 1000*mark, 1000*mark+100, 100+mark) // new pages at the end, of which some are written
		_, err := c.Exec("ROLLBACK")
		testkit.Must(t, err)
		begin(t, other)
		put(t, other, 1000*mark, 1000*mark+200, mark)
		_, err = other.Exec("COMMIT")
		testkit.Must(t, err)
		begin(t, c)
		put(t, c, 5000, 5001, mark)
		testkit.Must(t, c.Commit())
		if got := inFiles(t, path, mark); got != 201 {
			t.Fatalf("%d of 201 rows are in the files", got)
		}
	}
}

// Commit fails as COMMIT does, and the transaction stays.
func TestCommitFails(t *testing.T) {
	c, path := gathering(t)
	if err := c.Commit(); err == nil {
		t.Error("a commit without a transaction succeeds")
	}
	testkit.Must(t, c.Script("CREATE TABLE child (n REFERENCES v DEFERRABLE INITIALLY DEFERRED);\nPRAGMA foreign_keys = ON"))
	begin(t, c)
	put(t, c, 0, 100, 1)
	_, err := c.Exec("INSERT INTO child VALUES (1000)")
	testkit.Must(t, err)
	if err := c.Commit(); engine.CodeOf(err)&0xff != engine.CodeConstraint {
		t.Fatalf("a commit that breaks a constraint: %v", err)
	}
	put(t, c, 1000, 1001, 1)
	testkit.Must(t, c.Commit())
	if got := inFiles(t, path, 1); got != 101 {
		t.Errorf("%d of 101 rows are in the files", got)
	}
}
