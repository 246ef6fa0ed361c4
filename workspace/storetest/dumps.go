package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var dumps = []check{
	{"Dump/Everything", dumpEverything},
	{"Dump/Model", dumpModel},
	{"Dump/Odd", dumpOdd},
	{"Dump/Nothing", dumpNothing},
	{"Dump/OnlyNumbers", dumpNumbers},
	{"Dump/WithoutHead", dumpOrphans},
	{"Dump/OneMoment", dumpMoment},
	{"Dump/FunctionFails", dumpFails},
	{"Dump/Contexts", dumpContexts},
	{"Dump/RowsAreOwn", dumpOwn},
	{"Dump/AllOwners", dumpOwners},
}

// rowsOf returns all rows of an owner.
func rowsOf(t testing.TB, s store.Store, o store.Owner) (rows []store.Row) {
	t.Helper()
	if err := s.Dump(t.Context(), o, func(r store.Row) error {
		rows = append(rows, r)
		return nil
	}); err != nil {
		t.Fatalf("Dump(%s) = %v, want nil", o, err)
	}
	return rows
}

// given returns rows for Restore, and then an error unless it is nil.
func given(rows []store.Row, err error) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(store.Row{}, err)
		}
	}
}

// restore stores rows for an owner. The store must accept them.
func restore(t testing.TB, s store.Store, o store.Owner, rows []store.Row) {
	t.Helper()
	if err := s.Restore(t.Context(), o, given(rows, nil)); err != nil {
		t.Fatalf("Restore(%s) of %d rows = %v, want nil", o, len(rows), err)
	}
}

// sameRows compares rows one by one, so that the report names the first that differs.
func sameRows(t reporter, what string, got, want []store.Row) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		var g, w store.Row
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if diff := difference(w, g); diff != "" {
			t.Errorf("%s: row %d of %d, want %d, is not what is wanted (-want +got):\n%.2000s", what, i, len(got),
				len(want), diff)
			return
		}
	}
}

// fittingRows returns rows whose state has the counters of the other rows, which the
// model's calls do not keep.
func fittingRows(rows []store.Row) []store.Row {
	fit := slices.Clone(rows)
	var s store.OwnerState
	if len(rows) > 0 && rows[0].State != nil {
		s, fit = *rows[0].State, fit[1:]
	}
	s = store.OwnerState{Usage: store.Usage{Operations: s.Operations}, FileFloor: s.FileFloor, LogFloor: s.LogFloor,
		Revision: s.Revision, Updated: s.Updated}
	for _, r := range fit {
		switch {
		case r.Change != nil:
			s.Changes++
		case r.File != nil && r.File.Deleted:
			s.DeletedFiles++
			if h := r.File; len(h.Sizes) > 0 {
				s.Restorable++
				s.DeletedBytes += h.Kept()
				if s.NextExpiry.IsZero() || h.Expires.Before(s.NextExpiry) {
					s.NextExpiry = h.Expires
				}
			}
		case r.File != nil:
			s.Files++
		case r.Version != nil:
			s.Versions++
			s.Bytes += r.Version.Size
		case r.Summary != nil:
			s.Bytes += int64(len(r.Summary.Content))
		case r.Log != nil && r.Log.Deleted:
			s.DeletedLogs++
		case r.Log != nil:
			s.Logs++
		case r.Entry != nil:
			s.Entries++
			s.Bytes += int64(len(r.Entry.Content))
		case r.Request != nil:
			s.Requests++
		}
	}
	if s == (store.OwnerState{}) {
		return fit
	}
	return append([]store.Row{{State: &s}}, fit...)
}

// dumpEverything compares a dump with what the model has, and copies it to another owner,
// where all is the same and goes on.
func dumpEverything(t testing.TB, s store.Store) {
	p := plain.New()
	for _, fn := range []func(store.Tx) error{fillAs("alice"), func(tx store.Tx) error {
		return errors.Join(dropChanges(tx, 2), trim(tx, 30, "plan.md", 1), move(tx, 31, "src/b.go", "src/moved"),
			write(tx, 32, "gone", "back"), fillDeleted(tx, "alice"))
	}} {
		update(t, s, alice, fn)
		if err := fn(p); err != nil {
			t.Fatal(err)
		}
	}
	rows := rowsOf(t, s, alice)
	sameRows(t, "Dump", rows, p.Rows())
	var c dump.Checker
	for _, r := range rows {
		if err := c.Add(r); err != nil {
			t.Errorf("a row of the dump: %v", err)
		}
	}
	if _, err := c.End(); err != nil {
		t.Errorf("the dump: %v", err)
	}
	restore(t, s, bob, rows)
	sameRows(t, "Dump of a copy", rowsOf(t, s, bob), rows)
	equal(t, "everything of a copy", view(t, s, bob, everything), view(t, s, alice, everything))
	more := func(tx store.Tx) error {
		return errors.Join(bringBack(tx, 70, "held", 1), bringBack(tx, 71, "back", 1), expire(tx, "far"),
			write(tx, 40, "plan.md", "next"), write(tx, 41, "gone too", "next"),
			add(tx, 42, "plan.md", "next"), add(tx, 43, "gone", "next"))
	}
	update(t, s, alice, more)
	update(t, s, bob, more)
	sameRows(t, "Dump of a copy that goes on", rowsOf(t, s, bob), rowsOf(t, s, alice))
	equal(t, "Owners with a copy", len(list(t, s, "local", "", 10)), 2)
}

