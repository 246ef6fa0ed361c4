package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var redactions = []check{
	{"Redactions/SavedIsRead", redactionSaved},
	{"Redactions/Empty", redactionEmpty},
	{"Redactions/Load", redactionLoad},
	{"Redactions/Authors", redactionAuthors},
	{"Redactions/Times", redactionTimes},
	{"Redactions/Summaries", redactionSummaries},
	{"Redactions/Moved", redactionMoved},
	{"Redactions/Pruned", redactionPruned},
	{"Redactions/Undone", redactionUndone},
	{"Redactions/OthersStay", redactionOthers},
	{"Redactions/InTheTransaction", redactionInside},
	{"Redactions/ResultsAreOwn", redactionOwn},
	{"Redactions/Imported", redactionImported},
}

// redact removes the content of the version that is back before the last one, if it is
// retained, has content and is not current.
func redact(tx store.Tx, moment int, path string, back int) error {
	head, state, err := plain.Read(tx).File(path)
	i := len(head.Sizes) - 1 - back
	if err != nil || back < 1 && !head.Deleted || i < 0 {
		return err
	}
	n := head.Numbers()[i]
	if v, err := plain.Read(tx).Version(path, n); err != nil || v.Redacted != nil {
		return err
	}
	row := change(&state, moment, store.Change{Op: store.OpRedact, Kind: store.KindFile, Path: path, Before: n,
		After: head.Version})
	state.Bytes -= head.Sizes[i]
	state.Operations++
	head.Sizes[i] = 0
	if head.Deleted {
		if err := countDeleted(tx, &state, head); err != nil {
			return err
		}
	}
	return tx.Apply(store.VersionRedaction{
		Head: head, Number: n, Redaction: receipt(moment), Change: row, Owner: state,
	})
}

func receipt(moment int) store.Redaction {
	return store.Redaction{Time: at(moment), Author: author(moment)}
}

// redacted returns a version as it is after a redaction.
func redacted(v store.Version, r store.Redaction) store.Version {
	return store.Version{Number: v.Number, Author: v.Author, Time: v.Time, Project: v.Project, Redacted: &r}
}

// threeVersions writes a file of three versions.
func threeVersions(path string) func(store.Tx) error {
	return func(tx store.Tx) error {
		return errors.Join(write(tx, 1, path, "one"), write(tx, 2, path, "two, longer"), write(tx, 3, path, "three"))
	}
}

// afterRedaction is the file that threeVersions writes, with its second version redacted.
func afterRedaction(path string, r store.Redaction) file {
	one, two, three := version(1, 1, "one"), redacted(version(2, 2, ""), r), version(3, 3, "three")
	return file{
		Head:    store.FileHead{Path: path, Version: 3, Sizes: []int64{3, 0, 5}, Created: at(1), Updated: at(3)},
		Current: three, Versions: []store.Version{bare(one), two, bare(three)}, Retained: []store.Version{one, two,
			three},
	}
}

func redactionSaved(t testing.TB, s store.Store) {
	update(t, s, alice, threeVersions("a"))
	before := view(t, s, alice, readOwner)
	update(t, s, alice, func(tx store.Tx) error { return redact(tx, 4, "a", 1) })
	equal(t, "the file after RedactVersion", view(t, s, alice, readFile("a")), afterRedaction("a", receipt(4)))
	for _, v := range view(t, s, alice, readFile("a")).Versions {
		if v.Content != nil {
			t.Errorf("Versions after RedactVersion has content in version %d", v.Number)
		}
	}
	if v := view(t, s, alice, readVersion("a", 2)); v.Content != nil {
		t.Errorf("Version after RedactVersion has the content %q, want nil", v.Content)
	}
	after := before
	after.Bytes, after.Operations, after.Revision, after.Changes = 8, before.Operations+1, 4, 4
	equal(t, "the owner's state after RedactVersion", view(t, s, alice, readOwner), after)
	rows := view(t, s, alice, func(r store.Reader) ([]store.Change, error) { return r.Changes(3, 10) })
	want := store.Change{Revision: 4, Op: store.OpRedact, Kind: store.KindFile, Path: "a", Before: 2, After: 3,
		Author: author(4), Time: at(4)}
	want.Author.Session = "session 4"
	equal(t, "the journal after RedactVersion", rows, []store.Change{want})
	update(t, s, alice, func(tx store.Tx) error { return redact(tx, 5, "a", 2) })
	f := view(t, s, alice, readFile("a"))
	equal(t, "the first of two redacted versions", f.Retained[0], redacted(version(1, 1, ""), receipt(5)))
	equal(t, "the second of two redacted versions", f.Retained[1], redacted(version(2, 2, ""), receipt(4)))
}

