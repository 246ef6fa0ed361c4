package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
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

// changesOf returns what Changes returns for a local agent.
func changesOf(t *testing.T, s store.Store, agent string, after int64, limit int) (revisions []int64, err error) {
	t.Helper()
	err = s.View(t.Context(), store.Owner{Tenant: "local", Agent: agent}, func(r store.Reader) error {
		rows, err := r.Changes(after, limit)
		revisions = nil
		for _, c := range rows {
			revisions = append(revisions, c.Revision)
		}
		return err
	})
	return revisions, err
}

// Damage to the journal is told to whoever reads the rows, and to nobody else. A row that
// is missing is never passed over.
func TestDamagedJournal(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range []struct {
		name, damage, say string
		fine              [][2]int64 // after and limit of a reading that does not meet it
	}{
		{"Flipped", "UPDATE changes SET change = CAST(replace(CAST(change AS TEXT), 'a.md', 'c.md') AS BLOB) WHERE owner = 'local/alice' AND revision = 3", "change of local/alice, 3,", [][2]int64{{0, 2}, {3, 10}}},
		{"First", "DELETE FROM changes WHERE owner = 'local/alice' AND revision = 1", "change 1 is missing", [][2]int64{{1, 10}}},
		{"Middle", "DELETE FROM changes WHERE owner = 'local/alice' AND revision = 3", "change 3 is missing", [][2]int64{{0, 2}, {3, 10}}},
		{"Last", "DELETE FROM changes WHERE owner = 'local/alice' AND revision = 5", "change 5 is missing", [][2]int64{{0, 4}, {5, 10}}},
		{"All", "DELETE FROM changes WHERE owner = 'local/alice'", "change 1 is missing", [][2]int64{{5, 10}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "test.db")
			s := open(t, path)
			for _, name := range []string{"alice", "bob"} {
				for i := range 5 {
					put(t, workspaceOn(t, s, name), fmt.Sprintf("%c.md", 'a'+i%2))
				}
			}
			script(t, path, c.damage)
			if rows, err := changesOf(t, s, "alice", 0, 10); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("Changes = %v, %v, want ErrCorrupt with %q", rows, err, c.say)
			}
			for _, q := range c.fine {
				if _, err := changesOf(t, s, "alice", q[0], int(q[1])); err != nil {
					t.Errorf("Changes(%d, %d) = %v, want nil", q[0], q[1], err)
				}
			}
			if rows, err := changesOf(t, s, "bob", 0, 10); err != nil || len(rows) != 5 {
				t.Errorf("Changes of another agent = %v, %v, want 5 rows", rows, err)
			}
			expectFile(t, workspaceOn(t, s, "alice"), "b.md", "b.md")
		})
	}
}

// pages lists the owners of tenant local, page by page.
func pages(t *testing.T, s store.Store, q store.OwnersQuery) (names []string) {
	t.Helper()
	q.Tenant = "local"
	for {
		page, err := s.Owners(t.Context(), q)
		testkit.Must(t, err)
		for _, u := range page.Owners {
			names = append(names, u.Owner.Agent)
			q.After = &u
		}
		if len(page.Owners) < q.Limit || len(names) > 1000 { // without an end
			return names
		}
	}
}

// Owners lists each owner once in every order and on pages of any length, also of a past
// schema, where ties are common.
func TestOwnersOrders(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for schema := int64(1); schema <= sqlite.SchemaVersion; schema++ {
		var s *sqlite.Store
		if schema < sqlite.SchemaVersion {
			var err error
			if s, err = sqlite.OpenReadOnly(t.Context(), fixture(t, schema), quiet); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
		} else {
			s = open(t, fixture(t, 1)) // all have one time, none
		}
		for _, order := range []store.OwnersOrder{store.ByName, store.ByUpdated, store.ByBytes} {
			whole := pages(t, s, store.OwnersQuery{Order: order, Limit: 100})
			if len(whole) < 20 {
				t.Errorf("schema %d, order %d: %d owners, want all", schema, order, len(whole))
			}
			for _, limit := range []int{1, 2, 7} {
				if diff := cmp.Diff(whole, pages(t, s, store.OwnersQuery{Order: order, Limit: limit})); diff != "" {
					t.Errorf("schema %d, order %d, pages of %d:\n%s", schema, order, limit, diff)
				}
			}
			some := pages(t, s, store.OwnersQuery{Order: order, Prefix: "crowd-", Part: "D-1", Limit: 3})
			if len(some) != 10 {
				t.Errorf("schema %d, order %d: with a prefix and a part: %v, want crowd-10 to crowd-19", schema, order, some)
			}
		}
	}
}
