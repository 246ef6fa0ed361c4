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

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var owners = []check{
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

func readOwner(r store.Reader) (store.OwnerState, error) { return r.Owner() }

// list returns a page of Owners.
func list(t testing.TB, s store.Store, tenant, after string, limit int) []store.OwnerUsage {
	t.Helper()
	q := store.OwnersQuery{Tenant: tenant, Limit: limit}
	if after != "" {
		q.After = &store.OwnerUsage{Owner: store.Owner{Tenant: tenant, Agent: after}}
	}
	got, err := s.Owners(t.Context(), q)
	if err != nil {
		t.Fatalf("Owners(%q, %q, %d) = %v", tenant, after, limit, err)
	}
	return got.Owners
}

func ownerSaved(t testing.TB, s store.Store) {
	one := store.OwnerState{
		Usage:     store.Usage{Files: 1, Logs: 2, Entries: 3, Bytes: 4, Operations: 5},
		FileFloor: 6, LogFloor: 7, DeletedFiles: 8, DeletedLogs: 9, Requests: 10,
		Versions: 11, Revision: 12, Changes: 13, Updated: at(14),
	}
	two := store.OwnerState{Usage: store.Usage{Operations: 1}}
	for _, state := range []store.OwnerState{one, two} {
		update(t, s, alice, func(tx store.Tx) error { return tx.Apply(state) })
		equal(t, "SaveOwner then Owner", view(t, s, alice, readOwner), state)
		equal(t, "SaveOwner then Owners", list(t, s, "local", "", 10),
			[]store.OwnerUsage{{Owner: alice, Usage: state.Usage, Updated: state.Updated}})
	}
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(store.OwnerState{}) })
	equal(t, "SaveOwner of the zero state then Owner", view(t, s, alice, readOwner), store.OwnerState{})
	equal(t, "SaveOwner of the zero state then Owners", list(t, s, "local", "", 10), []store.OwnerUsage{})
	for _, given := range times() {
		update(t, s, alice, func(tx store.Tx) error {
			return tx.Apply(store.OwnerState{FileFloor: 1, Updated: given})
		})
		sameTime(t, "Updated of an owner", view(t, s, alice, readOwner).Updated, given)
	}
	update(t, s, alice, fillAs("alice"))
	want := view(t, s, alice, readOwner)
	equal(t, "Owners of one that has much", list(t, s, "local", "", 10),
		[]store.OwnerUsage{{Owner: alice, Usage: want.Usage, Updated: want.Updated}})
}

func fillAs(tag string) func(store.Tx) error {
	return func(tx store.Tx) error { return fill(tx, tag) }
}

func ownerList(t testing.TB, s store.Store) {
	names := []string{"a", "A", "aB", "a-", "a_", "a0", "ab", "B", "b", "_", "-", "0", "9", "z", "Z"}
	for i, name := range names {
		update(t, s, store.Owner{Tenant: "local", Agent: name}, func(tx store.Tx) error {
			return tx.Apply(store.OwnerState{Usage: store.Usage{Bytes: int64(i + 1)}})
		})
	}
	usage := func(name string) store.OwnerUsage {
		return store.OwnerUsage{
			Owner: store.Owner{Tenant: "local", Agent: name},
			Usage: store.Usage{Bytes: int64(slices.Index(names, name) + 1)},
		}
	}
	sorted := slices.Sorted(slices.Values(names))
	for _, after := range append([]string{"", "AA", "aa", "zz", "~"}, names...) {
		for _, limit := range []int{1, 4, 100} {
			var want []store.OwnerUsage
			for _, name := range sorted {
				if name > after && len(want) < limit {
					want = append(want, usage(name))
				}
			}
			equal(t, "Owners after "+after, list(t, s, "local", after, limit), want)
		}
	}
}

func ownerTenants(t testing.TB, s store.Store) {
	tenants := []string{"t", "t1", "t-1", "t_1", "tx1", "T", "loca", "local"}
	for i, tenant := range tenants {
		update(t, s, store.Owner{Tenant: tenant, Agent: "same"}, func(tx store.Tx) error {
			return tx.Apply(store.OwnerState{Usage: store.Usage{Files: int64(i + 1)}})
		})
	}
	for i, tenant := range tenants {
		equal(t, "Owners of tenant "+tenant, list(t, s, tenant, "", 10), []store.OwnerUsage{{
			Owner: store.Owner{Tenant: tenant, Agent: "same"}, Usage: store.Usage{Files: int64(i + 1)},
		}})
	}
	equal(t, "Owners of a tenant that has none", list(t, s, "none", "", 10), []store.OwnerUsage{})
}

