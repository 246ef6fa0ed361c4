package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func dial(t *testing.T) *engine.DB {
	t.Helper()
	c, err := engine.Open(filepath.Join(t.TempDir(), "a?b%20#.db"), "rwc", "journal_mode(WAL)", "busy_timeout(1000)")
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, c.Close()) })
	return c
}

// What was bound is read back, whatever its size. Only a nil []byte is NULL.
func TestValues(t *testing.T) {
	c := dial(t)
	testkit.Must(t, c.Script("CREATE TABLE v (n INTEGER PRIMARY KEY, i, s, b, absent);\n-- the end\n"))
	texts := []string{"", "a", "ü\x00z", strings.Repeat("x", 3000), strings.Repeat("long", 1<<18), "b"}
	for i, s := range texts {
		n, err := c.Exec("INSERT INTO v VALUES (?, ?, ?, ?, NULL)", int64(i), int64(-1)<<62, s, append([]byte(nil), s...))
		if err != nil || n != 1 {
			t.Fatalf("INSERT = %d, %v", n, err)
		}
	}
	for i, s := range texts {
		found, err := c.One(func(f *row.Fields) error {
			var b []byte
			if f.Int() != -1<<62 || f.Text() != s {
				return fmt.Errorf("row %d is not what was stored", i)
			}
			if f.Scan(&b); !bytes.Equal(b, []byte(s)) || b == nil || f.Next() != nil || f.Text() != "blob" || f.Bad {
				return fmt.Errorf("row %d is not what was stored", i)
			}
			return nil
		}, "SELECT i, s, b, absent, typeof(b) FROM v WHERE n = ? AND s = ?", int64(i), s)
		if err != nil || !found {
			t.Errorf("text %d of %d bytes: %v, %v", i, len(s), found, err)
		}
	}
	if _, err := c.Exec("INSERT INTO v (n) VALUES (?)", 1.5); err == nil {
		t.Error("a float64 is bound")
	}
	if _, err := c.Exec("SELECT 1; SELECT 2"); err == nil {
		t.Error("the second statement is ignored")
	}
}

// A query that fails leaves nothing open, and its error has SQLite's code and a kind.
func TestErrors(t *testing.T) {
	c := dial(t)
	testkit.Must(t, c.Script("CREATE TABLE v (s TEXT PRIMARY KEY);\nINSERT INTO v VALUES ('a'), ('b')"))
	_, err := c.Exec("INSERT INTO v VALUES (?)", "a")
	if engine.CodeOf(err)&0xff != engine.CodeConstraint || !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "UNIQUE constraint failed: v.s (1555)") {
		t.Errorf("a key twice: %v, code %d", err, engine.CodeOf(err))
	}
	enough := errors.New("enough")
	if err := c.Each(func(*row.Fields) error { return enough }, "SELECT s FROM v"); err != enough {
		t.Errorf("Each = %v", err)
	}
	if _, err := c.Exec("DROP TABLE v"); err != nil { // refused while a query is open
		t.Errorf("after an error of fn: %v", err)
	}
	if _, err := engine.Open(filepath.Join(t.TempDir(), "none.db"), "rw"); engine.CodeOf(err)&0xff != engine.CodeCantOpen {
		t.Errorf("Open of no file = %v", err)
	}
}

// A context ends a statement that would run for ever.
func TestEachUntil(t *testing.T) {
	c := dial(t)
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := c.EachUntil(ctx, func(*row.Fields) error { return nil }, endless)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("EachUntil = %v", err)
	}
}
