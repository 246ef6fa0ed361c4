package sqlite_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A flipped bit in the usage of one agent does not keep the others from writing.
func TestTotalsBesideADamagedRow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	put(t, workspaceOn(t, s, "alice"), "hers")
	put(t, workspaceOn(t, s, "bob"), "his")
	testkit.Must(t, s.Close())
	db, err := sql.Open("sqlite", path)
	testkit.Must(t, err)
	_, err = db.Exec("UPDATE owners SET bytes = bytes | (1 << 40) WHERE owner = 'local/alice'")
	testkit.Must(t, errors.Join(err, db.Close()))

	s = open(t, path)
	put(t, workspaceOn(t, s, "bob"), "more")
	want := store.Totals{Agents: 1, Files: 2, Versions: 2, Bytes: 7}
	if got, err := s.Owners(t.Context(), store.OwnersQuery{Which: store.OwnerTotals, Tenant: "local"}); err != nil || got.Totals != want {
		t.Errorf("Totals = %+v, %v; want what the sound rows say, %+v", got, err, want)
	}
}
