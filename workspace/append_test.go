package workspace_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// arranged runs a test on a store in memory and on SQLite. The database has no problems
// after it.
func arranged(t *testing.T, test func(*testing.T, workspace.Store)) {
	t.Run("memstore", func(t *testing.T) {
		store := memstore.New()
		defer store.Close()
		test(t, store)
	})
	t.Run("sqlite", func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlite.Options{})
		testkit.Must(t, err)
		defer store.Close()
		test(t, store)
		if report, err := store.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || report.Problems != nil {
			t.Errorf("Verify = %q, %v, want no problems", report.Problems, err)
		}
	})
}

// journalOf returns what the journal of an agent says after a revision, without authors
// and times.
func journalOf(t testing.TB, store workspace.Store, agent string, after int64) (rows []workspace.Change) {
	t.Helper()
	err := store.View(t.Context(), port.Owner{Tenant: "local", Agent: agent}, func(r port.Reader) (err error) {
		rows, err = r.Changes(after, 1000)
		return err
	})
	testkit.Must(t, err)
	for i := range rows {
		rows[i].Author, rows[i].Time = workspace.Author{}, time.Time{}
	}
	return rows
}

// checkRow checks the last row of the journal of agent a, which has the revision n.
func checkRow(t testing.TB, store workspace.Store, n int64, want workspace.Change) {
	t.Helper()
	rows := journalOf(t, store, "a", n-1)
	if len(rows) != 1 {
		t.Fatalf("the journal has %d rows after revision %d, want one: %+v", len(rows), n-1, rows)
	}
	want.Revision = n
	if rows[0] != want {
		t.Errorf("the journal says %+v, want %+v", rows[0], want)
	}
}
