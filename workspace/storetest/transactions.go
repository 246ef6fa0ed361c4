package storetest

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var transactions = []check{
	{"Transactions/OwnWritesAreRead", txOwnWrites},
	{"Transactions/Many", txMany},
	{"Transactions/Error", txError},
	{"Transactions/ErrorOfView", txViewError},
	{"Transactions/Panic", txPanic},
	{"Transactions/PanicInView", txViewPanic},
	{"Transactions/Goexit", txGoexit},
	{"Transactions/GoexitInView", txViewGoexit},
	{"Transactions/FirstIsUndone", txFirstUndone},
	{"Transactions/Closed", txClosed},
	{"Transactions/CloseWaits", txCloseWaits},
}

var errFn = errors.New("the function's own error")

// txOwnWrites compares what a transaction sees of its own changes with what a View sees
// after it.
func txOwnWrites(t testing.TB, s store.Store) {
	var filled, spoiled contents
	update(t, s, alice, func(tx store.Tx) (err error) {
		if err := fill(tx, "alice"); err != nil {
			return err
		}
		if filled, err = everything(tx); err != nil {
			return err
		}
		if err := spoil(tx); err != nil {
			return err
		}
		spoiled, err = everything(tx)
		return err
	})
	equal(t, "what a View sees, beside what the Update saw at its end", view(t, s, alice, everything), spoiled)
	update(t, s, bob, fillAs("alice"))
	equal(t, "what a View sees, beside what an Update saw of the same writes", view(t, s, bob, everything), filled)
	if len(filled.Files) != 3 || len(filled.Logs) != 2 || len(filled.Requests) != 2 || filled.State.DeletedFiles != 2 {
		t.Errorf("an Update saw of its own writes %+v, want 3 files, 2 logs, 2 requests and 2 deleted files", filled)
	}
	equal(t, "the current plan.md that an Update saw", filled.File[0].Current, version(4, 4, "alice 4444"))
	equal(t, "the log that an Update saw", filled.Log[0].Entries, []store.Entry{
		entry(1, 11, "alice first"), entry(2, 11, "alice second\x00"), entry(3, 11, ""),
	})
	equal(t, "the new plan.md that an Update saw", spoiled.File[0].Current, version(5, 20, "spoiled"))
}

// txMany makes many changes in one transaction.
func txMany(t testing.TB, s store.Store) {
	const n = 300
	update(t, s, alice, func(tx store.Tx) error {
		for i := range n {
			path := fmt.Sprintf("f/%03d", i)
			if err := errors.Join(write(tx, i, path, path), add(tx, i, "log", path)); err != nil {
				return err
			}
		}
		return nil
	})
	heads := filesOf(t, s, alice, "f/", 1000)
	entries := view(t, s, alice, readEntries("log", store.EntryQuery{}))
	if len(heads) != n || len(entries) != n {
		t.Errorf("an Update of %d files and entries, then Files gives %d and Entries %d", n, len(heads), len(entries))
	}
}

// unchanged tests that an Update that did not succeed has changed nothing, and that the
// store still works.
func unchanged(t testing.TB, s store.Store, what string, before contents) {
	t.Helper()
	equal(t, "everything after "+what, view(t, s, alice, everything), before)
	update(t, s, alice, func(tx store.Tx) error { return write(silent{tx}, 30, "after", "x") })
	if f := view(t, s, alice, readFile("after")); string(f.Current.Content) != "x" {
		t.Errorf("the Update after %s left %+v, want its write", what, f)
	}
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(remove(silent{tx}, 31, "after"), tx.Apply(before.State))
	})
	equal(t, "everything after the Update after "+what, view(t, s, alice, everything), before)
}

// filled gives alice some of everything, and returns it.
func filled(t testing.TB, s store.Store) contents {
	t.Helper()
	update(t, s, alice, fillAs("alice"))
	return view(t, s, alice, everything)
}

func txError(t testing.TB, s store.Store) {
	before := filled(t, s)
	for _, want := range []error{errFn, fmt.Errorf("wrapped: %w", store.ErrQuota),
		errors.Join(errFn, store.ErrConflict)} {
		err := s.Update(t.Context(), alice, func(tx store.Tx) error {
			if err := spoil(tx); err != nil {
				return fmt.Errorf("spoil: %v", err)
			}
			return want
		})
		if err != want {
			t.Errorf("Update = %v, want the function's error as it is: %v", err, want)
		}
		unchanged(t, s, "an Update whose function returned an error", before)
	}
}

func txViewError(t testing.TB, s store.Store) {
	before := filled(t, s)
	for _, want := range []error{errFn, fmt.Errorf("wrapped: %w", store.ErrNotFound)} {
		if err := s.View(t.Context(), alice, func(store.Reader) error { return want }); err != want {
			t.Errorf("View = %v, want the function's error as it is: %v", err, want)
		}
	}
	unchanged(t, s, "a View whose function returned an error", before)
}

// panicked returns what fn panics with.
func panicked(fn func()) (value any) {
	defer func() { value = recover() }()
	fn()
	return nil
}