func ownerEmpty(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.OwnerState{FileFloor: 7, DeletedFiles: 1}) // no usage
	})
	err := s.Update(t.Context(), bob, func(tx store.Tx) error {
		return errors.Join(fill(tx, "bob"), errFn)
	})
	if !errors.Is(err, errFn) {
		t.Fatalf("Update = %v, want the function's error", err)
	}
	equal(t, "Owners, all without usage", list(t, s, "local", "", 10), []store.OwnerUsage{})
	update(t, s, alice, func(tx store.Tx) error { return write(tx, 1, "a", "x") })
	if got := list(t, s, "local", "", 1); len(got) != 1 || got[0].Owner != alice {
		t.Errorf("Owners = %v, want alice, who wrote", got)
	}
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(store.OwnerState{FileFloor: 7}) })
	equal(t, "Owners, the usage gone again", list(t, s, "local", "", 10), []store.OwnerUsage{})
}

// queried are owners with ties in bytes and in the time of the last write.
func queried() (all []store.OwnerUsage) {
	for i, name := range []string{"a", "A", "aB", "a-", "a_", "a0", "ab", "abc", "B", "b", "_", "-", "0", "Zab",
		"xAB-c", "local", "z"} {
		u := store.OwnerUsage{Owner: store.Owner{Tenant: "local", Agent: name},
			Usage: store.Usage{Bytes: int64(i % 4), Operations: 1}}
		if i%5 > 0 {
			u.Updated = at(i % 3).Add(time.Duration(i%2) * time.Microsecond)
		}
		all = append(all, u)
	}
	return all
}

