package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var restores = []check{
	{"Restore/Conflict", restoreConflict},
	{"Restore/RowsFail", restoreFails},
	{"Restore/DoesNotFit", restoreUnfit},
	{"Restore/Contexts", restoreContexts},
	{"Restore/ContextInRows", restoreContextInside},
	{"Restore/OthersAreApart", restoreApart},
	{"Restore/BesideOthers", restoreBeside},
	{"Restore/Closed", restoreClosed},
	{"Restore/IsTold", restoreTold},
	{"Records/Restore", recordRestore},
	{"Records/RestoreConflict", recordRestoreConflict},
}

// sampleRows returns rows of every kind that fit together.
func sampleRows(t testing.TB, s store.Store) []store.Row {
	t.Helper()
	model := store.Owner{Tenant: "sample", Agent: "model"}
	update(t, s, model, fillAs("sample"))
	return rowsOf(t, s, model)
}

// nothingOf tests that an owner has no row.
func nothingOf(t testing.TB, s store.Store, o store.Owner, what string) {
	t.Helper()
	if rows := rowsOf(t, s, o); len(rows) != 0 {
		t.Errorf("after %s %d rows are there, want none", what, len(rows))
	}
	equal(t, "the state after "+what, view(t, s, o, readOwner), store.OwnerState{})
}

// restoreConflict restores what is there already, in whole or in part.
func restoreConflict(t testing.TB, s store.Store) {
	rows := sampleRows(t, s)
	for i, fn := range []func(store.Tx) error{
		fillAs("there"),
		func(tx store.Tx) error { return tx.Apply(store.OwnerState{FileFloor: 1}) },
		func(tx store.Tx) error { return tx.Apply(request(1, "k")) },
		func(tx store.Tx) error {
			return errors.Join(write(tx, 1, "a", "x"), remove(tx, 2, "a"), tx.Apply(store.OwnerState{}))
		},
		func(tx store.Tx) error { return errors.Join(note(tx), tx.Apply(store.OwnerState{})) },
	} {
		o := store.Owner{Tenant: "local", Agent: fmt.Sprint("there-", i)}
		update(t, s, o, fn)
		before := rowsOf(t, s, o)
		for _, given := range []iter.Seq2[store.Row, error]{given(rows, nil), given(nil, nil), given(before, nil)} {
			if err := s.Restore(t.Context(), o, given); !errors.Is(err, store.ErrConflict) {
				t.Errorf("Restore of an owner that has %d rows = %v, want ErrConflict", len(before), err)
			}
		}
		sameRows(t, "Dump after a conflict", rowsOf(t, s, o), before)
	}
	restore(t, s, alice, rows)
	if err := s.Restore(t.Context(), alice, given(rows, nil)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a second Restore = %v, want ErrConflict", err)
	}
	sameRows(t, "Dump after a second Restore", rowsOf(t, s, alice), rows)
}

// restoreFails lets the rows of a Restore fail in every way, after every row.
func restoreFails(t testing.TB, s store.Store) {
	rows := sampleRows(t, s)
	for n := len(rows); n >= 0; n -= rounds(1, 1, 6, 12) {
		for _, want := range []error{errFn, store.ErrConflict} {
			if err := s.Restore(t.Context(), alice, given(rows[:n], want)); err != want {
				t.Errorf("Restore whose rows fail after %d = %v, want their error %v", n, err, want)
			}
		}
		end := func(how func()) iter.Seq2[store.Row, error] {
			return func(yield func(store.Row, error) bool) {
				for _, r := range rows[:n] {
					if !yield(r, nil) {
						return
					}
				}
				how()
			}
		}
		if v := panicked(func() { s.Restore(t.Context(), alice, end(func() { panic(errFn) })) }); v != errFn {
			t.Errorf("Restore whose rows panic after %d panics with %v, want %v", n, v, errFn)
		}
		if !exited(func() { s.Restore(t.Context(), alice, end(runtime.Goexit)) }) {
			t.Errorf("Restore whose rows call Goexit after %d returns", n)
		}
		nothingOf(t, s, alice, fmt.Sprintf("a Restore whose rows failed after %d", n))
	}
	restore(t, s, alice, rows)
	sameRows(t, "Dump", rowsOf(t, s, alice), rows)
}

