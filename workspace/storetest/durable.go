package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A durableCheck is a behaviour of a store that is opened several times.
type durableCheck struct {
	name string
	run  func(t testing.TB, s store.Store, reopen func() store.Store)
}

var durables = []durableCheck{
	{"Everything", durableEverything},
	{"UndoneStaysUndone", durableUndone},
	{"NumbersGoOn", durableNumbers},
	{"ManyOpenings", durableOpenings},
	{"Restored", durableRestored},
}

// RunDurable tests that a store that is opened again holds what it held before. It calls
// open once for each behaviour. open returns a store that holds nothing, and a function
// that opens the same store again. That function is called only after Close. Both close
// their store in t.Cleanup. The check may have closed it before.
func RunDurable(t *testing.T, open func(t testing.TB) (s store.Store, reopen func() store.Store)) {
	for _, c := range durables {
		t.Run(c.name, func(t *testing.T) {
			s, reopen := open(t)
			c.run(t, s, reopen)
		})
	}
}

// again closes the store and opens it again.
func again(t testing.TB, s store.Store, reopen func() store.Store) store.Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("Close = %v, want nil", err)
	}
	return reopen()
}

// fillOdd gives an owner the odd contents, authors and times of the other checks.
func fillOdd(tx store.Tx) error {
	for _, c := range texts() {
		if err := errors.Join(write(tx, 1, c.name, c.text), add(tx, 1, c.name, c.text)); err != nil {
			return err
		}
	}
	for i, a := range authors() {
		v, path := version(1, i, "x"), fmt.Sprint("author-", i)
		v.Author = a
		if err := tx.Apply(store.FileChange{Head: store.FileHead{Path: path, Version: 1, Sizes: []int64{1}},
			New: &v}); err != nil {
			return err
		}
	}
	for i, given := range times() {
		path := fmt.Sprint("time-", i)
		e := entry(1, 1, "x")
		e.Time = given
		if err := errors.Join(
			tx.Apply(store.LogChange{
				Head: store.LogHead{Path: path, First: 1, Last: 1, Created: given,
					Updated: given}, New: []store.Entry{e},
			}),
			tx.Apply(store.Request{Key: path, Time: given}),
		); err != nil {
			return err
		}
	}
	return tx.Apply(store.OwnerState{Usage: store.Usage{Bytes: 1<<62 + 1}, FileFloor: 1, LogFloor: 2, Requests: 3})
}

// oddities returns what fillOdd has made.
func oddities(r store.Reader) (contents, error) {
	var paths, keys []string
	for _, c := range texts() {
		paths = append(paths, c.name)
	}
	for i := range authors() {
		paths = append(paths, fmt.Sprint("author-", i))
	}
	for i := range times() {
		paths, keys = append(paths, fmt.Sprint("time-", i)), append(keys, fmt.Sprint("time-", i))
	}
	return contentsOf(r, paths, keys)
}

func durableEverything(t testing.TB, s store.Store, reopen func() store.Store) {
	odd := store.Owner{Tenant: "local", Agent: "odd"}
	update(t, s, alice, fillAs("alice"))
	update(t, s, bob, fillAs("bob"))
	update(t, s, bob, spoil)
	update(t, s, odd, fillOdd)
	records := s.System(t.Context())
	kept := put(t, records, "kept", "value\x00", 0)
	gone := put(t, records, "gone", "value", 0)
	if err := records.Delete("gone", gone); err != nil {
		t.Fatalf("Delete = %v, want nil", err)
	}
	before, err := records.Get("kept")
	if err != nil {
		t.Fatalf("Get = %v, want nil", err)
	}
	wantAlice, wantBob, wantOdd := view(t, s, alice, everything), view(t, s, bob, everything), view(t, s, odd, oddities)
	wantList := list(t, s, "local", "", 10)

	s = again(t, s, reopen)
	equal(t, "everything of alice in the store opened again", view(t, s, alice, everything), wantAlice)
	equal(t, "everything of bob in the store opened again", view(t, s, bob, everything), wantBob)
	equal(t, "all the odd things in the store opened again", view(t, s, odd, oddities), wantOdd)
	equal(t, "Owners of the store opened again", list(t, s, "local", "", 10), wantList)
	records = s.System(t.Context())
	holds(t, records, "kept", "value\x00", kept)
	after, err := records.Get("kept")
	if err != nil || after.Updated != before.Updated {
		t.Errorf("Get of a record in the store opened again = %+v, %v, want %+v", after, err, before)
	}
	if _, err := records.Get("gone"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get of a deleted record in the store opened again = %v, want ErrNotFound", err)
	}
	if _, err := records.Put("kept", nil, gone); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Put at another's revision in the store opened again = %v, want ErrConflict", err)
	}
}

