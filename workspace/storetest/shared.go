package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A sharedCheck is a behaviour of two stores on one database.
type sharedCheck struct {
	name string
	run  func(t testing.TB, a, b store.Store)
}

var shareds = []sharedCheck{
	{"WritesAreSeen", sharedWrites},
	{"UndoneIsNotSeen", sharedUndone},
	{"NoUpdateIsLost", sharedCounter},
	{"RevisionsWithoutGaps", sharedRevisions},
	{"Watch", sharedWatch},
	{"Records", sharedRecords},
	{"Restore", sharedRestore},
	{"CloseLeavesOther", sharedClose},
}

// RunShared tests two stores that have one database open at the same time, as two
// processes do. It calls open once for each behaviour. open returns two stores on one
// database that holds nothing, and closes both in t.Cleanup. The check may have closed one
// before.
func RunShared(t *testing.T, open func(t testing.TB) (a, b store.Store)) {
	for _, c := range shareds {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, b := open(t)
			c.run(t, a, b)
		})
	}
}

// sharedWrites looks at all that one store has written with the other.
func sharedWrites(t testing.TB, a, b store.Store) {
	nothing := view(t, b, alice, everything)
	equal(t, "everything of an owner in the other store", view(t, a, alice, everything), nothing)
	for i, fn := range []func(store.Tx) error{fillAs("alice"), spoil} {
		here, there := a, b
		if i%2 == 1 {
			here, there = b, a
		}
		update(t, here, alice, fn)
		want := view(t, here, alice, everything)
		equal(t, "everything that the other store has written", view(t, there, alice, everything), want)
		var inside contents
		update(t, there, alice, func(tx store.Tx) (err error) {
			inside, err = everything(tx)
			return err
		})
		equal(t, "everything that the other store has written, in an Update", inside, want)
		equal(t, "Owners in the other store", list(t, there, "local", "", 10), list(t, here, "local", "", 10))
		equal(t, "Totals in the other store", totals(t, there, "local"), totals(t, here, "local"))
	}
	for i := range rounds(500, 100, 30, 10) {
		here, there := a, b
		if i%2 == 1 {
			here, there = b, a
		}
		text := fmt.Sprint(i)
		update(t, here, bob, func(tx store.Tx) error { return write(tx, i, "a", text) })
		if f := view(t, there, bob, readFile("a")); string(f.Current.Content) != text {
			t.Fatalf("an Update of the other store wrote %q and returned, then View gives %q", text, f.Current.Content)
		}
	}
}

func sharedUndone(t testing.TB, a, b store.Store) {
	before := filled(t, a)
	for _, want := range []error{errFn, store.ErrQuota} {
		if err := a.Update(t.Context(), alice, func(tx store.Tx) error {
			if err := spoil(tx); err != nil {
				return err
			}
			return want
		}); err != want {
			t.Errorf("Update = %v, want the function's error %v", err, want)
		}
		unchanged(t, b, "an Update of the other store that failed", before)
	}
}

// sharedCounter counts one owner's operations in Updates and Counts of both stores.
func sharedCounter(t testing.TB, a, b store.Store) {
	n := rounds(50, 25, 5, 2)
	update(t, a, alice, count)
	each(func(i int) {
		s := a
		if i%2 == 1 {
			s = b
		}
		for range n {
			var err error
			if i%4 < 2 {
				err = s.Update(t.Context(), alice, count)
			} else {
				err = s.Count(t.Context(), map[store.Owner]int64{alice: 1})
			}
			if err != nil {
				t.Errorf("Update or Count beside those of another store = %v, want nil", err)
			}
		}
	})
	for _, s := range []store.Store{a, b} {
		if got, want := view(t, s, alice, readOwner).Operations, int64(many*n+1); got != want {
			t.Errorf("two stores counted to %d together, want %d", got, want)
		}
	}
}

// sharedRevisions lets 8 writers add rows over both stores, while each store's journal is
// followed. Every row comes once, in order.
func sharedRevisions(t testing.TB, a, b store.Store) {
	const writers = 8
	n := rounds(500, 80, 20, 8)
	stores := []store.Store{a, b}
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for round := range n {
				if err := stores[i%2].Update(t.Context(), alice, func(tx store.Tx) error {
					return add(tx, round, fmt.Sprint("log-", i), "x")
				}); err != nil {
					t.Errorf("Update of one of %d writers = %v, want nil", writers, err)
				}
			}
		})
	}
	last := int64(writers * n)
	for _, s := range stores {
		all.Go(func() {
			late := time.Now().Add(6 * watchTime)
			for cursor := int64(0); cursor < last; {
				if t.Failed() || time.Now().After(late) {
					t.Errorf("a follower has come to row %d of %d", cursor, last)
					return
				}
				rows, err := try(t, s, alice, readChanges(cursor, 7))
				if err != nil {
					t.Errorf("Changes beside writers = %v, want nil", err)
					return
				}
				for _, c := range rows {
					if c.Revision != cursor+1 {
						t.Errorf("Changes after %d begins with row %d", cursor, c.Revision)
						return
					}
					cursor = c.Revision
				}
			}
		})
	}
	all.Wait()
	rows := view(t, b, alice, readChanges(0, 1<<20))
	equal(t, "the journal in the other store", view(t, a, alice, readChanges(0, 1<<20)), rows)
	entries := map[string]int64{}
	for i, c := range rows {
		if c.Revision != int64(i+1) || c.Before != entries[c.Path] || c.After != c.Before+1 {
			t.Fatalf("row %d of the journal is %+v after entry %d", i+1, c, entries[c.Path])
		}
		entries[c.Path] = c.After
	}
	if state := view(t, a, alice, readOwner); int64(len(rows)) != last || state.Revision != last ||
		state.Changes != last {
		t.Errorf("%d writers of %d leave %d rows and the state %+v", writers, n, len(rows), state)
	}
}

