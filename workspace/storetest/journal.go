package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var journal = []check{
	{"Changes/Absent", changeAbsent},
	{"Changes/SavedIsRead", changeSaved},
	{"Changes/Pages", changePages},
	{"Changes/Drop", changeDrop},
	{"Changes/RevisionThatExists", changeExists},
	{"Changes/Undone", changeUndone},
	{"Changes/OwnersAreApart", changeOwners},
	{"Changes/Authors", changeAuthors},
	{"Changes/SessionIsOnlyHere", changeSession},
	{"Changes/Times", changeTimes},
	{"Changes/Numbers", changeNumbers},
	{"Changes/ResultsAreOwn", changeResultsOwn},
}

func readChanges(after int64, limit int) func(store.Reader) ([]store.Change, error) {
	return func(r store.Reader) ([]store.Change, error) { return r.Changes(after, limit) }
}

// row returns the n-th row of a journal.
func row(n int64) store.Change {
	var state store.OwnerState
	c := change(&state, int(n), store.Change{
		Op: store.OpEdit, Kind: store.KindFile, Path: "a", Before: n, After: n + 1,
	})
	c.Revision = n
	return c
}

// saveRows adds rows to the journal, each with the head of a file or of a log.
func saveRows(rows ...store.Change) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, c := range rows {
			state := store.OwnerState{Revision: c.Revision, Changes: 1}
			var err error
			if c.Kind == store.KindFile {
				err = tx.Apply(store.FileChange{Head: store.FileHead{Path: "a", Version: 1, Deleted: true}, Change: c,
					Owner: state})
			} else {
				err = tx.Apply(store.LogChange{Head: store.LogHead{Path: "a", First: 2, Last: 1, Deleted: true},
					Change: c, Owner: state})
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// rowsTo returns the rows from one number to another.
func rowsTo(from, to int64) (rows []store.Change) {
	for n := from; n <= to; n++ {
		rows = append(rows, row(n))
	}
	return rows
}

func changeAbsent(t testing.TB, s store.Store) {
	equal(t, "Changes of an owner that never wrote", view(t, s, bob, readChanges(0, 10)), []store.Change{})
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(
			tx.Apply(store.FileChange{Head: store.FileHead{Path: "a", Version: 1, Sizes: []int64{1}},
				New: new(version(1, 1, "x"))}),
			tx.Apply(store.LogChange{Head: store.LogHead{Path: "a", First: 1, Last: 1},
				New: []store.Entry{entry(1, 1, "x")}}),
			tx.Apply(store.SummaryChange{Head: store.FileHead{Path: "a", Version: 1, Sizes: []int64{1}},
				New: summary(summaryKeys(1)[0], 1, "x")}),
			keepRequest(tx, 1, "k"))
	})
	equal(t, "Changes after writes that came without a row", view(t, s, alice, readChanges(0, 10)), []store.Change{})
	update(t, s, alice, saveRows(row(1), row(2)))
	for _, after := range []int64{2, 3, 1 << 62} {
		equal(t, "Changes after the last row", view(t, s, alice, readChanges(after, 10)), []store.Change{})
	}
}

// changeSaved saves rows of every kind, with all of their fields, each by a write that
// carries it.
func changeSaved(t testing.TB, s store.Store) {
	rows := []store.Change{
		{Op: store.OpCreate, Kind: store.KindFile, Path: "a/b.md", After: 1},
		{Op: store.OpEdit, Kind: store.KindFile, Path: "a/b.md", Before: 1, After: 2},
		{Op: store.OpMove, Kind: store.KindFile, Path: "b", From: "a/b.md", Before: 2, After: 3},
		{Op: store.OpRestore, Kind: store.KindFile, Path: "b", Before: 3, After: 4},
		{Op: store.OpDelete, Kind: store.KindFile, Path: "b", Before: 4},
		{Op: store.OpAppend, Kind: store.KindLog, Path: "a/b.md", After: 3, Entries: 3},
		{Op: store.OpTrim, Kind: store.KindLog, Path: "a/b.md", Before: 3, After: 3},
		{Op: store.OpDelete, Kind: store.KindLog, Path: "日本/ñ", Before: 3},
		{Op: store.OpEdit, Kind: store.KindFile, Path: strings.Repeat("p", 1024), From: strings.Repeat("f", 1024),
			Before: 5, After: 6, Entries: 7},
	}
	var state store.OwnerState
	for i := range rows {
		rows[i] = change(&state, i, rows[i])
		update(t, s, alice, saveRows(rows[i]))
	}
	equal(t, "rows, then Changes", view(t, s, alice, readChanges(0, 100)), rows)
}

