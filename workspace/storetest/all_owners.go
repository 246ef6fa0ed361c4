package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

func allOwners(t testing.TB, s workspace.Store, after workspace.Owner, limit int) []workspace.Owner {
	t.Helper()
	owners, err := s.AllOwners(t.Context(), after, limit)
	if err != nil {
		t.Fatalf("AllOwners(%s, %d) = %v, want nil", after, limit, err)
	}
	return owners
}

// dumpOwners lists owners of several tenants, with rows of one kind each.
func dumpOwners(t testing.TB, s workspace.Store) {
	equal(t, "AllOwners of an empty store", allOwners(t, s, workspace.Owner{}, 10), []workspace.Owner(nil))
	put(t, s.System(t.Context()), "key", "v", 0)
	fns := []func(workspace.Tx) error{
		fillAs("x"), note,
		func(tx workspace.Tx) error { return tx.SaveOwner(workspace.OwnerState{FileFloor: 1}) },
		func(tx workspace.Tx) error { return tx.SaveRequest(request(1, "k")) },
		func(tx workspace.Tx) error { return write(tx, 1, "a", "x") },
	}
	all := append(neighbours(), workspace.Owner{Tenant: "-", Agent: "b"}, workspace.Owner{Tenant: "a_", Agent: "b"})
	for i, o := range all {
		update(t, s, o, fns[i%len(fns)])
	}
	gone := workspace.Owner{Tenant: "a", Agent: "gone"}
	update(t, s, gone, func(tx workspace.Tx) error { return tx.SaveOwner(workspace.OwnerState{FileFloor: 1}) })
	update(t, s, gone, func(tx workspace.Tx) error { return tx.SaveOwner(workspace.OwnerState{}) })
	view(t, s, workspace.Owner{Tenant: "a", Agent: "looked"}, readOwner)
	slices.SortFunc(all, func(a, b workspace.Owner) int { return strings.Compare(a.String(), b.String()) })
	for _, limit := range []int{1, 3, len(all), 1000} {
		var got []workspace.Owner
		for after := (workspace.Owner{}); len(got) <= len(all); after = got[len(got)-1] {
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
	for _, after := range []workspace.Owner{gone, {Tenant: "a", Agent: ""}, {Tenant: "zz", Agent: "z"}} {
		var want []workspace.Owner
		for _, o := range all {
			if o.String() > after.String() {
				want = append(want, o)
			}
		}
		equal(t, fmt.Sprintf("AllOwners after %s", after), allOwners(t, s, after, 1000), want)
	}
}