// dumpModel dumps what random transactions leave, and restores it for another owner.
func dumpModel(t testing.TB, s store.Store) {
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		cases++
		from, to := store.Owner{Tenant: "from", Agent: fmt.Sprint("case-", cases)}, store.Owner{Tenant: "to",
			Agent: fmt.Sprint("case-", cases)}
		p := plain.New()
		ops := rapid.SliceOfN(rapid.Custom(drawOp), 1, 30).Draw(t, "ops")
		for _, op := range ops {
			op.run(p)
		}
		dumped := func(o store.Owner) (rows []store.Row) {
			if err := s.Dump(t.Context(), o, func(r store.Row) error {
				rows = append(rows, r)
				return nil
			}); err != nil {
				t.Fatalf("Dump = %v, want nil", err)
			}
			return rows
		}
		if err := s.Update(t.Context(), from, func(tx store.Tx) error {
			for _, op := range ops {
				op.run(tx)
			}
			return nil
		}); err != nil {
			t.Fatalf("Update = %v, want nil", err)
		}
		sameRows(t, "Dump", dumped(from), p.Rows())
		rows := fittingRows(p.Rows())
		if err := s.Restore(t.Context(), to, given(rows, nil)); err != nil {
			t.Fatalf("Restore = %v, want nil", err)
		}
		sameRows(t, "Dump of what was restored", dumped(to), rows)
	})
}

// dumpOdd copies contents, names and times that a careless store changes.
func dumpOdd(t testing.TB, s store.Store) {
	rows := fittingRows(oddRows())
	restore(t, s, alice, rows)
	sameRows(t, "Dump of odd rows", rowsOf(t, s, alice), rows)
	restore(t, s, bob, rowsOf(t, s, alice))
	sameRows(t, "Dump of a copy of odd rows", rowsOf(t, s, bob), rows)
	paths := filesOf(t, s, bob, "", 1000)
	for _, h := range paths {
		equal(t, "a file of a copy", view(t, s, bob, readFile(h.Path)), view(t, s, alice, readFile(h.Path)))
	}
}

// oddRows returns rows of the odd contents, authors, times, numbers and names of the other
// checks.
func oddRows() (rows []store.Row) {
	var files, logs, requests []store.Row
	state := store.OwnerState{Usage: store.Usage{Operations: 1<<62 + 1}, FileFloor: 1<<53 + 1, LogFloor: 1<<62 + 3,
		Revision: 1<<53 + 1, Updated: at(3)}
	row := store.Change{Revision: 1<<53 + 1, Op: store.OpMove, Kind: store.KindFile, Path: "é a", From: "b\t",
		Before: 1<<53 + 3, After: 1<<62 + 1, Entries: 7, Time: at(1)}
	row.Author = store.Author{Client: "é", Version: "\"", Key: " ", Session: strings.Repeat("s", 128)}
	rows = append(rows, store.Row{State: &state}, store.Row{Change: &row})
	addFile := func(path string, number int64, content string, a store.Author, at time.Time, made ...store.Summary) {
		v := version(number, 1, content)
		v.Author, v.Time = a, at
		h := store.FileHead{Path: path, Version: number, Sizes: []int64{v.Size}, Created: at, Updated: at}
		files = append(files, store.Row{File: &h}, store.Row{Version: &v, Path: path})
		for _, s := range made {
			h.Summary += int64(len(s.Content))
			files = append(files, store.Row{Summary: &s, Path: path})
		}
		e := entry(number, 1, content)
		e.Author, e.Time = a, at
		l := store.LogHead{Path: path, First: number, Last: number, Bytes: v.Size, Created: at, Updated: at}
		logs = append(logs, store.Row{Log: &l}, store.Row{Entry: &e, Path: path})
	}
	for i, a := range authors() {
		if !strings.Contains(a.Client+a.Version+a.Key, "\x00") {
			addFile(fmt.Sprintf("author-%02d", i), 1<<53+1, "x", a, at(1))
		}
	}
	var made []store.Summary
	for i, k := range otherKeys() {
		k.Version = 5
		if !slices.ContainsFunc(made, func(s store.Summary) bool { return s.SummaryKey == k }) {
			made = append(made, summary(k, i, fmt.Sprint("made\x00", i)))
		}
	}
	slices.SortFunc(made, func(a, b store.Summary) int { return dump.CompareKeys(a.SummaryKey, b.SummaryKey) })
	addFile("summaries", 5, "x", author(1), at(1), made...)
	for i, c := range texts() {
		addFile(fmt.Sprintf("text-%02d", i), 1, c.text, author(1), at(1))
	}
	for i, at := range times() {
		at = at.UTC().Truncate(time.Microsecond)
		addFile(fmt.Sprintf("time-%02d", i), 1, "", author(1), at)
		q := store.Request{Key: fmt.Sprintf("time-%02d", i), Hash: sha256.Sum256(nil), Time: at,
			Outcome: store.Outcome{Number: 1<<53 + 1, Count: -1, Bytes: 1<<62 + 1}}
		requests = append(requests, store.Row{Request: &q})
	}
	return slices.Concat(rows, files, logs, requests)
}