func changePages(t testing.TB, s store.Store) {
	const n = 25
	rows := rowsTo(1, n)
	update(t, s, alice, saveRows(rows[:7]...))
	for _, c := range rows[7:] {
		update(t, s, alice, saveRows(c))
	}
	for after := range int64(n + 2) {
		for _, limit := range []int{1, 2, 9, 10, n, 1000} {
			want := rows[min(after, n):]
			want = want[:min(limit, len(want))]
			equal(t, "a page of Changes", view(t, s, alice, readChanges(after, limit)), want)
		}
	}
}

func changeDrop(t testing.TB, s store.Store) {
	update(t, s, alice, saveRows(rowsTo(1, 12)...))
	drop := func(through int64, want []store.Change) {
		t.Helper()
		var inside []store.Change
		state := view(t, s, alice, readOwner)
		state.Changes = int64(len(want))
		update(t, s, alice, func(tx store.Tx) (err error) {
			if err := errors.Join(tx.Forget(store.Old{Changes: through}), tx.Apply(state)); err != nil {
				return err
			}
			inside, err = tx.Changes(0, 100)
			return err
		})
		equal(t, "DropChanges then Changes in the transaction", inside, want)
		equal(t, "DropChanges then Changes", view(t, s, alice, readChanges(0, 100)), want)
		equal(t, "DropChanges and SaveOwner then Owner", view(t, s, alice, readOwner), state)
	}
	drop(0, rowsTo(1, 12))
	drop(1, rowsTo(2, 12))
	drop(1, rowsTo(2, 12))
	drop(6, rowsTo(7, 12))
	equal(t, "Changes from a row that was dropped", view(t, s, alice, readChanges(3, 2)), rowsTo(7, 8))
	drop(11, rowsTo(12, 12))
	update(t, s, alice, saveRows(row(13)))
	equal(t, "Changes after a drop and a write", view(t, s, alice, readChanges(0, 100)), rowsTo(12, 13))
	drop(1<<62, nil)
	drop(5, nil)
	update(t, s, alice, saveRows(row(14), row(15)))
	drop(13, rowsTo(14, 15))
}

func changeExists(t testing.TB, s store.Store) {
	update(t, s, alice, saveRows(rowsTo(1, 3)...))
	for n := range int64(3) {
		twice := row(n + 1)
		twice.Path = "lost"
		if err := s.Update(t.Context(), alice, saveRows(twice)); err == nil {
			t.Errorf("a row with revision %d, which exists, is stored, want an error", n+1)
		}
	}
	equal(t, "Changes after rows that were to be stored twice", view(t, s, alice, readChanges(0, 100)), rowsTo(1, 3))
}

func changeUndone(t testing.TB, s store.Store) {
	update(t, s, alice, saveRows(rowsTo(1, 5)...))
	for _, end := range []func() error{func() error { return errFn }, func() error { panic(errFn) }} {
		var inside []store.Change
		panicked(func() {
			s.Update(t.Context(), alice, func(tx store.Tx) error {
				err := errors.Join(saveRows(row(6))(tx), tx.Forget(store.Old{Changes: 2}), saveRows(row(7))(tx))
				rows, err2 := tx.Changes(0, 100)
				inside = rows
				return errors.Join(err, err2, end())
			})
		})
		equal(t, "Changes in a transaction that fails", inside, rowsTo(3, 7))
		equal(t, "Changes after it", view(t, s, alice, readChanges(0, 100)), rowsTo(1, 5))
	}
	update(t, s, alice, saveRows(row(6)))
	equal(t, "Changes after it and a write", view(t, s, alice, readChanges(0, 100)), rowsTo(1, 6))
}