func txPanic(t testing.TB, s store.Store) {
	before := filled(t, s)
	for _, want := range []any{"text", errFn, new(int)} {
		got := panicked(func() {
			s.Update(t.Context(), alice, func(tx store.Tx) error {
				if err := spoil(tx); err != nil {
					return err
				}
				panic(want)
			})
		})
		if got != want {
			t.Errorf("Update of a function that panics with %v: the caller recovers %v", want, got)
		}
		unchanged(t, s, "an Update whose function panicked", before)
	}
}

func txViewPanic(t testing.TB, s store.Store) {
	before := filled(t, s)
	want := new(int)
	got := panicked(func() { s.View(t.Context(), alice, func(store.Reader) error { panic(want) }) })
	if got != want {
		t.Errorf("View of a function that panics with %v: the caller recovers %v", want, got)
	}
	unchanged(t, s, "a View whose function panicked", before)
}

// exited reports whether fn ends its goroutine, neither by return nor by panic.
func exited(fn func()) bool {
	returned, value := false, any(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { value = recover() }()
		fn()
		returned = true
	}()
	<-done
	return !returned && value == nil
}

func txGoexit(t testing.TB, s store.Store) {
	before := filled(t, s)
	if !exited(func() {
		s.Update(t.Context(), alice, func(tx store.Tx) error {
			if err := spoil(tx); err != nil {
				return err
			}
			runtime.Goexit()
			return nil
		})
	}) {
		t.Error("Update of a function that calls Goexit goes on in the caller's goroutine, want it ended")
	}
	unchanged(t, s, "an Update whose function called Goexit", before)
}

func txViewGoexit(t testing.TB, s store.Store) {
	before := filled(t, s)
	if !exited(func() {
		s.View(t.Context(), alice, func(store.Reader) error {
			runtime.Goexit()
			return nil
		})
	}) {
		t.Error("View of a function that calls Goexit goes on in the caller's goroutine, want it ended")
	}
	unchanged(t, s, "a View whose function called Goexit", before)
}

// txFirstUndone fails in the first transaction of an owner.
func txFirstUndone(t testing.TB, s store.Store) {
	nothing := view(t, s, alice, everything)
	if err := s.Update(t.Context(), alice, func(tx store.Tx) error {
		return errors.Join(fill(tx, "alice"), errFn)
	}); !errors.Is(err, errFn) {
		t.Errorf("Update = %v, want the function's error", err)
	}
	equal(t, "everything of an owner whose first Update failed", view(t, s, alice, everything), nothing)
	equal(t, "Owners after it", list(t, s, "local", "", 10), []store.OwnerUsage{})
	update(t, s, alice, fillAs("alice"))
	if got := view(t, s, alice, everything); len(got.Files) != 3 || got.File[0].Head.Version != 4 {
		t.Errorf("an Update that failed was done again and left %+v, want its writes once", got.Files)
	}
}

func txClosed(t testing.TB, s store.Store) {
	update(t, s, alice, fillAs("alice"))
	for i := range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close %d = %v, want nil", i+1, err)
		}
	}
	ran := false
	err1 := s.View(t.Context(), alice, func(store.Reader) error { ran = true; return nil })
	err2 := s.Update(t.Context(), alice, func(store.Tx) error { ran = true; return nil })
	_, err3 := s.Owners(t.Context(), store.OwnersQuery{Tenant: "local", Limit: 1})
	r := s.System(t.Context())
	_, err4 := r.Get("k")
	_, err5 := r.Put("k", nil, 0)
	err6 := r.Delete("k", 1)
	_, err7 := r.List("", "", 10)
	_, err8 := s.Owners(t.Context(), store.OwnersQuery{Which: store.OwnerTotals, Tenant: "local"})
	err10 := s.Count(t.Context(), map[store.Owner]int64{alice: 1})
	_, err9 := s.Owners(t.Context(), store.OwnersQuery{Which: store.DeletedOwners, Tenant: "local", Limit: 1})
	for i, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8, err9, err10} {
		if !errors.Is(err, store.ErrClosed) {
			call := []string{"View", "Update", "Owners", "Get", "Put", "Delete", "List", "OwnerTotals", "DeletedOwners",
				"Count"}[i]
			t.Errorf("%s after Close = %v, want ErrClosed", call, err)
		}
	}
	if ran {
		t.Error("View or Update after Close ran its function")
	}
}

func txCloseWaits(t testing.TB, s store.Store) {
	started, release := make(chan struct{}, 8), make(chan struct{})
	updated, closing, closed := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		updated <- s.Update(t.Context(), alice, func(tx store.Tx) error {
			started <- struct{}{}
			<-release
			return write(tx, 1, "a", "x")
		})
	}()
	<-started
	go func() {
		close(closing)
		closed <- s.Close()
	}()
	<-closing
	select {
	case err := <-closed:
		t.Errorf("Close = %v before the Update under way ended, want it to wait", err)
		closed <- err
	case <-time.After(200 * time.Millisecond):
	}
	close(release)
	if err := <-updated; err != nil {
		t.Errorf("the Update that Close waits for = %v, want nil", err)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
}
