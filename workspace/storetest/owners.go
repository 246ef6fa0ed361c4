package storetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var owners = []check{
	{"Owners/NeverWrote", ownerNeverWrote},
	{"Owners/SaveOwner", ownerSaved},
	{"Owners/List", ownerList},
	{"Owners/ListIsOfOneTenant", ownerTenants},
	{"Owners/ListLeavesEmptyOut", ownerEmpty},
}

func readOwner(r workspace.Reader) (workspace.OwnerState, error) { return r.Owner() }

// list returns a page of Owners.
func list(t testing.TB, s workspace.Store, tenant, after string, limit int) []workspace.OwnerUsage {
	t.Helper()
	got, err := s.Owners(t.Context(), tenant, after, limit)
	if err != nil {
		t.Fatalf("Owners(%q, %q, %d) = %v", tenant, after, limit, err)
	}
	return got
}

func ownerNeverWrote(t testing.TB, s workspace.Store) {
	equal(t, "the state of an owner that never wrote", view(t, s, alice, readOwner), workspace.OwnerState{})
	equal(t, "everything of an owner that never wrote", view(t, s, alice, everything).Files, []workspace.FileHead{})
	update(t, s, alice, func(tx workspace.Tx) error { return nil })
	equal(t, "Owners of a store that holds nothing", list(t, s, "local", "", 10), []workspace.OwnerUsage{})
}

func ownerSaved(t testing.TB, s workspace.Store) {
	one := workspace.OwnerState{
		Usage:     workspace.Usage{Files: 1, Logs: 2, Entries: 3, Bytes: 4, Operations: 5},
		FileFloor: 6, LogFloor: 7, DeletedFiles: 8, DeletedLogs: 9, Requests: 10,
		Versions: 11, Updated: at(12),
	}
	two := workspace.OwnerState{Usage: workspace.Usage{Operations: 1}}
	for _, state := range []workspace.OwnerState{one, two} {
		update(t, s, alice, func(tx workspace.Tx) error { return tx.SaveOwner(state) })
		equal(t, "SaveOwner then Owner", view(t, s, alice, readOwner), state)
		equal(t, "SaveOwner then Owners", list(t, s, "local", "", 10), []workspace.OwnerUsage{{Owner: alice, Usage: state.Usage}})
	}
	update(t, s, alice, func(tx workspace.Tx) error { return tx.SaveOwner(workspace.OwnerState{}) })
	equal(t, "SaveOwner of the zero state then Owner", view(t, s, alice, readOwner), workspace.OwnerState{})
	equal(t, "SaveOwner of the zero state then Owners", list(t, s, "local", "", 10), []workspace.OwnerUsage{})
	for _, given := range times() {
		update(t, s, alice, func(tx workspace.Tx) error {
			return tx.SaveOwner(workspace.OwnerState{FileFloor: 1, Updated: given})
		})
		sameTime(t, "Updated of an owner", view(t, s, alice, readOwner).Updated, given)
	}
	update(t, s, alice, fillAs("alice"))
	want := view(t, s, alice, readOwner).Usage
	equal(t, "Owners of one that has much", list(t, s, "local", "", 10), []workspace.OwnerUsage{{Owner: alice, Usage: want}})
}

func fillAs(tag string) func(workspace.Tx) error {
	return func(tx workspace.Tx) error { return fill(tx, tag) }
}

func ownerList(t testing.TB, s workspace.Store) {
	names := []string{"a", "A", "aB", "a-", "a_", "a0", "ab", "B", "b", "_", "-", "0", "9", "z", "Z"}
	for i, name := range names {
		update(t, s, workspace.Owner{Tenant: "local", Agent: name}, func(tx workspace.Tx) error {
			return tx.SaveOwner(workspace.OwnerState{Usage: workspace.Usage{Bytes: int64(i + 1)}})
		})
	}
	usage := func(name string) workspace.OwnerUsage {
		return workspace.OwnerUsage{
			Owner: workspace.Owner{Tenant: "local", Agent: name},
			Usage: workspace.Usage{Bytes: int64(slices.Index(names, name) + 1)},
		}
	}
	sorted := slices.Sorted(slices.Values(names))
	for _, after := range append([]string{"", "AA", "aa", "zz", "~"}, names...) {
		for _, limit := range []int{1, 4, 100} {
			var want []workspace.OwnerUsage
			for _, name := range sorted {
				if name > after && len(want) < limit {
					want = append(want, usage(name))
				}
			}
			equal(t, "Owners after "+after, list(t, s, "local", after, limit), want)
		}
	}
}

func ownerTenants(t testing.TB, s workspace.Store) {
	tenants := []string{"t", "t1", "t-1", "t_1", "tx1", "T", "loca", "local"}
	for i, tenant := range tenants {
		update(t, s, workspace.Owner{Tenant: tenant, Agent: "same"}, func(tx workspace.Tx) error {
			return tx.SaveOwner(workspace.OwnerState{Usage: workspace.Usage{Files: int64(i + 1)}})
		})
	}
	for i, tenant := range tenants {
		equal(t, "Owners of tenant "+tenant, list(t, s, tenant, "", 10), []workspace.OwnerUsage{{
			Owner: workspace.Owner{Tenant: tenant, Agent: "same"}, Usage: workspace.Usage{Files: int64(i + 1)},
		}})
	}
	equal(t, "Owners of a tenant that has none", list(t, s, "none", "", 10), []workspace.OwnerUsage{})
}

func ownerEmpty(t testing.TB, s workspace.Store) {
	update(t, s, alice, func(tx workspace.Tx) error {
		return tx.SaveOwner(workspace.OwnerState{FileFloor: 7, DeletedFiles: 1}) // no usage
	})
	err := s.Update(t.Context(), bob, func(tx workspace.Tx) error {
		return errors.Join(fill(tx, "bob"), errFn)
	})
	if !errors.Is(err, errFn) {
		t.Fatalf("Update = %v, want the function's error", err)
	}
	equal(t, "Owners, all without usage", list(t, s, "local", "", 10), []workspace.OwnerUsage{})
	update(t, s, alice, func(tx workspace.Tx) error { return write(tx, 1, "a", "x") })
	if got := list(t, s, "local", "", 1); len(got) != 1 || got[0].Owner != alice {
		t.Errorf("Owners = %v, want alice, who wrote", got)
	}
	update(t, s, alice, func(tx workspace.Tx) error { return tx.SaveOwner(workspace.OwnerState{FileFloor: 7}) })
	equal(t, "Owners, the usage gone again", list(t, s, "local", "", 10), []workspace.OwnerUsage{})
}