// restoreUnfit restores rows of which one is missing, twice there, changed or out of its
// place.
func restoreUnfit(t testing.TB, s store.Store) {
	rows := sampleRows(t, s)
	try := func(what string, unfit []store.Row, kinds ...error) {
		t.Helper()
		err := s.Restore(t.Context(), alice, given(unfit, nil))
		if !slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) }) {
			t.Errorf("Restore of rows with %s = %v, want %v", what, err, kinds)
		}
		nothingOf(t, s, alice, what)
	}
	seen := map[string]bool{}
	for i, r := range rows {
		if seen[kindOf(r)] && i%rounds(1, 2, 6, 12) != 0 {
			continue
		}
		seen[kindOf(r)] = true
		try(fmt.Sprintf("row %d missing, %s", i, kindOf(r)), slices.Delete(slices.Clone(rows), i, i+1),
			store.ErrInvalid)
		try(fmt.Sprintf("row %d twice, %s", i, kindOf(r)), slices.Insert(slices.Clone(rows), i, r), store.ErrInvalid)
		if i > 0 {
			swapped := slices.Clone(rows)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			try(fmt.Sprintf("rows %d and %d swapped, %s", i-1, i, kindOf(r)), swapped, store.ErrInvalid)
		}
		for name, changed := range changes(r) {
			with := slices.Clone(rows)
			with[i] = changed
			try(fmt.Sprintf("row %d with %s, %s", i, name, kindOf(r)), with, store.ErrInvalid, store.ErrCorrupt)
		}
	}
	try("one that is none", append(slices.Clone(rows), store.Row{}), store.ErrInvalid)
	try("one that is two", append(slices.Clone(rows), store.Row{File: rows[0].File, State: rows[0].State,
		Log: new(store.LogHead)}), store.ErrInvalid)
	restore(t, s, alice, rows)
}

func kindOf(r store.Row) string {
	switch {
	case r.State != nil:
		return "state"
	case r.Change != nil:
		return "change"
	case r.File != nil:
		return "file"
	case r.Version != nil:
		return "version"
	case r.Summary != nil:
		return "summary"
	case r.Log != nil:
		return "log"
	case r.Entry != nil:
		return "entry"
	}
	return "request"
}

// stateChanges are changes of the state of an owner that do not fit its rows.
var stateChanges = map[string]func(*store.OwnerState){
	"bytes": func(s *store.OwnerState) { s.Bytes++ }, "files": func(s *store.OwnerState) { s.Files-- },
	"logs": func(s *store.OwnerState) { s.Logs++ }, "entries": func(s *store.OwnerState) { s.Entries-- },
	"versions":     func(s *store.OwnerState) { s.Versions++ },
	"requests":     func(s *store.OwnerState) { s.Requests++ },
	"deleted":      func(s *store.OwnerState) { s.DeletedFiles++ },
	"revision":     func(s *store.OwnerState) { s.Revision++ },
	"changes":      func(s *store.OwnerState) { s.Changes++ },
	"deleted logs": func(s *store.OwnerState) { s.DeletedLogs-- },
	"operations":   func(s *store.OwnerState) { s.Operations = -1 },
	"floor":        func(s *store.OwnerState) { s.FileFloor = -1 },
}

