package storetest

import (
	"errors"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var moves = []check{
	{"Moves/VersionsGoAlong", moveVersions},
	{"Moves/Above", moveAbove},
	{"Moves/Prune", movePrune},
	{"Moves/ToDeleted", moveToDeleted},
	{"Moves/Summaries", moveSummaries},
	{"Moves/Saved", moveSaved},
	{"Moves/Undone", moveUndone},
	{"Moves/OthersStay", moveOthers},
	{"Moves/Chain", moveChain},
	{"Moves/Authors", moveAuthors},
}

// moved returns a move of the file a of four versions to b. The versions above above go
// along, and those up to prune are removed.
func moved(above, prune int64) store.FileMove {
	sizes := []int64{1, 2, 3, 4, 5}[max(above, prune):]
	return store.FileMove{
		From:  store.FileHead{Path: "a", Version: 4, Deleted: true, Created: at(1), Updated: at(5)},
		To:    store.FileHead{Path: "b", Version: 5, Sizes: sizes, Created: at(1), Updated: at(5)},
		Above: above, Prune: prune, Forget: true,
		New: version(5, 5, "12345"),
		Change: store.Change{Revision: 5, Op: store.OpMove, Kind: store.KindFile, Path: "b", From: "a", Before: 4,
			After: 5, Author: author(5), Time: at(5)},
		Owner: store.OwnerState{Usage: store.Usage{Files: 1, Bytes: 7, Operations: 8}, DeletedFiles: 1, Revision: 5,
			Changes: 5},
	}
}

// four gives the file a four versions. Each is as long as its number.
func four(tx store.Tx) error {
	for n := int64(1); n <= 4; n++ {
		v := version(n, int(n), "12345"[:n])
		c := store.FileChange{
			Head: store.FileHead{Path: "a", Version: n, Sizes: []int64{1, 2, 3, 4}[:n], Created: at(1),
				Updated: at(int(n))}, New: &v, Change: row(n),
			Owner: store.OwnerState{Revision: n, Changes: n},
		}
		if err := tx.Apply(c); err != nil {
			return err
		}
	}
	return nil
}

// afterMove tests what is at both paths after a move.
func afterMove(t testing.TB, s store.Store, what string, m store.FileMove, numbers ...int64) {
	t.Helper()
	want := file{Head: m.To, Current: m.New}
	for _, n := range numbers {
		v := version(n, int(n), "12345"[:n])
		want.Versions, want.Retained = append(want.Versions, bare(v)), append(want.Retained, v)
	}
	equal(t, what+": the new path", view(t, s, alice, readFile(m.To.Path)), want)
	equal(t, what+": the old path", view(t, s, alice, readFile(m.From.Path)), file{Head: m.From})
	for n := range int64(6) {
		if _, err := try(t, s, alice, readVersion(m.From.Path, n)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: Version(%d) of the old path = %v, want ErrNotFound", what, n, err)
		}
	}
	noVersions(t, s, what, m.From.Path)
	heads := filesOf(t, s, alice, "", 10)
	equal(t, what+": Files", heads, []store.FileHead{m.To})
}

func moveVersions(t testing.TB, s store.Store) {
	update(t, s, alice, four)
	m := moved(0, 0)
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(m) })
	afterMove(t, s, "MoveFile", m, 1, 2, 3, 4, 5)
}

func moveAbove(t testing.TB, s store.Store) {
	for _, above := range []int64{1, 3, 4} {
		o := alice
		update(t, s, o, func(tx store.Tx) error {
			return errors.Join(forget(tx, "a", "b"), four(tx))
		})
		m := moved(above, 0)
		update(t, s, o, func(tx store.Tx) error { return tx.Apply(m) })
		afterMove(t, s, "MoveFile of the versions above some", m, []int64{1, 2, 3, 4, 5}[above:]...)
	}
}

func movePrune(t testing.TB, s store.Store) {
	for _, c := range []struct{ above, prune int64 }{{0, 1}, {0, 3}, {2, 3}, {3, 2}, {0, 4}} {
		update(t, s, alice, func(tx store.Tx) error {
			return errors.Join(forget(tx, "a", "b"), four(tx))
		})
		m := moved(c.above, c.prune)
		update(t, s, alice, func(tx store.Tx) error { return tx.Apply(m) })
		afterMove(t, s, "MoveFile with Prune", m, []int64{1, 2, 3, 4, 5}[max(c.above, c.prune):]...)
	}
}