// page returns what a query answers, the naive way.
func page(all []store.OwnerUsage, q store.OwnersQuery) (found []store.OwnerUsage) {
	compare := func(a, b store.OwnerUsage) int {
		byName := strings.Compare(a.Owner.Agent, b.Owner.Agent)
		switch q.Order {
		case store.ByUpdated:
			return cmp.Or(-a.Updated.Compare(b.Updated), byName)
		case store.ByBytes:
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
func ownerQuery(t testing.TB, s store.Store) {
	all := queried()
	for _, u := range all {
		for _, tenant := range []string{"local", "locala", "loca"} { // the others are in no answer
			update(t, s, store.Owner{Tenant: tenant, Agent: u.Owner.Agent}, func(tx store.Tx) error {
				return tx.Apply(store.OwnerState{Usage: u.Usage, Updated: u.Updated})
			})
		}
	}
	gone := store.OwnerUsage{Owner: store.Owner{Tenant: "local", Agent: "aa"}, Usage: store.Usage{Bytes: 2},
		Updated: at(1)}
	afters := []*store.OwnerUsage{nil, &gone, {Owner: store.Owner{Tenant: "local"}, Usage: store.Usage{Bytes: 1 << 62},
		Updated: at(9)}}
	for i := range all {
		afters = append(afters, &all[i])
	}
	for _, order := range []store.OwnersOrder{store.ByName, store.ByUpdated, store.ByBytes} {
		for _, part := range []struct{ prefix, part string }{
			{}, {prefix: "a"}, {prefix: "A"}, {prefix: "a_"}, {prefix: "abcd"}, {part: "ab"}, {part: "AB"},
			{part: "aB-"},
			{part: "_"}, {part: "%"}, {part: "local"}, {part: "/"}, {prefix: "a", part: "B"}, {prefix: "x",
				part: "ab-C"},
		} {
			for i, after := range afters {
				q := store.OwnersQuery{Tenant: "local", Prefix: part.prefix, Part: part.part, Order: order,
					After: after, Limit: []int{100, 1, 4}[i%3]}
				got, err := s.Owners(t.Context(), q)
				if err != nil {
					t.Fatalf("Owners(%+v) = %v, want nil", q, err)
				}
				if diff := difference(page(all, q), got.Owners); diff != "" {
					t.Errorf("Owners(%+v), after %+v (-want +got):\n%s", q, after, diff)
				}
			}
		}
	}
	ownerPages(t, s, all)
}

// ownerPages reads all owners page by page. None comes twice, and none is missing.
func ownerPages(t testing.TB, s store.Store, all []store.OwnerUsage) {
	for _, order := range []store.OwnersOrder{store.ByName, store.ByUpdated, store.ByBytes} {
		for _, limit := range []int{1, 3, len(all)} {
			q := store.OwnersQuery{Tenant: "local", Order: order, Limit: limit}
			var got []store.OwnerUsage
			for len(got) <= len(all) {
				list, err := s.Owners(t.Context(), q)
				if err != nil {
					t.Fatalf("Owners(%+v) = %v, want nil", q, err)
				}
				if len(list.Owners) == 0 {
					break
				}
				got = append(got, list.Owners...)
				q.After = &got[len(got)-1]
			}
			equal(t, "all pages of Owners", got, page(all, store.OwnersQuery{Order: order, Limit: 100}))
		}
	}
}

func ownerCount(t testing.TB, s store.Store) {
	count := func(reads map[store.Owner]int64) {
		t.Helper()
		if err := s.Count(t.Context(), reads); err != nil {
			t.Fatalf("Count(%v) = %v, want nil", reads, err)
		}
	}
	count(nil)
	update(t, s, alice, fillAs("alice"))
	update(t, s, bob, fillAs("bob"))
	deleted := store.Owner{Tenant: "local", Agent: "deleted"}
	floor := store.OwnerState{FileFloor: 7, Revision: 8, Changes: 1, Updated: at(1)}
	update(t, s, deleted, func(tx store.Tx) error { return tx.Apply(floor) })
	wantAlice, wantBob := view(t, s, alice, everything), view(t, s, bob, everything)

	nobody := store.Owner{Tenant: "local", Agent: "nobody"}
	other := store.Owner{Tenant: "other", Agent: "alice"}
	count(map[store.Owner]int64{alice: 3, deleted: 2, nobody: 5, other: 7})
	wantAlice.State.Operations += 3
	count(map[store.Owner]int64{alice: 1 << 40, bob: 1})
	wantAlice.State.Operations += 1 << 40
	wantBob.State.Operations++
	equal(t, "everything of alice after Count", view(t, s, alice, everything), wantAlice)
	equal(t, "everything of bob after Count", view(t, s, bob, everything), wantBob)
	equal(t, "the state of an owner that holds nothing after Count", view(t, s, deleted, readOwner), floor)
	for _, o := range []store.Owner{nobody, other} {
		equal(t, "the state of an owner that never wrote after Count", view(t, s, o, readOwner), store.OwnerState{})
	}
	if got := list(t, s, "local", "", 10); len(got) != 2 {
		t.Errorf("Owners after Count = %v, want alice and bob alone", got)
	}
	equal(t, "Owners of another tenant after Count", list(t, s, "other", "", 10), []store.OwnerUsage{})

	reads := map[store.Owner]int64{}
	for i := range 500 {
		o := worker(i)
		reads[o] = int64(i)
		if i%2 == 0 {
			update(t, s, o, func(tx store.Tx) error {
				return tx.Apply(store.OwnerState{Usage: store.Usage{Files: 1}})
			})
		}
	}
	count(reads)
	for i := range 500 {
		want := store.OwnerState{}
		if i%2 == 0 {
			want.Usage = store.Usage{Files: 1, Operations: int64(i)}
		}
		equal(t, "the state of one of many owners after Count", view(t, s, worker(i), readOwner), want)
	}
}

func ownerCountUndone(t testing.TB, s store.Store) {
	update(t, s, alice, fillAs("alice"))
	want := view(t, s, alice, readOwner)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Count(ctx, map[store.Owner]int64{alice: 1, bob: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Count with a cancelled context = %v, want context.Canceled", err)
	}
	equal(t, "the state after Count with a cancelled context", view(t, s, alice, readOwner), want)
	if err := s.Close(); err != nil {
		t.Fatalf("Close = %v, want nil", err)
	}
	if err := s.Count(t.Context(), map[store.Owner]int64{alice: 1}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Count after Close = %v, want ErrClosed", err)
	}
}

func totals(t testing.TB, s store.Store, tenant string) store.Totals {
	t.Helper()
	got, err := s.Owners(t.Context(), store.OwnersQuery{Which: store.OwnerTotals, Tenant: tenant})
	if err != nil || len(got.Owners) > 0 {
		t.Fatalf("OwnerTotals of %q = %+v, %v, want no list and no error", tenant, got, err)
	}
	return got.Totals
}

func ownerTotals(t testing.TB, s store.Store) {
	equal(t, "Totals of a store that holds nothing", totals(t, s, "local"), store.Totals{})
	save := func(tenant, agent string, state store.OwnerState) {
		update(t, s, store.Owner{Tenant: tenant, Agent: agent}, func(tx store.Tx) error { return tx.Apply(state) })
	}
	save("local", "a", store.OwnerState{
		Usage: store.Usage{Files: 1, Logs: 2, Entries: 3, Bytes: 1 << 40, Operations: 5}, Versions: 6, Requests: 7,
		FileFloor: 1 << 50, LogFloor: 1 << 50, DeletedFiles: 9, DeletedLogs: 9,
	})
	save("local", "b", store.OwnerState{Usage: store.Usage{Files: 10, Logs: 20, Entries: 30, Bytes: 40, Operations: 50},
		Versions: 60, Requests: 70})
	save("local", "counted", store.OwnerState{Usage: store.Usage{Operations: 1}})
	save("local", "gone", store.OwnerState{FileFloor: 7})
	save("locals", "a", store.OwnerState{Usage: store.Usage{Files: 1000, Bytes: 1000}})
	want := store.Totals{Agents: 3, Files: 11, Logs: 22, Entries: 33, Bytes: 1<<40 + 40, Versions: 66, Requests: 77}
	equal(t, "Totals of three that hold something", totals(t, s, "local"), want)
	equal(t, "Totals of another tenant", totals(t, s, "locals"), store.Totals{Agents: 1, Files: 1000, Bytes: 1000})

	save("local", "b", store.OwnerState{})
	want = store.Totals{Agents: 2, Files: 1, Logs: 2, Entries: 3, Bytes: 1 << 40, Versions: 6, Requests: 7}
	equal(t, "Totals after one was removed", totals(t, s, "local"), want)
	if err := s.Update(t.Context(), bob, func(tx store.Tx) error {
		return errors.Join(tx.Apply(store.OwnerState{Usage: store.Usage{Files: 1}}), errFn)
	}); !errors.Is(err, errFn) {
		t.Errorf("Update = %v, want the function's error", err)
	}
	equal(t, "Totals after an Update that failed", totals(t, s, "local"), want)
}

func ownerDeleted(t testing.TB, s store.Store) {
	save := func(tenant, agent string, state store.OwnerState) {
		update(t, s, store.Owner{Tenant: tenant, Agent: agent}, func(tx store.Tx) error { return tx.Apply(state) })
	}
	deleted := func(from, to time.Time, limit int, want ...string) {
		t.Helper()
		got, err := s.Owners(t.Context(), store.OwnersQuery{Which: store.DeletedOwners, Tenant: "local",
			UpdatedBefore: from, UpdatedAfter: to, Limit: limit})
		var names []string
		for _, u := range got.Owners {
			names = append(names, u.Owner.String())
			equal(t, "what DeletedOwners say of an owner", u, store.OwnerUsage{Owner: u.Owner})
		}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("DeletedOwners of before %v or after %v, at most %d = %v, %v, want %v", from, to, limit, names,
				err, want)
		}
	}
	gone := func(i int) store.OwnerState { return store.OwnerState{FileFloor: 7, Updated: at(i)} }
	deleted(at(100), at(100), 10)
	for i, name := range []string{"d", "a", "c", "b"} { // deleted at 1, 2, 3, 4
		save("local", name, gone(i+1))
	}
	save("local", "unknown", store.OwnerState{LogFloor: 1, Revision: 7})
	save("other", "a", gone(1))
	for i, left := range []store.OwnerState{
		{Usage: store.Usage{Files: 1}}, {Usage: store.Usage{Logs: 1}}, {Usage: store.Usage{Entries: 1}},
		{Usage: store.Usage{Bytes: 1}},
		{Usage: store.Usage{Operations: 1}}, {DeletedFiles: 1}, {DeletedLogs: 1}, {Requests: 1}, {Versions: 1},
		{Changes: 1},
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
	save("local", "unknown", store.OwnerState{})
	save("local", "d", gone(3))
	deleted(at(3), at(5), 10, "local/a")
	deleted(at(3), at(5), 0)
}