// changes returns copies of a row with one change each, which does not fit.
func changes(r store.Row) map[string]store.Row {
	all := map[string]store.Row{}
	switch {
	case r.State != nil:
		for name, change := range stateChanges {
			state := *r.State
			change(&state)
			all[name] = store.Row{State: &state}
		}
	case r.Change != nil:
		c := *r.Change
		c.Revision += 100
		all["revision"] = store.Row{Change: &c}
	case r.File != nil:
		h := *r.File
		h.Version++
		all["version"] = store.Row{File: &h}
		if h.Deleted = !r.File.Deleted; h.Deleted {
			h.Version--
			all["deleted"] = store.Row{File: &h}
		}
		h2 := *r.File
		h2.Summary++
		all["summary"] = store.Row{File: &h2}
	case r.Version != nil:
		v := *r.Version
		v.Content = append(slices.Clone(v.Content), 'x')
		all["content"] = store.Row{Version: &v, Path: r.Path}
		v2 := *r.Version
		v2.Number += 7
		all["number"] = store.Row{Version: &v2, Path: r.Path}
		all["path"] = store.Row{Version: r.Version, Path: r.Path + "x"}
	case r.Summary != nil:
		k := *r.Summary
		k.SHA256[0]++
		all["hash"] = store.Row{Summary: &k, Path: r.Path}
		all["path"] = store.Row{Summary: r.Summary, Path: r.Path + "x"}
	case r.Log != nil:
		h := *r.Log
		h.Bytes++
		all["bytes"] = store.Row{Log: &h}
		h2 := *r.Log
		h2.First = 0
		all["first"] = store.Row{Log: &h2}
	case r.Entry != nil:
		e := *r.Entry
		e.SHA256[31]++
		all["hash"] = store.Row{Entry: &e, Path: r.Path}
		all["path"] = store.Row{Entry: r.Entry, Path: "other"}
	}
	return all
}

// restoreContexts ends the context before a Restore, which then looks at no row.
func restoreContexts(t testing.TB, s store.Store) {
	for _, deadline := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		if deadline {
			ctx, cancel = context.WithDeadline(ctx, time.Now().Add(-time.Second))
		}
		cancel()
		asked := func(func(store.Row, error) bool) { t.Error("a context had ended, and Restore asked for rows") }
		err := s.Restore(ctx, alice, asked)
		wantEnded(t, "Restore whose context had ended", err, deadline && !errors.Is(ctx.Err(), context.Canceled))
	}
	nothingOf(t, s, alice, "Restores whose contexts had ended")
}

// restoreContextInside ends the context at each of the rows. Restore does not use the rows
// once it has returned.
func restoreContextInside(t testing.TB, s store.Store) {
	rows := sampleRows(t, s)
	for _, deadline := range []bool{false, true} {
		for at := 0; at < len(rows); at += rounds(1, 3, 7, 12) {
			ctx, cancel := context.WithCancel(t.Context())
			if deadline {
				ctx, cancel = context.WithTimeout(ctx, 5*time.Millisecond)
			}
			returned := make(chan struct{})
			err := s.Restore(ctx, alice, func(yield func(store.Row, error) bool) {
				for i, r := range rows {
					if i == at {
						if !deadline {
							cancel()
						}
						<-ctx.Done()
						time.Sleep(time.Millisecond) // a Restore that returns now leaves this behind
					}
					select {
					case <-returned:
						t.Errorf("Restore has returned, and goes on with row %d", i)
					default:
					}
					if !yield(r, nil) {
						return
					}
				}
			})
			close(returned)
			cancel()
			wantEnded(t, fmt.Sprintf("Restore whose context ends at row %d", at), err, deadline)
			nothingOf(t, s, alice, fmt.Sprintf("a Restore whose context ended at row %d", at))
		}
	}
	restore(t, s, alice, rows)
}

// restoreApart restores each owner beside neighbours of whom nothing changes.
func restoreApart(t testing.TB, s store.Store) {
	rows := sampleRows(t, s)
	for i, o := range neighbours() {
		nothingOf(t, s, o, "Restores of others")
		if i%2 == 0 {
			restore(t, s, o, rows)
		} else {
			update(t, s, o, fillAs("sample"))
		}
	}
	for _, o := range neighbours() {
		sameRows(t, o.String(), rowsOf(t, s, o), rows)
	}
	update(t, s, neighbours()[0], spoil)
	for _, o := range neighbours()[1:] {
		sameRows(t, o.String()+" after a change of another", rowsOf(t, s, o), rows)
	}
}

