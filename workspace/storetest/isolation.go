package storetest

import (
	"errors"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

var isolation = []check{
	{"Isolation/NothingIsSeen", isolationReads},
	{"Isolation/NothingIsChanged", isolationWrites},
	{"Isolation/SamePaths", isolationSamePaths},
}

// neighbours returns owners that a careless key, prefix or pattern confuses.
func neighbours() []workspace.Owner {
	return []workspace.Owner{
		{Tenant: "a", Agent: "b"}, {Tenant: "b", Agent: "b"}, {Tenant: "b", Agent: "a"}, {Tenant: "A", Agent: "b"}, {Tenant: "a", Agent: "B"},
		{Tenant: "a", Agent: "bb"}, {Tenant: "ab", Agent: "b"}, {Tenant: "a", Agent: "b-"}, {Tenant: "a", Agent: "b_"}, {Tenant: "a", Agent: "_"},
		{Tenant: "a-", Agent: "b"}, {Tenant: "a", Agent: "-b"}, {Tenant: "local", Agent: "a"}, {Tenant: "loca", Agent: "la"},
		{Tenant: "local", Agent: "agent-1"}, {Tenant: "local", Agent: "agent-10"}, {Tenant: "local", Agent: "agent_1"}, {Tenant: "local", Agent: "agent"},
	}
}

// isolationReads lets one owner write, and all others read.
func isolationReads(t testing.TB, s workspace.Store) {
	nothing := view(t, s, workspace.Owner{Tenant: "nobody", Agent: "nobody"}, everything)
	for i, o := range neighbours() {
		update(t, s, o, fillAs(o.String()))
		for _, other := range neighbours()[i+1:] {
			if diff := difference(nothing, view(t, s, other, everything)); diff != "" {
				t.Fatalf("%s wrote, then %s sees (-want +got):\n%s", o, other, diff)
			}
		}
	}
}

// isolationWrites lets each owner in turn change all that it can, and looks at all others.
func isolationWrites(t testing.TB, s workspace.Store) {
	var before []contents
	for _, o := range neighbours() {
		update(t, s, o, fillAs(o.String()))
		before = append(before, view(t, s, o, everything))
	}
	for i, o := range neighbours() {
		update(t, s, o, func(tx workspace.Tx) error {
			err := spoil(tx)
			_, err1 := tx.FoldFiles(100)
			_, err2 := tx.FoldLogs(100)
			err3 := tx.DropRequests(at(100), at(100), 100)
			return errors.Join(err, err1, err2, err3)
		})
		before[i] = view(t, s, o, everything)
		for j, other := range neighbours() {
			if diff := difference(before[j], view(t, s, other, everything)); diff != "" {
				t.Fatalf("%s changed what it has, then %s has (-want +got):\n%s", o, other, diff)
			}
		}
	}
}

// isolationSamePaths gives all owners the same numbers under the same names, so that their
// rows differ in the owner alone.
func isolationSamePaths(t testing.TB, s workspace.Store) {
	for _, o := range neighbours() {
		update(t, s, o, func(tx workspace.Tx) error {
			return errors.Join(write(tx, 1, "a", o.String()), add(tx, 1, "a", o.String()))
		})
	}
	for _, o := range neighbours() {
		f, l := view(t, s, o, readFile("a")), view(t, s, o, readLog("a"))
		equal(t, "the file of "+o.String(), f.Retained, []workspace.Version{version(1, 1, o.String())})
		equal(t, "the log of "+o.String(), l.Entries, []workspace.Entry{entry(1, 1, o.String())})
	}
	for _, o := range neighbours() {
		update(t, s, o, func(tx workspace.Tx) error { return errors.Join(remove(tx, 2, "a"), drop(tx, 2, "a")) })
		if f, l := view(t, s, o, readFile("a")), view(t, s, o, readLog("a")); len(f.Retained) != 0 || len(l.Entries) != 0 {
			t.Errorf("%s deleted its file and its log and has %v and %v, want none", o, f.Retained, l.Entries)
		}
	}
}
