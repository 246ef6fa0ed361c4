package dbcopy_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/cli/dbcopy"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var quiet = sqlite.Options{Logger: slog.New(slog.DiscardHandler)}

// openNamed opens a database of either kind.
func openNamed(name string) (workspace.Store, error) {
	if strings.HasPrefix(name, "postgres://") {
		return postgres.Open(context.Background(), name, postgres.Options{Logger: quiet.Logger})
	}
	return sqlite.Open(context.Background(), name, quiet)
}

// openToRead opens a database for reading only.
func openToRead(name string) (workspace.Store, error) {
	if strings.HasPrefix(name, "postgres://") {
		return postgres.OpenReadOnly(context.Background(), name, postgres.Options{Logger: quiet.Logger})
	}
	return sqlite.OpenReadOnly(context.Background(), name, quiet)
}

// eachName runs a test with names of new databases of each kind.
func eachName(t *testing.T, test func(t *testing.T, name func(testing.TB) string)) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, func(t testing.TB) string { return filepath.Join(t.TempDir(), "target.db") })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, pgtest.URL)
	})
}

// eachEngine runs a test with new databases of each kind.
func eachEngine(t *testing.T, test func(t *testing.T, open func(testing.TB) workspace.Store)) {
	eachName(t, func(t *testing.T, name func(testing.TB) string) {
		test(t, func(t testing.TB) workspace.Store {
			s, err := openNamed(name(t))
			testkit.Must(t, err)
			t.Cleanup(func() { s.Close() })
			return s
		})
	})
}

// A copier whose connections are ended again and again comes to its end when it is called
// again, and each call says that it has failed.
func TestCopyOverConnectionsThatEnd(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	from := newFile(t)
	fill(t, from, testkit.Pick(4, 10, 100), 6, 1)
	url := pgtest.URL(t)
	failed := 0
	for call := 1; ; call++ {
		to, err := openNamed(url)
		testkit.Must(t, err)
		n := 0
		_, err = dbcopy.Copy(t.Context(), dumped{from, func(store.Owner) {
			if n++; n%(2+call) == 0 {
				if _, err := pgtest.Terminate(t.Context(), url); err != nil {
					t.Errorf("terminate: %v", err)
				}
			}
		}}, to, dbcopy.Options{From: "source"})
		to.Close()
		if err == nil {
			break
		}
		if failed++; failed > 100 {
			t.Fatalf("Copy = %v in call %d", err, call)
		}
	}
	t.Logf("%d calls failed", failed)
	to, err := openNamed(url)
	testkit.Must(t, err)
	defer to.Close()
	testkit.Must(t, dbcopy.Unfinished(t.Context(), to))
	same(t, "the copy", everything(t, to), everything(t, from))
}

// A source of an older schema is copied as its migration would make it, and stays as it is.
func TestCopyOfPastSchema(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	eachEngine(t, func(t *testing.T, open func(testing.TB) workspace.Store) {
		for _, schema := range []string{"1", "2"} {
			path := filepath.Join(t.TempDir(), "old.db")
			was := testkit.Unpack(t, "../../../sqlite/testdata/past/schema"+schema+".db.gz")
			testkit.Must(t, os.WriteFile(path, []byte(was), 0o600))
			from, err := openToRead(path)
			testkit.Must(t, err)
			to := open(t)
			if report, err := dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: path}); err != nil || report.Agents+report.Deleted != 25 {
				t.Errorf("Copy of schema %s = %+v, %v, want 25 owners", schema, report, err)
			}
			testkit.Must(t, from.Close())
			if testkit.ReadFile(t, path) != was {
				t.Errorf("the source of schema %s has changed", schema)
			}
			migrated, err := sqlite.Open(t.Context(), path, quiet)
			testkit.Must(t, err)
			same(t, "the copy of schema "+schema, everything(t, to), everything(t, migrated))
			testkit.Must(t, migrated.Close())
		}
	})
}