// sharedWatchTime is how long a store has to tell what another has written, two seconds.
// The port asks for a quarter of it. Tests of the suite shorten it with watchTime.
func sharedWatchTime() time.Duration { return watchTime / 5 }

// sharedWatch watches one store while the other writes. A machine under load may be late
// now and then, not each time.
func sharedWatch(t testing.TB, a, b store.Store) {
	told := watch(t, t.Context(), b)
	for range rounds(10, 5, 3, 2) {
		var err error
		for range 3 {
			time.Sleep(10 * time.Millisecond) // so that what was told before is over
			drain(told)
			update(t, a, alice, note)
			if err = awaitTold(told, alice, sharedWatchTime()); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatalf("a watcher of what another store wrote: %v", err)
		}
	}
	update(t, b, bob, note)
	isTold(t, told, bob)
}

func sharedRecords(t testing.TB, a, b store.Store) {
	here, there := a.System(t.Context()), b.System(t.Context())
	one := put(t, here, "k", "one", 0)
	holds(t, there, "k", "one", one)
	two := put(t, there, "k", "two", one)
	holds(t, here, "k", "two", two)
	if _, err := here.Put("k", nil, one); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Put at a revision that the other store has replaced = %v, want ErrConflict", err)
	}
	if err := here.Delete("k", one); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Delete at a revision that the other store has replaced = %v, want ErrConflict", err)
	}
	if err := here.Delete("k", two); err != nil {
		t.Errorf("Delete of what the other store has put = %v, want nil", err)
	}
	if _, err := there.Get("k"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get of what the other store has deleted = %v, want ErrNotFound", err)
	}
	revision := int64(0)
	for range rounds(200, 50, 8, 4) {
		var mu sync.Mutex // guards won
		var won []int64
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				drawn, err := []store.Store{a, b}[i%2].System(t.Context()).Put("lease", []byte("x"), revision)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, drawn)
				} else if !errors.Is(err, store.ErrConflict) {
					t.Errorf("Put beside those of another store = %v, want nil or ErrConflict", err)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			t.Fatalf("of 16 Puts of two stores at one revision %d were accepted, want 1", len(won))
		}
		revision = won[0]
		holds(t, here, "lease", "x", revision)
		holds(t, there, "lease", "x", revision)
	}
	before, err1 := here.Now()
	after, err2 := there.Now()
	if err := errors.Join(err1, err2); err != nil || after.Sub(before).Abs() > time.Minute {
		t.Errorf("Now of two stores = %v and %v, %v, want one clock", before, after, err)
	}
}

// sharedRestore restores owners with one store, and with both at once.
func sharedRestore(t testing.TB, a, b store.Store) {
	rows := sampleRows(t, a)
	restore(t, a, alice, rows)
	sameRows(t, "Dump of what the other store has restored", rowsOf(t, b, alice), rows)
	if err := b.Restore(t.Context(), alice, given(rows, nil)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Restore of what the other store has restored = %v, want ErrConflict", err)
	}
	equal(t, "AllOwners of the other store", allOwners(t, b, store.Owner{}, 10), allOwners(t, a, store.Owner{}, 10))
	for round := range rounds(100, 15, 5, 3) {
		o := store.Owner{Tenant: "both", Agent: fmt.Sprint("round-", round)}
		var errs [2]error
		var both sync.WaitGroup
		for i, s := range []store.Store{a, b} {
			both.Go(func() { errs[i] = s.Restore(t.Context(), o, given(rows, nil)) })
		}
		both.Wait()
		if errs[0] == nil {
			errs[0], errs[1] = errs[1], errs[0]
		}
		if errs[1] != nil || !errors.Is(errs[0], store.ErrConflict) {
			t.Errorf("two stores restored one owner = %v, want nil and ErrConflict", errs)
		}
		sameRows(t, "Dump of what both stores have restored", rowsOf(t, b, o), rows)
	}
}

func sharedClose(t testing.TB, a, b store.Store) {
	update(t, a, alice, fillAs("alice"))
	want := view(t, b, alice, everything)
	told := watch(t, t.Context(), b)
	if err := a.Close(); err != nil {
		t.Fatalf("Close of one of two stores = %v, want nil", err)
	}
	equal(t, "everything after Close of the other store", view(t, b, alice, everything), want)
	drain(told)
	update(t, b, bob, fillAs("bob"))
	isTold(t, told, bob)
	if got := view(t, b, bob, everything); len(got.Files) != 3 {
		t.Errorf("an Update after Close of the other store leaves %v, want its files", got.Files)
	}
	revision := put(t, b.System(t.Context()), "k", "v", 0)
	holds(t, b.System(t.Context()), "k", "v", revision)
	if _, err := try(t, a, alice, readOwner); !errors.Is(err, store.ErrClosed) {
		t.Errorf("View of the store that was closed = %v, want ErrClosed", err)
	}
}