// forget removes files and the whole journal, so that nothing is known of them.
func forget(tx store.Tx, paths ...string) error {
	for _, path := range paths {
		head, _, err := plain.Read(tx).File(path)
		if err != nil {
			return err
		}
		if head.Version == 0 {
			continue
		}
		gone := store.FileHead{Path: path, Version: head.Version, Deleted: true}
		if err := tx.Apply(store.FileChange{Head: gone, Prune: head.Version, Forget: true}); err != nil {
			return err
		}
	}
	_, err := tx.ForgetDeleted(store.KindFile, len(paths))
	return errors.Join(err, tx.Forget(store.Old{Changes: 1 << 62}))
}

func moveToDeleted(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(write(tx, 1, "b", "x"), write(tx, 1, "b", "y"), remove(tx, 2, "b"),
			tx.Forget(store.Old{Changes: 3}), four(tx))
	})
	m := moved(1, 0)
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(m) })
	afterMove(t, s, "MoveFile to a path that was deleted", m, 2, 3, 4, 5)
	var highest int64
	update(t, s, alice, func(tx store.Tx) (err error) {
		highest, err = tx.ForgetDeleted(store.KindFile, 10)
		return err
	})
	if highest != 4 {
		t.Errorf("ForgetDeleted after a move gives %d, want 4, which only the old path had", highest)
	}
	if f := view(t, s, alice, readFile("b")); f.Head.Version != 5 {
		t.Errorf("ForgetDeleted after a move leaves the new path %+v, want it as it was", f.Head)
	}
}

func moveSummaries(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		if err := errors.Join(four(tx), write(tx, 6, "c", "x"), summarise(tx, 6, "c", 0, "kept")); err != nil {
			return err
		}
		for _, n := range []int64{3, 4} {
			head := store.FileHead{Path: "a", Version: 4, Sizes: []int64{1, 2, 3, 4}, Summary: 10}
			if err := tx.Apply(store.SummaryChange{Head: head,
				New: summary(summaryKeys(n)[1], 1, "summary")}); err != nil {
				return err
			}
		}
		m := moved(0, 0)
		m.Change.Revision = 6
		return tx.Apply(m)
	})
	for _, path := range []string{"a", "b"} {
		for n := int64(1); n <= 5; n++ {
			for _, k := range summaryKeys(n) {
				if _, err := try(t, s, alice, readSummary(path, k)); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("Summary(%q, %+v) after the move = %v, want ErrNotFound", path, k, err)
				}
			}
		}
	}
	if f := view(t, s, alice, readFile("c")); len(f.Made) != 1 {
		t.Errorf("the summaries of a file beside the move are %v, want the one that it had", f.Made)
	}
}

func moveSaved(t testing.TB, s store.Store) {
	update(t, s, alice, four)
	m := moved(0, 0)
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(m) })
	equal(t, "MoveFile then Owner", view(t, s, alice, readOwner), m.Owner)
	equal(t, "MoveFile then Changes", view(t, s, alice, readChanges(4, 10)), []store.Change{m.Change})

	back := moved(0, 0)
	back.From, back.To = m.To, m.From
	back.From.Deleted, back.From.Sizes, back.To.Deleted, back.To.Sizes = true, nil, false, []int64{6}
	back.To.Version, back.Above, back.New, back.Change = 6, 5, version(6, 6, "123456"), store.Change{}
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(back) })
	if got := view(t, s, alice, readChanges(4, 10)); len(got) != 1 {
		t.Errorf("MoveFile without a row, then Changes gives %v, want the one before", got)
	}
}

func moveUndone(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(write(tx, 1, "b", "x"), remove(tx, 2, "b"), tx.Forget(store.Old{Changes: 2}), four(tx))
	})
	read := func(r store.Reader) (contents, error) { return contentsOf(r, []string{"a", "b"}, nil) }
	before := view(t, s, alice, read)
	for _, end := range []func() error{func() error { return errFn }, func() error { panic(errFn) }} {
		panicked(func() {
			s.Update(t.Context(), alice, func(tx store.Tx) error { return errors.Join(tx.Apply(moved(2, 0)), end()) })
		})
		equal(t, "everything after a move that was undone", view(t, s, alice, read), before)
	}
}