// restoreBeside restores owners while others write, and while two restore the same one.
func restoreBeside(t testing.TB, s store.Store) {
	rows := sampleRows(t, s)
	for round := range rounds(50, 10, 3, 2) {
		o := store.Owner{Tenant: "beside", Agent: fmt.Sprint("round-", round)}
		won := make(chan bool, many)
		each(func(i int) {
			var err error
			if i%2 == 0 {
				if err = s.Restore(t.Context(), o, given(rows, nil)); err == nil || errors.Is(err, store.ErrConflict) {
					won <- err == nil
					err = nil
				}
			} else {
				err = s.Update(t.Context(), worker(i), note)
			}
			if err != nil {
				t.Errorf("a call beside Restores = %v, want nil or ErrConflict", err)
			}
		})
		close(won)
		winners := 0
		for w := range won {
			if w {
				winners++
			}
		}
		if winners != 1 {
			t.Errorf("%d Restores of one owner succeeded, want 1", winners)
		}
		sameRows(t, "Dump of an owner that several have restored", rowsOf(t, s, o), rows)
	}
}

func restoreClosed(t testing.TB, s store.Store) {
	rows := sampleRows(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err1 := s.Owners(t.Context(), store.OwnersQuery{Which: store.AllOwners, Limit: 1})
	err2 := s.Dump(t.Context(), alice, func(store.Row) error { return nil })
	err3 := s.Restore(t.Context(), alice, given(rows, nil))
	err4 := s.System(t.Context()).Restore(store.Record{Key: "k", Revision: 1})
	for i, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s of a closed store = %v, want ErrClosed",
				[]string{"AllOwners", "Dump", "Restore", "Records.Restore"}[i], err)
		}
	}
}

// restoreTold watches a store: a Restore is a write, whose rows are in the journal.
func restoreTold(t testing.TB, s store.Store) {
	rows := sampleRows(t, s)
	told := watch(t, t.Context(), s)
	drain(told)
	restore(t, s, alice, rows)
	isTold(t, told, alice)
}

func recordRestore(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	for i, at := range times() {
		want := store.Record{Key: fmt.Sprint("k", i), Value: []byte("v\x00\xff"), Revision: 1<<62 + int64(i),
			Updated: at}
		value := slices.Clone(want.Value)
		if err := r.Restore(store.Record{Key: want.Key, Value: value, Revision: want.Revision,
			Updated: at}); err != nil {
			t.Fatalf("Restore of a record = %v, want nil", err)
		}
		value[0] = 'X'
		got, err := r.Get(want.Key)
		if err != nil {
			t.Fatal(err)
		}
		sameTime(t, "the time of a restored record", got.Updated, want.Updated)
		got.Updated, want.Updated = time.Time{}, time.Time{}
		equal(t, "a restored record", got, want)
		next := put(t, r, want.Key, "next", want.Revision)
		holds(t, r, want.Key, "next", next)
	}
	if err := r.Restore(store.Record{Key: "nil", Revision: 1}); err != nil {
		t.Errorf("Restore of a record without bytes = %v, want nil", err)
	}
	holds(t, r, "nil", "", 1)
}

func recordRestoreConflict(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	revision := put(t, r, "k", "kept", 0)
	for _, n := range []int64{revision, 1, 1 << 62} {
		if err := r.Restore(store.Record{Key: "k", Value: []byte("lost"), Revision: n}); !errors.Is(err,
			store.ErrConflict) {
			t.Errorf("Restore of a record that is there = %v, want ErrConflict", err)
		}
	}
	for _, n := range []int64{0, -1} {
		if err := r.Restore(store.Record{Key: "none", Revision: n}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Restore of a record at revision %d = %v, want ErrInvalid", n, err)
		}
	}
	holds(t, r, "k", "kept", revision)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.System(ctx).Restore(store.Record{Key: "none", Revision: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Restore of a record with a cancelled context = %v, want context.Canceled", err)
	}
	if _, err := r.Get("none"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get of a record whose Restore failed = %v, want ErrNotFound", err)
	}
	if err := r.Delete("k", revision); err != nil {
		t.Fatal(err)
	}
	if err := r.Restore(store.Record{Key: "k", Revision: 5}); err != nil {
		t.Errorf("Restore of a record that was deleted = %v, want nil", err)
	}
}