// redactionEmpty redacts an empty version: its receipt is more than it was. A version that
// is empty and not redacted has no receipt.
func redactionEmpty(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(write(tx, 1, "a", ""), write(tx, 2, "a", ""), write(tx, 3, "a", ""), redact(tx, 4, "a", 1))
	})
	f := view(t, s, alice, readFile("a"))
	want := []store.Version{version(1, 1, ""), redacted(version(2, 2, ""), receipt(4)), version(3, 3, "")}
	equal(t, "empty versions", f.Retained, want)
	if f.Retained[0].Content == nil {
		t.Error("an empty version that is not redacted has the content nil")
	}
}

func redactionLoad(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(threeVersions("a")(tx), redact(tx, 4, "a", 1))
	})
	f := afterRedaction("a", receipt(4))
	for _, c := range []struct {
		q    store.Query
		want store.Loaded
	}{
		{store.Query{File: "a", Version: 2}, store.Loaded{Version: f.Retained[1]}},
		{store.Query{File: "a", Current: true}, store.Loaded{Version: f.Current}},
		{store.Query{File: "a", Current: true, Since: 2}, store.Loaded{Version: f.Current, Old: f.Retained[1]}},
		{store.Query{File: "a", Current: true, Since: 3}, store.Loaded{Version: bare(f.Current)}},
		{store.Query{File: "a", Version: 2, Since: 2}, store.Loaded{Version: f.Retained[1], Old: f.Retained[1]}},
		{store.Query{File: "a", History: true}, store.Loaded{Versions: f.Versions}},
	} {
		c.want.File = f.Head
		c.want.Owner = view(t, s, alice, readOwner)
		got := view(t, s, alice, func(r store.Reader) (store.Loaded, error) { return r.Load(c.q) })
		equal(t, fmt.Sprintf("Load(%+v) beside a redacted version", c.q), got, c.want)
	}
}

// redactTwo redacts version 2 of a file of threeVersions with any receipt.
func redactTwo(tx store.Tx, path string, r store.Redaction) error {
	state, err := tx.Owner()
	if err != nil {
		return err
	}
	return tx.Apply(store.VersionRedaction{Head: afterRedaction(path, r).Head, Number: 2, Redaction: r, Owner: state})
}

func redactionAuthors(t testing.TB, s store.Store) {
	for i, a := range authors() {
		path, r := fmt.Sprint("a", i), store.Redaction{Time: at(4), Author: a}
		given := r
		given.Author.Session = "is not kept"
		update(t, s, alice, func(tx store.Tx) error {
			return errors.Join(threeVersions(path)(tx), redactTwo(tx, path, given))
		})
		equal(t, fmt.Sprintf("a version that %+v redacted", a), view(t, s, alice, readFile(path)),
			afterRedaction(path, r))
	}
}

func redactionTimes(t testing.TB, s store.Store) {
	for i, given := range times() {
		path := fmt.Sprint("a", i)
		update(t, s, alice, func(tx store.Tx) error {
			return errors.Join(threeVersions(path)(tx), redactTwo(tx, path, store.Redaction{Time: given}))
		})
		sameTime(t, "the time of a redaction", view(t, s, alice, readVersion(path, 2)).Redacted.Time, given)
	}
}

func redactionSummaries(t testing.TB, s store.Store) {
	for _, forget := range []bool{false, true} {
		path := fmt.Sprint("forget-", forget)
		update(t, s, alice, func(tx store.Tx) error {
			return errors.Join(threeVersions(path)(tx), summarise(tx, 4, path, 0, "summary"))
		})
		head := afterRedaction(path, receipt(5)).Head
		state := view(t, s, alice, readOwner)
		update(t, s, alice, func(tx store.Tx) error {
			return tx.Apply(store.VersionRedaction{Head: head, Number: 2, Redaction: receipt(5), Forget: forget,
				Owner: state})
		})
		if made := view(t, s, alice, readFile(path)).Made; (len(made) == 0) != forget {
			t.Errorf("RedactVersion with Forget %v leaves %d summaries of 1", forget, len(made))
		}
	}
}

// redactionMoved moves a redacted version to another path, and back.
func redactionMoved(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(write(tx, 1, "a", "one"), write(tx, 2, "a", "two"), redact(tx, 3, "a", 1),
			move(tx, 4, "a", "b"))
	})
	want := []store.Version{redacted(version(1, 1, ""), receipt(3)), version(2, 2, "two"), version(3, 4, "two")}
	equal(t, "the versions after a move", view(t, s, alice, readFile("b")).Retained, want)
	update(t, s, alice, func(tx store.Tx) error { return redact(tx, 5, "b", 1) })
	want[1] = redacted(version(2, 2, ""), receipt(5))
	equal(t, "the versions after another redaction", view(t, s, alice, readFile("b")).Retained, want)
	update(t, s, alice, func(tx store.Tx) error { return move(tx, 6, "b", "a") })
	want = append(want[1:], version(4, 6, "two"))
	equal(t, "the versions after a move back", view(t, s, alice, readFile("a")).Retained, want)
}