// moveOthers looks at paths, logs and owners that a careless key or pattern confuses with
// those of the move.
func moveOthers(t testing.TB, s store.Store) {
	paths := []string{"A", "B", "a/b", "a.", "aa", "ab", "_", "b/a", "bb", "c"}
	fillPaths := func(o store.Owner) {
		update(t, s, o, func(tx store.Tx) error {
			for _, path := range paths {
				if err := errors.Join(write(tx, 1, path, "one"), write(tx, 2, path, "two"),
					summarise(tx, 3, path, 0, "summary")); err != nil {
					return err
				}
			}
			return errors.Join(add(tx, 4, "a", "entry"), add(tx, 5, "b", "entry"))
		})
	}
	read := func(r store.Reader) (contents, error) { return contentsOf(r, append(paths, "a", "b"), nil) }
	others := neighbours()[:9]
	before := map[store.Owner]contents{}
	for _, o := range others {
		fillPaths(o)
		update(t, s, o, func(tx store.Tx) error {
			return errors.Join(write(tx, 6, "a", "one"), write(tx, 7, "a", "two"))
		})
		before[o] = view(t, s, o, read)
	}
	for _, o := range others {
		if diff := difference(before[o], view(t, s, o, read)); diff != "" {
			t.Fatalf("others moved a file, then %s has (-want +got):\n%s", o, diff)
		}
		update(t, s, o, func(tx store.Tx) error { return move(tx, 8, "a", "b") })
		got := view(t, s, o, read)
		for j := range paths {
			equal(t, "a file beside the move", got.File[j], before[o].File[j])
		}
		equal(t, "the logs beside the move", got.Log, before[o].Log)
		if f := got.File[len(paths)+1]; f.Head.Version != 3 || len(f.Retained) != 3 {
			t.Errorf("a move of %s gives the new path %+v, want three versions", o, f.Head)
		}
	}
}

func moveChain(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error { return write(tx, 0, "a", "content") })
	path := "a"
	for i, to := range []string{"b", "c", "a", "b", "a"} {
		update(t, s, alice, func(tx store.Tx) error { return move(tx, i+1, path, to) })
		f := view(t, s, alice, readFile(to))
		if f.Head.Version != int64(i+2) || f.Current.Number != f.Head.Version ||
			string(f.Current.Content) != "content" {
			t.Fatalf("move %d of a chain gives %+v with the version %d %q", i+1, f.Head, f.Current.Number,
				f.Current.Content)
		}
		var numbers []int64
		for _, v := range f.Retained {
			numbers = append(numbers, v.Number)
			equal(t, "a version that was moved", v, version(v.Number, int(v.Number-1), "content"))
		}
		last := int64(i + 2)
		equal(t, "the versions after a move in a chain", numbers, []int64{last - 2, last - 1, last}[max(0, 1-i):])
		path = to
	}
	heads := filesOf(t, s, alice, "", 10)
	if len(heads) != 1 || heads[0].Path != "a" {
		t.Errorf("Files after a chain of moves = %v, want a alone", heads)
	}
}

// moveAuthors moves versions of odd contents, authors and times.
func moveAuthors(t testing.TB, s store.Store) {
	var want []store.Version
	for i, a := range authors() {
		v := version(int64(i+1), i, texts()[i%8].text)
		v.Author, v.Time = a, at(100-i)
		want = append(want, v)
	}
	n := int64(len(want))
	update(t, s, alice, func(tx store.Tx) error {
		for i := range want {
			head := store.FileHead{Path: "a", Version: int64(i + 1), Sizes: make([]int64, i+1)}
			if err := tx.Apply(store.FileChange{Head: head, New: &want[i]}); err != nil {
				return err
			}
		}
		return nil
	})
	last := version(n+1, 1, "last")
	last.Author = store.Author{Client: "\x00", Version: "a\x00", Key: "\x00b"}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.FileMove{
			From: store.FileHead{Path: "a", Version: n, Deleted: true},
			To:   store.FileHead{Path: "b", Version: n + 1, Sizes: make([]int64, n+1)}, New: last,
		})
	})
	equal(t, "odd versions after a move", view(t, s, alice, readFile("b")).Retained, append(want, last))
}
