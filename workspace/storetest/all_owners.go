package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func allOwners(t testing.TB, s store.Store, after store.Owner, limit int) []store.Owner {
	t.Helper()
	q := store.OwnersQuery{Which: store.AllOwners, Limit: limit}
	if after != (store.Owner{}) {
		q.After = &store.OwnerUsage{Owner: after}
	}
	l, err := s.Owners(t.Context(), q)
	if err != nil {
		t.Fatalf("AllOwners after %s, at most %d = %v, want nil", after, limit, err)
	}
	var owners []store.Owner
	for _, u := range l.Owners {
		equal(t, "what AllOwners say of an owner", u, store.OwnerUsage{Owner: u.Owner})
		owners = append(owners, u.Owner)
	}
	return owners
}

// dumpOwners lists owners of several tenants, with rows of one kind each.
func dumpOwners(t testing.TB, s store.Store) {
	equal(t, "AllOwners of an empty store", allOwners(t, s, store.Owner{}, 10), []store.Owner(nil))
	put(t, s.System(t.Context()), "key", "v", 0)
	fns := []func(store.Tx) error{
		fillAs("x"), note,
		func(tx store.Tx) error { return tx.Apply(store.OwnerState{FileFloor: 1}) },
		func(tx store.Tx) error { return tx.Apply(request(1, "k")) },
		func(tx store.Tx) error { return write(tx, 1, "a", "x") },
	}
	all := append(neighbours(), store.Owner{Tenant: "-", Agent: "b"}, store.Owner{Tenant: "a_", Agent: "b"})
	for i, o := range all {
		update(t, s, o, fns[i%len(fns)])
	}
	gone := store.Owner{Tenant: "a", Agent: "gone"}
	update(t, s, gone, func(tx store.Tx) error { return tx.Apply(store.OwnerState{FileFloor: 1}) })
	update(t, s, gone, func(tx store.Tx) error { return tx.Apply(store.OwnerState{}) })
	view(t, s, store.Owner{Tenant: "a", Agent: "looked"}, readOwner)
	slices.SortFunc(all, func(a, b store.Owner) int { return strings.Compare(a.String(), b.String()) })
	for _, limit := range []int{1, 3, len(all), 1000} {
		var got []store.Owner
		for after := (store.Owner{}); len(got) <= len(all); after = got[len(got)-1] {
			page := allOwners(t, s, after, limit)
			if len(page) > limit {
				t.Errorf("AllOwners gives %d owners, want at most %d", len(page), limit)
			}
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
		}
		equal(t, fmt.Sprintf("AllOwners in pages of %d", limit), got, all)
	}
	for _, after := range []store.Owner{gone, {Tenant: "a", Agent: ""}, {Tenant: "zz", Agent: "z"}} {
		var want []store.Owner
		for _, o := range all {
			if o.String() > after.String() {
				want = append(want, o)
			}
		}
		equal(t, fmt.Sprintf("AllOwners after %s", after), allOwners(t, s, after, 1000), want)
	}
}
