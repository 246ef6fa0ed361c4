package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	{"Owners/Query", ownerQuery},
	{"Owners/Count", ownerCount},
	{"Owners/CountUndone", ownerCountUndone},
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

// queried are owners with ties in bytes and in the time of the last write.
func queried() (all []workspace.OwnerUsage) {
	for i, name := range []string{"a", "A", "aB", "a-", "a_", "a0", "ab", "abc", "B", "b", "_", "-", "0", "Zab", "xAB-c", "local", "z"} {
		u := workspace.OwnerUsage{Owner: workspace.Owner{Tenant: "local", Agent: name}, Usage: workspace.Usage{Bytes: int64(i % 4), Operations: 1}}
		if i%5 > 0 {
			u.Updated = at(i % 3).Add(time.Duration(i%2) * time.Microsecond)
		}
		all = append(all, u)
	}
	return all
}

// page returns what a query answers, the naive way.
func page(all []workspace.OwnerUsage, q workspace.OwnersQuery) (found []workspace.OwnerUsage) {
	compare := func(a, b workspace.OwnerUsage) int {
		byName := strings.Compare(a.Owner.Agent, b.Owner.Agent)
		switch q.Order {
		case workspace.ByUpdated:
			return cmp.Or(-a.Updated.Compare(b.Updated), byName)
		case workspace.ByBytes:
			return cmp.Or(-cmp.Compare(a.Usage.Bytes, b.Usage.Bytes), byName)
		}
		return byName
	}
	for _, u := range slices.SortedFunc(slices.Values(all), compare) {
		name := u.Owner.Agent
		if strings.HasPrefix(name, q.Prefix) && strings.Contains(strings.ToLower(name), strings.ToLower(q.Part)) &&
			(q.After == nil || compare(u, *q.After) > 0) && len(found) < q.Limit {
			found = append(found, u)
		}
	}
	return found
}

// ownerQuery compares all kinds of queries with the naive answer.
func ownerQuery(t testing.TB, s workspace.Store) {
	all := queried()
	for _, u := range all {
		for _, tenant := range []string{"local", "locala", "loca"} { // the others are in no answer
			update(t, s, workspace.Owner{Tenant: tenant, Agent: u.Owner.Agent}, func(tx workspace.Tx) error {
				return tx.SaveOwner(workspace.OwnerState{Usage: u.Usage, Updated: u.Updated})
			})
		}
	}
	gone := workspace.OwnerUsage{Owner: workspace.Owner{Tenant: "local", Agent: "aa"}, Usage: workspace.Usage{Bytes: 2}, Updated: at(1)}
	afters := []*workspace.OwnerUsage{nil, &gone, {Owner: workspace.Owner{Tenant: "local"}, Usage: workspace.Usage{Bytes: 1 << 62}, Updated: at(9)}}
	for i := range all {
		afters = append(afters, &all[i])
	}
	for _, order := range []workspace.OwnersOrder{workspace.ByName, workspace.ByUpdated, workspace.ByBytes} {
		for _, part := range []struct{ prefix, part string }{
			{}, {prefix: "a"}, {prefix: "A"}, {prefix: "a_"}, {prefix: "abcd"}, {part: "ab"}, {part: "AB"}, {part: "aB-"},
			{part: "_"}, {part: "%"}, {part: "local"}, {part: "/"}, {prefix: "a", part: "B"}, {prefix: "x", part: "ab-C"},
		} {
			for i, after := range afters {
				q := workspace.OwnersQuery{Tenant: "local", Prefix: part.prefix, Part: part.part, Order: order, After: after, Limit: []int{100, 1, 4}[i%3]}
				got, err := s.Owners(t.Context(), q)
				if err != nil {
					t.Fatalf("Owners(%+v) = %v, want nil", q, err)
				}
				if diff := difference(page(all, q), got); diff != "" {
					t.Errorf("Owners(%+v), after %+v (-want +got):\n%s", q, after, diff)
				}
			}
		}
	}
	ownerPages(t, s, all)
}