// redactionPruned writes until the redacted version is pruned. The next version does not
// inherit the receipt.
func redactionPruned(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(threeVersions("a")(tx), redact(tx, 4, "a", 2))
	})
	for i := range 4 {
		update(t, s, alice, func(tx store.Tx) error {
			head, state, err := plain.Read(tx).File("a")
			head.Version++
			head.Sizes = append(head.Sizes[1:], 4)
			v := version(head.Version, 5+i, "more")
			return errors.Join(err, tx.Apply(store.FileChange{Head: head, New: &v, Prune: head.Oldest() - 1, Pruned: 1,
				Owner: state}))
		})
		for _, v := range view(t, s, alice, readFile("a")).Retained {
			if v.Redacted != nil {
				t.Errorf("after %d writes version %d has a receipt, want it pruned", i+1, v.Number)
			}
		}
	}
}

func redactionUndone(t testing.TB, s store.Store) {
	update(t, s, alice, threeVersions("a"))
	before := view(t, s, alice, readFile("a"))
	if err := s.Update(t.Context(), alice, func(tx store.Tx) error {
		return errors.Join(redact(tx, 4, "a", 1), errFn)
	}); !errors.Is(err, errFn) {
		t.Errorf("Update = %v, want the function's error", err)
	}
	equal(t, "the file after a redaction that was undone", view(t, s, alice, readFile("a")), before)
}

func redactionOthers(t testing.TB, s store.Store) {
	paths := []string{"a", "a.b", "A", "b"}
	for _, o := range []store.Owner{alice, bob} {
		for _, path := range paths {
			update(t, s, o, threeVersions(path))
		}
	}
	before := view(t, s, bob, readFile("a"))
	update(t, s, alice, func(tx store.Tx) error { return redact(tx, 4, "a", 1) })
	equal(t, "the same path of another owner", view(t, s, bob, readFile("a")), before)
	for _, path := range paths[1:] {
		want := view(t, s, bob, readFile(path))
		equal(t, "another path of the owner", view(t, s, alice, readFile(path)), want)
	}
}

func redactionInside(t testing.TB, s store.Store) {
	var inside file
	update(t, s, alice, func(tx store.Tx) error {
		err := errors.Join(threeVersions("a")(tx), redact(tx, 4, "a", 1))
		if err != nil {
			return err
		}
		state, err := tx.Owner()
		if err != nil {
			return err
		}
		inside, err = dumpFile(tx, "a", state)
		return err
	})
	equal(t, "the file in the transaction of its redaction", inside, afterRedaction("a", receipt(4)))
}

// redactionOwn changes what a Reader has returned.
func redactionOwn(t testing.TB, s store.Store) {
	update(t, s, alice, threeVersions("a"))
	given := receipt(4)
	c := store.VersionRedaction{Head: afterRedaction("a", given).Head, Number: 2, Redaction: given}
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(c) })
	c.Redaction, c.Head.Sizes[0] = store.Redaction{}, 99
	f := view(t, s, alice, readFile("a"))
	for _, list := range [][]store.Version{f.Versions, f.Retained} {
		*list[1].Redacted = store.Redaction{}
	}
	for _, row := range rowsOf(t, s, alice) {
		if row.Version != nil && row.Version.Redacted != nil {
			*row.Version.Redacted = store.Redaction{}
		}
	}
	equal(t, "the file after its results were changed", view(t, s, alice, readFile("a")),
		afterRedaction("a", receipt(4)))
}

// redactionImported saves a version that is redacted already, also in the row of another.
func redactionImported(t testing.TB, s store.Store) {
	given := redacted(version(2, 2, "two"), receipt(4))
	update(t, s, alice, func(tx store.Tx) error {
		err := write(tx, 1, "a", "one")
		if err != nil {
			return err
		}
		head, state, err := plain.Read(tx).File("a")
		head.Version, head.Sizes = 2, append(head.Sizes, 0)
		return errors.Join(err, tx.Apply(store.FileChange{Head: head, New: &given, Owner: state}),
			write(tx, 3, "a", "three"))
	})
	want := []store.Version{version(1, 1, "one"), given, version(3, 3, "three")}
	equal(t, "a version that was redacted before it was saved", view(t, s, alice, readFile("a")).Retained, want)
	later := redacted(version(4, 5, "four"), receipt(6))
	update(t, s, alice, func(tx store.Tx) error {
		head, state, err := plain.Read(tx).File("a")
		head.Version, head.Sizes = 4, append(head.Sizes[1:], 0)
		return errors.Join(err, tx.Apply(store.FileChange{Head: head, New: &later, Prune: 1, Pruned: 1, Owner: state}))
	})
	equal(t, "one that takes the place of another", view(t, s, alice, readFile("a")).Retained, append(want[1:], later))
}