func dumpNothing(t testing.TB, s store.Store) {
	update(t, s, alice, fillAs("alice"))
	equal(t, "Dump of an owner that has nothing", rowsOf(t, s, bob), []store.Row(nil))
	restore(t, s, bob, nil)
	equal(t, "Dump of an owner of whom nothing was restored", rowsOf(t, s, bob), []store.Row(nil))
	equal(t, "AllOwners after nothing was restored", allOwners(t, s, store.Owner{}, 10), []store.Owner{alice})
	update(t, s, bob, fillAs("bob"))
}

// dumpNumbers copies an owner of whom only the numbers are left that it had reached.
func dumpNumbers(t testing.TB, s store.Store) {
	state := store.OwnerState{FileFloor: 7, LogFloor: 8, Revision: 9, Updated: at(1)}
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(state) })
	rows := rowsOf(t, s, alice)
	sameRows(t, "Dump", rows, []store.Row{{State: &state}})
	restore(t, s, bob, rows)
	equal(t, "the state of a copy", view(t, s, bob, readOwner), state)
	equal(t, "AllOwners", allOwners(t, s, store.Owner{}, 10), []store.Owner{alice, bob})
	deleted, err := s.Owners(t.Context(), store.OwnersQuery{Which: store.DeletedOwners, Tenant: "local",
		UpdatedBefore: at(2), UpdatedAfter: at(3), Limit: 10})
	if err != nil || !slices.Equal(deleted.Owners, []store.OwnerUsage{{Owner: alice}, {Owner: bob}}) {
		t.Errorf("DeletedOwners = %v, %v, want both", deleted, err)
	}
}

// dumpOrphans dumps an owner with requests and no state.
func dumpOrphans(t testing.TB, s store.Store) {
	q := request(1, "k")
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(q) })
	rows := rowsOf(t, s, alice)
	sameRows(t, "Dump of a request without a state", rows, []store.Row{{Request: &q}})
	equal(t, "AllOwners", allOwners(t, s, store.Owner{}, 10), []store.Owner{alice})
	if err := s.Restore(t.Context(), bob, given(rows, nil)); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("Restore of a request without a state = %v, want ErrInvalid", err)
	}
	equal(t, "AllOwners", allOwners(t, s, store.Owner{}, 10), []store.Owner{alice})
}

// dumpMoment dumps an owner slowly while others write to it.
func dumpMoment(t testing.TB, s store.Store) {
	update(t, s, alice, fillAs("alice"))
	const writes = 32 // beside each dump, so that the owner does not grow without end
	due := make(chan bool, writes)
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			n := 0
			for range due {
				n++
				time.Sleep(time.Millisecond)
				path := fmt.Sprint("z-", i) // late in a dump
				if err := s.Update(t.Context(), alice, func(tx store.Tx) error {
					return errors.Join(write(tx, n, path, fmt.Sprint(n)), add(tx, n, path, "x"),
						add(tx, n, "plan.md", "y"))
				}); err != nil {
					t.Errorf("Update beside Dump = %v, want nil", err)
					return
				}
			}
		})
	}
	defer writers.Wait()
	defer close(due)
	last := int64(0)
	for range rounds(200, 20, 6, 3) {
		for len(due) < writes {
			due <- true
		}
		var c dump.Checker
		n := 0
		err := s.Dump(t.Context(), alice, func(r store.Row) error {
			if n++; n%16 == 0 {
				time.Sleep(time.Millisecond)
			}
			return c.Add(r)
		})
		report, end := c.End()
		if err := errors.Join(err, end); err != nil {
			t.Errorf("Dump beside writers = %v, want rows of one moment", err)
			return
		}
		if report.State.Revision < last {
			t.Errorf("Dump is of revision %d after one of revision %d", report.State.Revision, last)
		}
		last = report.State.Revision
	}
}

