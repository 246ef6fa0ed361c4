package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/google/go-cmp/cmp"
)

// Whoever opens a database while another process migrates it sees one schema or the other,
// never a part of both.
func TestIdentifyDuringMigration(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	other, err := dial(path, "rwc", "journal_mode(WAL)", "synchronous(OFF)", busyTimeout)
	testkit.Must(t, err)
	defer other.close()
	become := func(version int64) error {
		var script string
		if err := other.Each(func(f *row.Fields) error {
			script += "DROP TABLE " + f.Text() + ";\n"
			return nil
		}, "SELECT name FROM sqlite_master WHERE type = 'table'"); err != nil {
			return err
		}
		return other.Script("BEGIN IMMEDIATE;\n" + script + schemaText(version) + fmt.Sprintf(";\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\nCOMMIT", applicationID, version))
	}
	testkit.Must(t, become(2))
	var stop atomic.Bool
	changed, failed := 0, make(chan error, 1)
	go func() {
		var err error
		for ; !stop.Load() && err == nil; changed++ {
			err = become(2 + int64(changed)%2)
		}
		failed <- err
	}()
	seen := map[int64]int{}
	deadline := time.Now().Add(time.Minute)
	for n := 0; n < testkit.Pick(60, 300, 300) || (seen[2] == 0 || seen[3] == 0) && time.Now().Before(deadline); n++ {
		if _, err := look(path); err != nil {
			t.Error(err)
			break
		}
		c, err := dialRead(path, busyTimeout)
		testkit.Must(t, err)
		if err := c.identify(); err != nil {
			t.Error(err)
		}
		seen[c.schema]++
		c.close()
	}
	stop.Store(true)
	if err := <-failed; err != nil || seen[2] == 0 || seen[3] == 0 {
		t.Errorf("the schema was changed %d times, and seen as %v: %v", changed, seen, err)
	}
}

// pragmas returns the settings of a connection.
func pragmas(c *conn) (map[string]any, error) {
	got := map[string]any{}
	for _, name := range []string{"journal_mode", "synchronous", "foreign_keys", "trusted_schema", "query_only", "busy_timeout", "journal_size_limit", "wal_autocheckpoint", "cell_size_check"} {
		if _, err := c.One(func(f *row.Fields) error { got[name] = f.Next(); return nil }, "PRAGMA "+name); err != nil {
			return nil, err
		}
	}
	return got, nil
}

// Every connection of a store has the right settings, not only the first.
func TestPragmas(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "pragmas.db"), Options{})
	testkit.Must(t, err)
	defer s.Close()
	want := map[string]any{
		"journal_mode": "wal", "synchronous": int64(2), "foreign_keys": int64(1), "trusted_schema": int64(0),
		"query_only": int64(0), "busy_timeout": int64(15000), "journal_size_limit": int64(67108864), "wal_autocheckpoint": int64(0),
		"cell_size_check": int64(0),
	}
	check := func(name string, c *conn) error {
		got, err := pragmas(c)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("%s is set otherwise (-want +got):\n%s", name, diff)
		}
		return checkDefensive(c)
	}
	if err := s.writer.do(t.Context(), "", func(tx *tx) error { return check("the writer", tx.c) }); err != nil {
		t.Error(err)
	}
	// Readers write nothing, so that these do not matter for them.
	want["query_only"], want["journal_size_limit"], want["wal_autocheckpoint"] = int64(1), int64(-1), int64(1000)
	var all, done sync.WaitGroup
	all.Add(readers)
	seen := make([]*conn, readers)
	for i := range readers {
		done.Go(func() {
			err := s.read(t.Context(), func(c *conn) error {
				all.Done()
				all.Wait() // every connection is in use now
				seen[i] = c
				if err := writesNothing(c); err != nil {
					return err
				}
				return check(fmt.Sprint("reader ", i), c)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	checkLooks(t, s.path)
	for i, c := range seen {
		for _, other := range seen[:i] {
			if c == other {
				t.Error("two readers had one connection")
			}
		}
	}
}

// checkLooks tests the connection with which Open looks at a database.
func checkLooks(t *testing.T, path string) {
	c, err := dialRead(path)
	testkit.Must(t, err)
	defer c.close()
	got, err := pragmas(c)
	if err := errors.Join(err, writesNothing(c)); err != nil || got["trusted_schema"] != int64(0) || got["cell_size_check"] != int64(1) {
		t.Errorf("the connection that looks has the settings %v, %v", got, err)
	}
}

func writesNothing(c *conn) error {
	if _, err := c.Exec("DELETE FROM files"); !errors.Is(err, store.ErrReadOnly) {
		return fmt.Errorf("a write on a connection that reads = %v, want ErrReadOnly", err)
	}
	return nil
}

// checkDefensive tries a change that a connection in defensive mode refuses.
func checkDefensive(c *conn) error {
	if err := c.Pragma("writable_schema(1)"); err != nil {
		return err
	}
	if _, err := c.Exec("UPDATE sqlite_master SET sql = sql"); err == nil {
		return errors.New("the schema can be written: not defensive")
	}
	return nil
}
