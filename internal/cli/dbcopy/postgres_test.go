package dbcopy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/cli/dbcopy"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

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
			if report, err := dbcopy.Copy(t.Context(), from, to, dbcopy.Options{From: path}); err != nil || report.Owners != 25 {
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
