package dbcopy_test

import (
	"errors"
	"math/rand/v2"
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

// Between two databases of PostgreSQL, with a source that is opened for reading and whose
// agents go on writing.
func TestCopyFromPostgreSQLToPostgreSQL(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	source, target := pgtest.URL(t), pgtest.URL(t)
	writer, err := openNamed(source)
	testkit.Must(t, err)
	defer writer.Close()
	to, err := openNamed(target)
	testkit.Must(t, err)
	defer to.Close()
	fill(t, writer, 4, 8, 1)
	from, err := openToRead(source)
	testkit.Must(t, err)
	defer from.Close()
	rnd := rand.New(rand.NewPCG(3, 3))
	report, err := dbcopy.Copy(t.Context(), listed{from, new(int), func(n int) {
		if n <= 3 {
			work(t, writer, "team", "agent-003", 3, rnd)
		}
	}}, to, dbcopy.Options{From: "source"})
	if err != nil || report.Again == 0 {
		t.Fatalf("Copy = %+v, %v, want an owner copied again", report, err)
	}
	want := everything(t, writer)
	same(t, "the copy", everything(t, to), want)
	rowByRow(t, writer, to)
	if _, err := dbcopy.Copy(t.Context(), to, from, dbcopy.Options{From: "copy"}); !errors.Is(err, workspace.ErrConflict) {
		t.Errorf("Copy into the source = %v, want ErrConflict", err)
	}
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
