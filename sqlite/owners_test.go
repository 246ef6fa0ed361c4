package sqlite_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Count leaves out an owner whose row is damaged and one that holds nothing, and counts
// for the others. It adds no row to the journal.
func TestCountLeavesOut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	for _, name := range []string{"alice", "bob", "carol"} {
		put(t, workspaceOn(t, s, name), "a.md")
	}
	script(t, path, "UPDATE owners SET bytes = bytes + 1 WHERE owner = 'local/bob'")
	reads := map[store.Owner]int64{}
	for _, name := range []string{"alice", "bob", "carol", "nobody"} {
		reads[store.Owner{Tenant: "local", Agent: name}] = 5
	}
	before := operations(t, path)
	testkit.Must(t, s.Count(t.Context(), reads))
	after := operations(t, path)
	if len(after) != 3 || after["local/alice"] != before["local/alice"]+5 || after["local/carol"] != before["local/carol"]+5 || after["local/bob"] != before["local/bob"] {
		t.Errorf("the operations were %v and are %v, want 5 more for alice and carol", before, after)
	}
	if rows, err := changesOf(t, s, "alice", 0, 10); err != nil || len(rows) != 1 {
		t.Errorf("Changes = %v, %v, want 1 row", rows, err)
	}
}

// operations returns the operations in each row of owners.
func operations(t *testing.T, path string) map[string]int64 {
	t.Helper()
	db := openSQL(t, path)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT owner, operations FROM owners")
	testkit.Must(t, err)
	defer rows.Close()
	all := map[string]int64{}
	for rows.Next() {
		var owner string
		var n int64
		testkit.Must(t, rows.Scan(&owner, &n))
		all[owner] = n
	}
	return all
}

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