// dumpFails lets the function of a Dump fail in every way, at every row.
func dumpFails(t testing.TB, s store.Store) {
	before := filled(t, s)
	rows := rowsOf(t, s, alice)
	for n := range len(rows) {
		at := func(fail func() error) func(store.Row) error {
			seen := 0
			return func(store.Row) error {
				if seen++; seen == n+1 {
					return fail()
				}
				if seen > n+1 {
					t.Errorf("Dump goes on after row %d failed", n)
				}
				return nil
			}
		}
		for _, want := range []error{errFn, store.ErrCorrupt} {
			if err := s.Dump(t.Context(), alice, at(func() error { return want })); err != want {
				t.Errorf("Dump whose function fails at row %d = %v, want its error %v", n, err, want)
			}
		}
		if v := panicked(func() { s.Dump(t.Context(), alice, at(func() error { panic(errFn) })) }); v != errFn {
			t.Errorf("Dump whose function panics at row %d panics with %v, want %v", n, v, errFn)
		}
		if !exited(func() {
			s.Dump(t.Context(), alice, at(func() error {
				runtime.Goexit()
				return nil
			}))
		}) {
			t.Errorf("Dump whose function calls Goexit at row %d returns", n)
		}
	}
	unchanged(t, s, "Dumps that failed", before)
	for i := range 20 { // with any connection that may be left in an old snapshot
		update(t, s, alice, func(tx store.Tx) error { return write(tx, i, "new", fmt.Sprint(i)) })
		if f := view(t, s, alice, readFile("new")); string(f.Current.Content) != fmt.Sprint(i) {
			t.Fatalf("after Dumps that failed, View gives %q, want %d", f.Current.Content, i)
		}
	}
}

func dumpContexts(t testing.TB, s store.Store) {
	update(t, s, alice, fillAs("alice"))
	total := len(rowsOf(t, s, alice))
	for _, deadline := range []bool{false, true} {
		for _, at := range []int{0, 1, total / 2} {
			ctx, cancel := context.WithCancel(t.Context())
			if deadline {
				ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
			}
			if at == 0 && !deadline {
				cancel()
			}
			if at == 0 {
				<-ctx.Done()
			}
			seen := 0
			err := s.Dump(ctx, alice, func(store.Row) error {
				if seen++; seen != at {
					return nil
				}
				if !deadline {
					cancel()
				}
				<-ctx.Done()
				return nil
			})
			cancel()
			wantEnded(t, fmt.Sprintf("Dump whose context ends at row %d", at), err, deadline)
			if seen == total {
				t.Errorf("Dump whose context ended at row %d gave all rows", at)
			}
		}
	}
}

// wantEnded tests the error of a call whose context ended before it had done anything.
func wantEnded(t testing.TB, what string, err error, deadline bool) {
	t.Helper()
	if deadline && (!errors.Is(err, store.ErrBusy) || !errors.Is(err, context.DeadlineExceeded)) || !deadline &&
		!errors.Is(err, context.Canceled) {
		t.Errorf("%s = %v, want the error of the context, which is ErrBusy for a deadline", what, err)
	}
}

// dumpOwn changes the rows of a Dump and of a Restore afterwards.
func dumpOwn(t testing.TB, s store.Store) {
	p := plain.New()
	if err := fillAs("alice")(p); err != nil {
		t.Fatal(err)
	}
	want := p.Rows()
	update(t, s, alice, fillAs("alice"))
	spoilt := rowsOf(t, s, alice)
	restore(t, s, bob, spoilt)
	for _, r := range spoilt {
		switch {
		case r.State != nil:
			*r.State = store.OwnerState{}
		case r.Change != nil:
			*r.Change = store.Change{}
		case r.File != nil:
			clear(r.File.Sizes)
			*r.File = store.FileHead{}
		case r.Version != nil:
			clear(r.Version.Content)
			*r.Version = store.Version{}
		case r.Summary != nil:
			clear(r.Summary.Content)
			*r.Summary = store.Summary{}
		case r.Log != nil:
			*r.Log = store.LogHead{}
		case r.Entry != nil:
			clear(r.Entry.Content)
			*r.Entry = store.Entry{}
		case r.Request != nil:
			*r.Request = store.Request{}
		}
	}
	sameRows(t, "Dump after the rows of another were changed", rowsOf(t, s, alice), want)
	sameRows(t, "Dump after the rows that were restored were changed", rowsOf(t, s, bob), want)
}