// ownerPages reads all owners page by page. None comes twice, and none is missing.
func ownerPages(t testing.TB, s workspace.Store, all []workspace.OwnerUsage) {
	for _, order := range []workspace.OwnersOrder{workspace.ByName, workspace.ByUpdated, workspace.ByBytes} {
		for _, limit := range []int{1, 3, len(all)} {
			q := workspace.OwnersQuery{Tenant: "local", Order: order, Limit: limit}
			var got []workspace.OwnerUsage
			for len(got) <= len(all) {
				list, err := s.Owners(t.Context(), q)
				if err != nil {
					t.Fatalf("Owners(%+v) = %v, want nil", q, err)
				}
				if len(list) == 0 {
					break
				}
				got = append(got, list...)
				q.After = &got[len(got)-1]
			}
			equal(t, "all pages of Owners", got, page(all, workspace.OwnersQuery{Order: order, Limit: 100}))
		}
	}
}

func ownerCount(t testing.TB, s workspace.Store) {
	count := func(reads map[workspace.Owner]int64) {
		t.Helper()
		if err := s.Count(t.Context(), reads); err != nil {
			t.Fatalf("Count(%v) = %v, want nil", reads, err)
		}
	}
	count(nil)
	update(t, s, alice, fillAs("alice"))
	update(t, s, bob, fillAs("bob"))
	deleted := workspace.Owner{Tenant: "local", Agent: "deleted"}
	floor := workspace.OwnerState{FileFloor: 7, Revision: 8, Changes: 1, Updated: at(1)}
	update(t, s, deleted, func(tx workspace.Tx) error { return tx.SaveOwner(floor) })
	wantAlice, wantBob := view(t, s, alice, everything), view(t, s, bob, everything)

	nobody := workspace.Owner{Tenant: "local", Agent: "nobody"}
	other := workspace.Owner{Tenant: "other", Agent: "alice"}
	count(map[workspace.Owner]int64{alice: 3, deleted: 2, nobody: 5, other: 7})
	wantAlice.State.Operations += 3
	count(map[workspace.Owner]int64{alice: 1 << 40, bob: 1})
	wantAlice.State.Operations += 1 << 40
	wantBob.State.Operations++
	equal(t, "everything of alice after Count", view(t, s, alice, everything), wantAlice)
	equal(t, "everything of bob after Count", view(t, s, bob, everything), wantBob)
	equal(t, "the state of an owner that holds nothing after Count", view(t, s, deleted, readOwner), floor)
	for _, o := range []workspace.Owner{nobody, other} {
		equal(t, "the state of an owner that never wrote after Count", view(t, s, o, readOwner), workspace.OwnerState{})
	}
	if got := list(t, s, "local", "", 10); len(got) != 2 {
		t.Errorf("Owners after Count = %v, want alice and bob alone", got)
	}
	equal(t, "Owners of another tenant after Count", list(t, s, "other", "", 10), []workspace.OwnerUsage{})

	reads := map[workspace.Owner]int64{}
	for i := range 500 {
		o := worker(i)
		reads[o] = int64(i)
		if i%2 == 0 {
			update(t, s, o, func(tx workspace.Tx) error {
				return tx.SaveOwner(workspace.OwnerState{Usage: workspace.Usage{Files: 1}})
			})
		}
	}
	count(reads)
	for i := range 500 {
		want := workspace.OwnerState{}
		if i%2 == 0 {
			want.Usage = workspace.Usage{Files: 1, Operations: int64(i)}
		}
		equal(t, "the state of one of many owners after Count", view(t, s, worker(i), readOwner), want)
	}
}

func ownerCountUndone(t testing.TB, s workspace.Store) {
	update(t, s, alice, fillAs("alice"))
	want := view(t, s, alice, readOwner)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Count(ctx, map[workspace.Owner]int64{alice: 1, bob: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Count with a cancelled context = %v, want context.Canceled", err)
	}
	equal(t, "the state after Count with a cancelled context", view(t, s, alice, readOwner), want)
	if err := s.Close(); err != nil {
		t.Fatalf("Close = %v, want nil", err)
	}
	if err := s.Count(t.Context(), map[workspace.Owner]int64{alice: 1}); !errors.Is(err, workspace.ErrClosed) {
		t.Errorf("Count after Close = %v, want ErrClosed", err)
	}
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
	save("local", "unknown", workspace.OwnerState{LogFloor: 1, Revision: 7})
	save("other", "a", gone(1))
	for i, left := range []workspace.OwnerState{
		{Usage: workspace.Usage{Files: 1}}, {Usage: workspace.Usage{Logs: 1}}, {Usage: workspace.Usage{Entries: 1}}, {Usage: workspace.Usage{Bytes: 1}},
		{Usage: workspace.Usage{Operations: 1}}, {DeletedFiles: 1}, {DeletedLogs: 1}, {Requests: 1}, {Versions: 1}, {Changes: 1},
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
