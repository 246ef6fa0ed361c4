package sqlite_test

import (
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
	before := mustCount(t, path, operationsOf("bob"))
	testkit.Must(t, s.Count(t.Context(), reads))
	for name, want := range map[string]int{"alice": 6, "bob": before, "carol": 6, "nobody": 0} {
		if got := mustCount(t, path, operationsOf(name)); got != want {
			t.Errorf("%s has %d operations, want %d", name, got, want)
		}
	}
	if rows, err := changesOf(t, s, "alice", 0, 10); err != nil || len(rows) != 1 {
		t.Errorf("Changes = %v, %v, want 1 row", rows, err)
	}
}

func operationsOf(agent string) string {
	return "SELECT coalesce(sum(operations), 0) FROM owners WHERE owner = 'local/" + agent + "'"
}

// A flipped bit in the usage of one agent does not keep the others from writing.
func TestTotalsBesideADamagedRow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	put(t, workspaceOn(t, s, "alice"), "hers")
	put(t, workspaceOn(t, s, "bob"), "his")
	testkit.Must(t, s.Close())
	script(t, path, "UPDATE owners SET bytes = bytes | (1 << 40) WHERE owner = 'local/alice'")
	s = open(t, path)
	put(t, workspaceOn(t, s, "bob"), "more")
	want := store.Totals{Agents: 1, Files: 2, Versions: 2, Bytes: 7}
	if got, err := s.Owners(t.Context(), store.OwnersQuery{Which: store.OwnerTotals, Tenant: "local"}); err != nil || got.Totals != want {
		t.Errorf("Totals = %+v, %v; want what the sound rows say, %+v", got, err, want)
	}
}
