package storetest

import (
	"errors"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var isolation = []check{
	{"Isolation/NothingIsSeen", isolationReads},
	{"Isolation/NothingIsChanged", isolationWrites},
	{"Isolation/SamePaths", isolationSamePaths},
}

// neighbours returns owners that a careless key, prefix or pattern confuses.
func neighbours() []store.Owner {
	return []store.Owner{
		{Tenant: "a", Agent: "b"}, {Tenant: "b", Agent: "b"}, {Tenant: "b", Agent: "a"}, {Tenant: "A",
			Agent: "b"}, {Tenant: "a", Agent: "B"},
		{Tenant: "a", Agent: "bb"}, {Tenant: "ab", Agent: "b"}, {Tenant: "a", Agent: "b-"}, {Tenant: "a",
			Agent: "b_"}, {Tenant: "a", Agent: "_"},
		{Tenant: "a-", Agent: "b"}, {Tenant: "a", Agent: "-b"}, {Tenant: "local", Agent: "a"}, {Tenant: "loca",
			Agent: "la"},
		{Tenant: "local", Agent: "agent-1"}, {Tenant: "local", Agent: "agent-10"}, {Tenant: "local",
			Agent: "agent_1"}, {Tenant: "local", Agent: "agent"},
	}
}

// isolationReads lets each owner read, and then write.
func isolationReads(t testing.TB, s store.Store) {
	nothing := view(t, s, store.Owner{Tenant: "nobody", Agent: "nobody"}, everything)
	for _, o := range neighbours() {
		if diff := difference(nothing, view(t, s, o, everything)); diff != "" {
			t.Fatalf("others wrote, then %s sees (-want +got):\n%s", o, diff)
		}
		update(t, s, o, fillAs(o.String()))
	}
}

// isolationWrites lets each owner in turn change all that it can. It looks at each owner
// before its turn, when some others have had theirs, and after the turns of all.
func isolationWrites(t testing.TB, s store.Store) {
	var before []contents
	for _, o := range neighbours() {
		update(t, s, o, fillAs(o.String()))
		before = append(before, view(t, s, o, everything))
	}
	same := func(i int, o store.Owner) {
		if diff := difference(before[i], view(t, s, o, everything)); diff != "" {
			t.Fatalf("others changed what they have, then %s has (-want +got):\n%s", o, diff)
		}
	}
	for i, o := range neighbours() {
		same(i, o) // after all owners before it
		update(t, s, o, func(tx store.Tx) error {
			err := spoil(tx)
			_, err1 := tx.ForgetDeleted(store.KindFile, 100)
			_, err2 := tx.ForgetDeleted(store.KindLog, 100)
			err3 := tx.Forget(store.Old{Requests: 100, DueBefore: at(100), DueAfter: at(100)})
			return errors.Join(err, err1, err2, err3)
		})
		before[i] = view(t, s, o, everything)
	}
	for i, o := range neighbours() {
		same(i, o) // after all owners behind it
	}
}

// isolationSamePaths gives all owners the same numbers under the same names, so that their
// rows differ in the owner alone.
func isolationSamePaths(t testing.TB, s store.Store) {
	for _, o := range neighbours() {
		update(t, s, o, func(tx store.Tx) error {
			return errors.Join(write(tx, 1, "a", o.String()), add(tx, 1, "a", o.String()))
		})
	}
	for _, o := range neighbours() {
		f, l := view(t, s, o, readFile("a")), view(t, s, o, readLog("a"))
		equal(t, "the file of "+o.String(), f.Retained, []store.Version{version(1, 1, o.String())})
		equal(t, "the log of "+o.String(), l.Entries, []store.Entry{entry(1, 1, o.String())})
	}
	for _, o := range neighbours() {
		update(t, s, o, func(tx store.Tx) error { return errors.Join(remove(tx, 2, "a"), drop(tx, 2, "a")) })
		if f, l := view(t, s, o, readFile("a")), view(t, s, o, readLog("a")); len(f.Retained) != 0 ||
			len(l.Entries) != 0 {
			t.Errorf("%s deleted its file and its log and has %v and %v, want none", o, f.Retained, l.Entries)
		}
	}
}