func durableUndone(t testing.TB, s store.Store, reopen func() store.Store) {
	before := filled(t, s)
	if err := s.Update(t.Context(), alice, func(tx store.Tx) error {
		return errors.Join(spoil(tx), errFn)
	}); !errors.Is(err, errFn) {
		t.Errorf("Update = %v, want the function's error", err)
	}
	if panicked(func() {
		s.Update(t.Context(), alice, func(tx store.Tx) error { panic(errors.Join(spoil(tx), errFn)) })
	}) == nil {
		t.Error("Update of a function that panics did not")
	}
	s = again(t, s, reopen)
	unchanged(t, s, "Updates that failed before the store was opened again", before)
}

func durableNumbers(t testing.TB, s store.Store, reopen func() store.Store) {
	update(t, s, alice, fillAs("alice"))
	s = again(t, s, reopen)
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(
			write(tx, 30, "plan.md", "next"), write(tx, 31, "gone", "next"),
			add(tx, 32, "plan.md", "next"), add(tx, 33, "gone", "next"))
	})
	if p, g := view(t, s, alice, readFile("plan.md")), view(t, s, alice, readFile("gone")); p.Current.Number != 5 ||
		g.Current.Number != 2 {
		t.Errorf("the next versions in the store opened again are %d and %d, want 5 and 2", p.Current.Number,
			g.Current.Number)
	}
	if p, g := view(t, s, alice, readLog("plan.md")), view(t, s, alice, readLog("gone")); p.Head.Last != 4 ||
		g.Head.Last != 3 {
		t.Errorf("the next entries in the store opened again are %d and %d, want 4 and 3", p.Head.Last, g.Head.Last)
	}
}

func durableOpenings(t testing.TB, s store.Store, reopen func() store.Store) {
	for i := range 10 {
		update(t, s, alice, func(tx store.Tx) error { return add(tx, i, "a", fmt.Sprint(i)) })
		s = again(t, s, reopen)
		entries := view(t, s, alice, readEntries("a", store.EntryQuery{}))
		if len(entries) != i+1 || string(entries[i].Content) != fmt.Sprint(i) {
			t.Fatalf("after %d openings the log has %d entries %v, want %d", i+1, len(entries), entries, i+1)
		}
	}
}

func durableRestored(t testing.TB, s store.Store, reopen func() store.Store) {
	rows := sampleRows(t, s)
	restore(t, s, alice, rows)
	record := store.Record{Key: "k", Value: []byte("v"), Revision: 1<<62 + 1, Updated: at(1)}
	if err := s.System(t.Context()).Restore(record); err != nil {
		t.Fatalf("Restore of a record = %v, want nil", err)
	}
	if err := s.Restore(t.Context(), bob, given(rows, errFn)); err != errFn {
		t.Errorf("Restore whose rows fail = %v, want their error", err)
	}
	s = again(t, s, reopen)
	sameRows(t, "Dump in the store opened again", rowsOf(t, s, alice), rows)
	nothingOf(t, s, bob, "a Restore that failed before the store was opened again")
	got, err := s.System(t.Context()).Get("k")
	if err != nil {
		t.Errorf("Get of a restored record = %v, want nil", err)
	}
	equal(t, "a restored record in the store opened again", got, record)
}