// changeOwners gives all owners rows of the same numbers.
func changeOwners(t testing.TB, s store.Store) {
	of := func(o store.Owner) store.Change {
		c := row(1)
		c.Path = o.String()
		return c
	}
	for _, o := range neighbours() {
		update(t, s, o, saveRows(of(o), row(2), row(3)))
	}
	for i, o := range neighbours() {
		update(t, s, o, func(tx store.Tx) error { return tx.Forget(store.Old{Changes: 2}) })
		for j, other := range neighbours() {
			want := []store.Change{of(other), row(2), row(3)}
			if j <= i {
				want = want[2:]
			}
			if diff := difference(want, view(t, s, other, readChanges(0, 10))); diff != "" {
				t.Fatalf("%s dropped two rows of three, then %s has (-want +got):\n%s", o, other, diff)
			}
		}
	}
}

func changeAuthors(t testing.TB, s store.Store) {
	var rows []store.Change
	for i, a := range authors() {
		for _, session := range []string{"", "s", "\x00", "a\x00b\x00", a.Client, strings.Repeat("é", 128)} {
			c := row(int64(len(rows) + 1))
			c.Author = a
			c.Author.Session = session
			if i%2 == 1 {
				c.Kind = store.KindLog
			}
			rows = append(rows, c)
		}
	}
	update(t, s, alice, saveRows(rows...))
	equal(t, "rows of odd authors", view(t, s, alice, readChanges(0, 1000)), rows)
}

// changeSession gives a version and an entry an author with a Session, which the journal
// alone keeps.
func changeSession(t testing.TB, s store.Store) {
	v, e := version(1, 1, "x"), entry(1, 1, "x")
	v.Author.Session, e.Author.Session = "session", "session"
	c, d := row(1), row(2)
	c.Author, d.Author = v.Author, e.Author
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(
			tx.Apply(store.FileChange{Head: store.FileHead{Path: "a", Version: 1, Sizes: []int64{1}}, New: &v,
				Change: c}),
			tx.Apply(store.LogChange{Head: store.LogHead{Path: "a", First: 1, Last: 1}, New: []store.Entry{e},
				Change: d}))
	})
	equal(t, "a version whose author had a Session", view(t, s, alice, readFile("a")).Retained,
		[]store.Version{version(1, 1, "x")})
	equal(t, "an entry whose author had a Session", view(t, s, alice, readLog("a")).Entries,
		[]store.Entry{entry(1, 1, "x")})
	equal(t, "the rows of both", view(t, s, alice, readChanges(0, 10)), []store.Change{c, d})
}

func changeTimes(t testing.TB, s store.Store) {
	for i, given := range times() {
		c := row(int64(i + 1))
		c.Time = given
		update(t, s, alice, saveRows(c))
		got := view(t, s, alice, readChanges(int64(i), 10))
		sameTime(t, "Time of a change", got[0].Time, given)
	}
}

func changeNumbers(t testing.TB, s store.Store) {
	const large = 1<<62 + 1 // not a float64
	c := store.Change{
		Revision: large, Op: store.OpAppend, Kind: store.KindLog, Path: "a", Before: large - 2, After: large - 1,
		Entries: 1<<53 + 1, Time: at(1),
	}
	update(t, s, alice, saveRows(c))
	for after, want := range map[int64]int{0: 1, large - 1: 1, large: 0} {
		equal(t, "a change with large numbers", view(t, s, alice, readChanges(after, 10)), []store.Change{c}[:want])
	}
}

func changeResultsOwn(t testing.TB, s store.Store) {
	given := rowsTo(1, 3)
	update(t, s, alice, saveRows(slices.Clone(given)...))
	for range 2 {
		got := view(t, s, alice, readChanges(0, 10))
		equal(t, "Changes after its caller wrote into what it got", got, given)
		got[0].Path, got[2].Revision = "X", 99
		_ = append(got[:1], store.Change{Path: "X"})
	}
	update(t, s, alice, saveRows(row(4)))
	equal(t, "Changes after that and a write", view(t, s, alice, readChanges(0, 10)), rowsTo(1, 4))
}
