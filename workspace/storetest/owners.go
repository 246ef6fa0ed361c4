package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var owners = []check{
	{"Owners/NeverWrote", ownerNeverWrote},
	{"Owners/SaveOwner", ownerSaved},
	{"Owners/List", ownerList},
	{"Owners/ListIsOfOneTenant", ownerTenants},
	{"Owners/ListLeavesEmptyOut", ownerEmpty},
	{"Owners/Totals", ownerTotals},
	{"Owners/Deleted", ownerDeleted},
}

func readOwner(r workspace.Reader) (workspace.OwnerState, error) { return r.Owner() }

// list returns a page of Owners.
func list(t testing.TB, s workspace.Store, tenant, after string, limit int) []workspace.OwnerUsage {
	t.Helper()
	q := workspace.OwnersQuery{Tenant: tenant, Limit: limit}
	if after != "" {
		q.After = &workspace.OwnerUsage{Owner: workspace.Owner{Tenant: tenant, Agent: after}}
	}
	got, err := s.Owners(t.Context(), q)
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
		Versions: 11, Revision: 12, Changes: 13, Updated: at(14),
	}
	two := workspace.OwnerState{Usage: workspace.Usage{Operations: 1}}
	for _, state := range []workspace.OwnerState{one, two} {
		update(t, s, alice, func(tx workspace.Tx) error { return tx.SaveOwner(state) })
		equal(t, "SaveOwner then Owner", view(t, s, alice, readOwner), state)
		equal(t, "SaveOwner then Owners", list(t, s, "local", "", 10), []workspace.OwnerUsage{{Owner: alice, Usage: state.Usage, Updated: state.Updated}})
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
	want := view(t, s, alice, readOwner)
	equal(t, "Owners of one that has much", list(t, s, "local", "", 10), []workspace.OwnerUsage{{Owner: alice, Usage: want.Usage, Updated: want.Updated}})
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

func totals(t testing.TB, s workspace.Store, tenant string) workspace.Totals {
	t.Helper()
	got, err := s.Totals(t.Context(), tenant)
	if err != nil {
		t.Fatalf("Totals(%q) = %v", tenant, err)
	}
	return got
}

func ownerTotals(t testing.TB, s workspace.Store) {
	equal(t, "Totals of a store that holds nothing", totals(t, s, "local"), workspace.Totals{})
	save := func(tenant, agent string, state workspace.OwnerState) {
		update(t, s, workspace.Owner{Tenant: tenant, Agent: agent}, func(tx workspace.Tx) error { return tx.SaveOwner(state) })
	}
	save("local", "a", workspace.OwnerState{
		Usage: workspace.Usage{Files: 1, Logs: 2, Entries: 3, Bytes: 1 << 40, Operations: 5}, Versions: 6, Requests: 7,
		FileFloor: 1 << 50, LogFloor: 1 << 50, DeletedFiles: 9, DeletedLogs: 9,
	})
	save("local", "b", workspace.OwnerState{Usage: workspace.Usage{Files: 10, Logs: 20, Entries: 30, Bytes: 40, Operations: 50}, Versions: 60, Requests: 70})
	save("local", "counted", workspace.OwnerState{Usage: workspace.Usage{Operations: 1}})
	save("local", "gone", workspace.OwnerState{FileFloor: 7})
	save("locals", "a", workspace.OwnerState{Usage: workspace.Usage{Files: 1000, Bytes: 1000}})
	want := workspace.Totals{Agents: 3, Files: 11, Logs: 22, Entries: 33, Bytes: 1<<40 + 40, Versions: 66, Requests: 77}
	equal(t, "Totals of three that hold something", totals(t, s, "local"), want)
	equal(t, "Totals of another tenant", totals(t, s, "locals"), workspace.Totals{Agents: 1, Files: 1000, Bytes: 1000})

	save("local", "b", workspace.OwnerState{})
	want = workspace.Totals{Agents: 2, Files: 1, Logs: 2, Entries: 3, Bytes: 1 << 40, Versions: 6, Requests: 7}
	equal(t, "Totals after one was removed", totals(t, s, "local"), want)
	if err := s.Update(t.Context(), bob, func(tx workspace.Tx) error {
		return errors.Join(tx.SaveOwner(workspace.OwnerState{Usage: workspace.Usage{Files: 1}}), errFn)
	}); !errors.Is(err, errFn) {
		t.Errorf("Update = %v, want the function's error", err)
	}
	equal(t, "Totals after an Update that failed", totals(t, s, "local"), want)
}

func ownerDeleted(t testing.TB, s workspace.Store) {
	save := func(tenant, agent string, state workspace.OwnerState) {
		update(t, s, workspace.Owner{Tenant: tenant, Agent: agent}, func(tx workspace.Tx) error { return tx.SaveOwner(state) })
	}
	deleted := func(from, to time.Time, limit int, want ...string) {
		t.Helper()
		got, err := s.Deleted(t.Context(), "local", from, to, limit)
		var names []string
		for _, o := range got {
			names = append(names, o.String())
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("Deleted(%v, %v, %d) = %v, %v, want %v", from, to, limit, names, err, want)
		}
	}
	gone := func(i int) workspace.OwnerState { return workspace.OwnerState{FileFloor: 7, Updated: at(i)} }
	deleted(at(100), at(100), 10)
	for i, name := range []string{"d", "a", "c", "b"} { // deleted at 1, 2, 3, 4
		save("local", name, gone(i+1))
	}
	save("local", "unknown", workspace.OwnerState{LogFloor: 1})
	save("other", "a", gone(1))
	for i, left := range []workspace.OwnerState{
		{Usage: workspace.Usage{Files: 1}}, {Usage: workspace.Usage{Logs: 1}}, {Usage: workspace.Usage{Entries: 1}}, {Usage: workspace.Usage{Bytes: 1}},
		{Usage: workspace.Usage{Operations: 1}}, {DeletedFiles: 1}, {DeletedLogs: 1}, {Requests: 1}, {Versions: 1},
	} {
		left.FileFloor = 1
		save("local", fmt.Sprint("holds-", i), left)
	}
	deleted(at(1), at(5), 10, "local/unknown") // none is of that very time
	deleted(at(1).Add(time.Microsecond), at(5), 10, "local/d", "local/unknown")
	deleted(at(4), at(5), 10, "local/a", "local/c", "local/d", "local/unknown")
	deleted(at(4), at(5), 2, "local/a", "local/c")
	deleted(at(2), at(4).Add(-time.Microsecond), 10, "local/b", "local/d", "local/unknown")
	deleted(at(2), at(4), 10, "local/d", "local/unknown")
	save("local", "unknown", workspace.OwnerState{})
	save("local", "d", gone(3))
	deleted(at(3), at(5), 10, "local/a")
	deleted(at(3), at(5), 0)
}
