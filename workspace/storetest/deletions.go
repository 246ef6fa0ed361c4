package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var deletions = []check{
	{"Deletions/VersionsStay", deletionKeeps},
	{"Deletions/Load", deletionLoad},
	{"Deletions/List", deletionList},
	{"Deletions/ForgetDeleted", deletionForget},
	{"Deletions/Lives", deletionLives},
	{"Deletions/Expired", deletionExpired},
	{"Deletions/Fields", deletionFields},
	{"Deletions/MovedOnto", deletionMovedOnto},
	{"Deletions/MovedAway", deletionMovedAway},
	{"Deletions/Redacted", deletionRedacted},
	{"Deletions/Undone", deletionUndone},
	{"Deletions/Dump", deletionDump},
	{"Deletions/Damage", deletionDamage},
	{"Redactions/Entry", redactionEntry},
	{"Redactions/EntryBytes", redactionEntryBytes},
}

// deleted returns the deleted files that retain versions.
func deleted(r store.Reader, limit int) (store.Scanned, error) {
	return r.Scan(store.ScanQuery{Kind: store.KindFile, Deleted: true, Limit: limit})
}

// numbersOf returns the numbers of versions.
func numbersOf(versions []store.Version) (numbers []int64) {
	for _, v := range versions {
		numbers = append(numbers, v.Number)
	}
	return numbers
}

func deletionKeeps(t testing.TB, s store.Store) {
	update(t, s, alice, threeVersions("a"))
	before := view(t, s, alice, readFile("a"))
	update(t, s, alice, func(tx store.Tx) error { return retire(tx, 4, "a") })
	got, want := view(t, s, alice, readFile("a")), before
	want.Head.Deleted, want.Head.Updated, want.Head.Deleter, want.Head.Expires = true, at(4), author(4), expiry(4)
	want.Current = store.Version{}
	equal(t, "a deleted file", got, want)
	state := view(t, s, alice, readOwner)
	if state.Files != 0 || state.DeletedFiles != 1 || state.Restorable != 1 || state.DeletedBytes != state.Bytes ||
		state.Bytes != want.Head.Kept() || !state.NextExpiry.Equal(expiry(4)) {
		t.Errorf("the owner's state after a deletion is %+v", state)
	}
	if list := filesOf(t, s, alice, "", 10); len(list) != 0 {
		t.Errorf("Scan lists the deleted file: %v", list)
	}
	update(t, s, alice, func(tx store.Tx) error { return bringBack(tx, 5, "a", 2) })
	after := view(t, s, alice, readFile("a"))
	equal(t, "the versions after a restore", numbersOf(after.Versions), []int64{2, 3, 4})
	if h := after.Head; h.Deleted || h.Deleter != (store.Author{}) || !h.Expires.IsZero() ||
		!h.Created.Equal(before.Head.Created) || string(after.Current.Content) != "two, longer" {
		t.Errorf("the file after a restore is %+v with %q", h, after.Current.Content)
	}
	state = view(t, s, alice, readOwner)
	if state.Restorable != 0 || state.DeletedBytes != 0 || !state.NextExpiry.IsZero() {
		t.Errorf("the owner's state after a restore is %+v", state)
	}
}

func deletionLoad(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(threeVersions("a")(tx), retire(tx, 4, "a"), write(tx, 5, "b", "b"))
	})
	for _, c := range []struct {
		q            store.Query
		version, old int64
		all          int
	}{
		{store.Query{Current: true}, 0, 0, 0},
		{store.Query{Version: 3}, 3, 0, 0},
		{store.Query{Version: 1, Since: 3}, 1, 3, 0},
		{store.Query{Current: true, Since: 3}, 0, 3, 0},
		{store.Query{Current: true, Since: 2, History: true}, 0, 2, 3},
		{store.Query{Version: 4, Since: 4, History: true, To: "b"}, 0, 0, 3},
	} {
		c.q.File = "a"
		l := view(t, s, alice, func(r store.Reader) (store.Loaded, error) { return r.Load(c.q) })
		if l.Version.Number != c.version || l.Old.Number != c.old || len(l.Versions) != c.all || !l.File.Deleted {
			t.Errorf("Load(%+v) of a deleted file gives the versions %d, %d and %d, want %d, %d and %d", c.q,
				l.Version.Number, l.Old.Number, len(l.Versions), c.version, c.old, c.all)
		}
		for _, v := range []store.Version{l.Version, l.Old} {
			if v.Number != 0 && v.Content == nil {
				t.Errorf("Load(%+v) of a deleted file gives version %d without its content", c.q, v.Number)
			}
		}
	}
}

// deletionList has ties, an order that is not that of the paths or of the deletions, and neighbours.
func deletionList(t testing.TB, s store.Store) {
	order := []struct {
		path    string
		expires int
	}{{"z", 1}, {"B", 5}, {"a", 5}, {"a/b", 5}, {"é", 5}, {"0", 7}, {"y", 8}}
	for i, o := range neighbours()[:3] {
		update(t, s, o, func(tx store.Tx) error {
			if err := errors.Join(write(tx, 1, "there", "x"),
				write(tx, 1, "gone", "x"), remove(tx, 2, "gone")); err != nil {
				return err
			}
			for _, n := range []int{3, 0, 6, 2, 5, 1, 4} {
				if err := write(tx, n, order[n].path, fmt.Sprint(i)); err != nil {
					return err
				}
				h, state, err := plain.Read(tx).File(order[n].path)
				h.Deleted, h.Expires, h.Updated = true, at(order[n].expires), at(100-n)
				if err := errors.Join(err, tx.Apply(store.FileChange{Head: h, Owner: state})); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, o := range neighbours()[:3] {
		for _, limit := range []int{1, 3, 6, 7, 1000} {
			page := view(t, s, o, func(r store.Reader) (store.Scanned, error) { return deleted(r, limit) })
			var got, want []string
			for _, f := range page.Files {
				got = append(got, f.Path)
			}
			for _, f := range order[:min(limit, len(order))] {
				want = append(want, f.path)
			}
			equal(t, fmt.Sprintf("the first %d deleted files of %s", limit, o), got, want)
			if page.More != (limit < len(order)) {
				t.Errorf("Scan of %d deleted files says that there are more: %v", limit, page.More)
			}
		}
	}
}

// deletionForget forgets numbers. Files that were deleted before and retain versions stay.
func deletionForget(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(threeVersions("kept")(tx), retire(tx, 4, "kept"), write(tx, 5, "a", "x"), remove(tx, 6, "a"),
			write(tx, 7, "b", "x"), remove(tx, 8, "b"))
	})
	for _, c := range []struct {
		n       int
		highest int64
		left    []string
	}{{1, 1, []string{"b", "kept"}}, {10, 1, []string{"kept"}}, {10, 0, []string{"kept"}}} {
		update(t, s, alice, func(tx store.Tx) error {
			if highest, err := tx.ForgetDeleted(store.KindFile, c.n); err != nil || highest != c.highest {
				t.Errorf("ForgetDeleted(%d) = %d, %v, want %d", c.n, highest, err, c.highest)
			}
			return nil
		})
		var left []string
		for _, path := range []string{"a", "b", "kept"} {
			if view(t, s, alice, readFile(path)).Head.Deleted {
				left = append(left, path)
			}
		}
		equal(t, "the deleted files that are left", left, c.left)
	}
	equal(t, "the versions that stay", numbersOf(view(t, s, alice, readFile("kept")).Versions), []int64{1, 2, 3})
}

// deletionLives writes three files of one path one after the other, and brings back a version of
// the first.
func deletionLives(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(write(tx, 1, "a", "first"), retire(tx, 2, "a"), write(tx, 3, "a", "second"),
			retire(tx, 4, "a"))
	})
	update(t, s, alice, func(tx store.Tx) error { return bringBack(tx, 5, "a", 1) })
	f := view(t, s, alice, readFile("a"))
	equal(t, "the runs of three lives", f.Head.Runs, []store.Run{{First: 1, Count: 1, Created: at(1)},
		{First: 2, Count: 1, Created: at(3)}, {First: 3, Count: 1, Created: at(1)}})
	equal(t, "the file that goes on", f.Head.Created, at(1))
	update(t, s, alice, func(tx store.Tx) error { return errors.Join(write(tx, 6, "a", "x"), write(tx, 7, "a", "y")) })
	f = view(t, s, alice, readFile("a"))
	equal(t, "the runs when one life is left", f.Head.Runs, []store.Run(nil))
	equal(t, "the versions when one life is left", numbersOf(f.Versions), []int64{3, 4, 5})
}

func deletionExpired(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(threeVersions("a")(tx), retire(tx, 4, "a"), threeVersions("b")(tx), retire(tx, 5, "b"))
	})
	update(t, s, alice, func(tx store.Tx) error { return expire(tx, "a") })
	f := view(t, s, alice, readFile("a"))
	if !f.Head.Deleted || f.Head.Version != 3 || len(f.Versions) != 0 || !f.Head.Expires.IsZero() {
		t.Errorf("an expired file has the head %+v and %d versions", f.Head, len(f.Versions))
	}
	page := view(t, s, alice, func(r store.Reader) (store.Scanned, error) { return deleted(r, 10) })
	if len(page.Files) != 1 || page.Files[0].Path != "b" {
		t.Errorf("after a had expired, Scan lists %v, want b", page.Files)
	}
	update(t, s, alice, func(tx store.Tx) error { return write(tx, 6, "a", "x") })
	equal(t, "the versions after a write", numbersOf(view(t, s, alice, readFile("a")).Versions), []int64{4})
}

// deletionFields stores heads with odd authors, times and runs.
func deletionFields(t testing.TB, s store.Store) {
	for i, a := range authors() {
		h := store.FileHead{Path: fmt.Sprint("a", i), Version: 1<<53 + int64(i), Sizes: []int64{1, 2, 3}, Deleted: true,
			Created: at(i), Updated: at(i), Deleter: a, Expires: at(i).Add(time.Nanosecond)}
		h.Runs = []store.Run{{First: 1, Count: 2, Created: at(i + 1).Add(time.Nanosecond)},
			{First: 1 << 52, Count: 1, Created: at(-1_000_000)}}
		update(t, s, alice, func(tx store.Tx) error { return tx.Apply(store.FileChange{Head: h}) })
		h.Deleter.Session, h.Expires, h.Runs[0].Created = "", at(i), at(i+1)
		equal(t, "the head of a deleted file", view(t, s, alice, readFile(h.Path)).Head, h)
	}
	heads := view(t, s, alice, func(r store.Reader) (store.Scanned, error) { return deleted(r, 1000) })
	if len(heads.Files) != len(authors()) {
		t.Errorf("Scan lists %d deleted files, want %d", len(heads.Files), len(authors()))
	}
	state := store.OwnerState{Usage: store.Usage{DeletedBytes: 1<<62 + 1}, Restorable: 1<<53 + 1,
		NextExpiry: at(1).Add(time.Nanosecond)}
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(state) })
	state.NextExpiry = at(1)
	equal(t, "the owner's state", view(t, s, alice, readOwner), state)
}

// deletionMovedOnto moves a file to a path that retains versions. Those numbers that the path
// never had come along, and leave a gap.
func deletionMovedOnto(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(write(tx, 1, "b", "old"), retire(tx, 2, "b"), write(tx, 3, "a", "1"), write(tx, 4, "a", "2"),
			write(tx, 5, "a", "3"), write(tx, 6, "a", "4"), write(tx, 7, "c", "beside"), moveKeeping(tx, 8, "a", "b"))
	})
	// a had 2 to 4. Two of them stay with the version that the move adds.
	equal(t, "the versions after a move", numbersOf(view(t, s, alice, readFile("b")).Versions), []int64{3, 4, 5})
	equal(t, "what is left", view(t, s, alice, readFile("a")).Versions, []store.Version(nil))

	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(retire(tx, 9, "b"), write(tx, 10, "d", "1"), write(tx, 11, "d", "2"),
			moveKeeping(tx, 12, "d", "b"))
	})
	b, d := view(t, s, alice, readFile("b")), view(t, s, alice, readFile("d"))
	equal(t, "the versions after a move onto higher numbers", numbersOf(b.Versions), []int64{4, 5, 6})
	equal(t, "the runs after a move", b.Head.Runs, []store.Run{{First: 4, Count: 2, Created: at(3)},
		{First: 6, Count: 1, Created: at(10)}})
	equal(t, "the versions that cannot go along", numbersOf(d.Retained), []int64{1, 2})
	if !d.Head.Deleted || !d.Head.Expires.Equal(expiry(12)) || string(d.Retained[1].Content) != "2" {
		t.Errorf("a move that leaves versions leaves the head %+v", d.Head)
	}
	equal(t, "a file beside the move", numbersOf(view(t, s, alice, readFile("c")).Versions), []int64{1})
}

// deletionMovedAway moves a file whose versions have a gap, some of them along and some not.
func deletionMovedAway(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		h := store.FileHead{Path: "a", Version: 7, Sizes: []int64{1, 1, 1}, Created: at(3), Updated: at(4),
			Runs: []store.Run{{First: 1, Count: 1, Created: at(1)}, {First: 5, Count: 1, Created: at(1)},
				{First: 7, Count: 1, Created: at(3)}}}
		state := store.OwnerState{Usage: store.Usage{Files: 1, Bytes: 3}, Versions: 3}
		for _, n := range h.Numbers() {
			v := version(n, int(n), fmt.Sprint(n))
			if err := tx.Apply(store.FileChange{Head: h, New: &v, Owner: state}); err != nil {
				return err
			}
		}
		return errors.Join(write(tx, 8, "b", "1"), write(tx, 8, "b", "2"), retire(tx, 9, "b"),
			moveKeeping(tx, 10, "a", "b"))
	})
	a, b := view(t, s, alice, readFile("a")), view(t, s, alice, readFile("b"))
	equal(t, "the versions that went along", numbersOf(b.Retained), []int64{5, 7, 8})
	equal(t, "their runs", b.Head.Runs, []store.Run{{First: 5, Count: 1, Created: at(1)},
		{First: 7, Count: 2, Created: at(3)}})
	equal(t, "the versions that stay", numbersOf(a.Retained), []int64{1})
	equal(t, "their runs", a.Head.Runs, []store.Run{{First: 1, Count: 1, Created: at(1)}})
	equal(t, "a version in the gap", view(t, s, alice, func(r store.Reader) (store.Version, error) {
		l, err := r.Load(store.Query{File: "b", Version: 6, Since: 6})
		return l.Old, err
	}), store.Version{})
	if got := string(b.Retained[0].Content) + string(a.Retained[0].Content); got != "51" {
		t.Errorf("the oldest versions have the contents %q, want 51", got)
	}
}

// deletionRedacted redacts the last version of a deleted file.
func deletionRedacted(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(threeVersions("a")(tx), retire(tx, 4, "a"), redact(tx, 5, "a", 0))
	})
	f := view(t, s, alice, readFile("a"))
	equal(t, "the redacted version", f.Retained[2], redacted(version(3, 3, ""), receipt(5)))
	equal(t, "the version before", f.Retained[1], version(2, 2, "two, longer"))
}

func deletionUndone(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(fillDeleted(tx, "x"), threeVersions("live")(tx))
	})
	before := rowsOf(t, s, alice)
	for _, fn := range []func(store.Tx) error{
		func(tx store.Tx) error { return retire(tx, 80, "live") },
		func(tx store.Tx) error { return bringBack(tx, 80, "held", 1) },
		func(tx store.Tx) error { return expire(tx, "held") },
		func(tx store.Tx) error { return moveKeeping(tx, 80, "live", "back") },
		func(tx store.Tx) error { return redactEntry(tx, 80, "told", 0) },
	} {
		if err := s.Update(t.Context(), alice, func(tx store.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			return errFn
		}); !errors.Is(err, errFn) {
			t.Errorf("Update that fails = %v", err)
		}
		sameRows(t, "all rows after what was undone", rowsOf(t, s, alice), before)
	}
}

// deletionDump copies deleted files to another owner, who restores them.
func deletionDump(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error { return fillDeleted(tx, "x") })
	rows := rowsOf(t, s, alice)
	report, err := dump.Check(t.Context(), s, alice)
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("the dump of deleted files: %v, %q", err, report.Problems)
	}
	restore(t, s, bob, rows)
	sameRows(t, "Dump of a copy", rowsOf(t, s, bob), rows)
	list := func(o store.Owner) store.Scanned {
		return view(t, s, o, func(r store.Reader) (store.Scanned, error) { return deleted(r, 10) })
	}
	equal(t, "the deleted files of a copy", list(bob), list(alice))
	for _, o := range []store.Owner{alice, bob} {
		update(t, s, o, func(tx store.Tx) error {
			return errors.Join(bringBack(tx, 80, "back", 1), bringBack(tx, 81, "held", 1), expire(tx, "far"))
		})
	}
	sameRows(t, "Dump of a copy that goes on", rowsOf(t, s, bob), rowsOf(t, s, alice))
}

// deletionDamage restores rows that do not fit together.
func deletionDamage(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error { return fillDeleted(tx, "x") })
	for _, c := range []struct {
		what  string
		spoil func(store.Row) bool // reports whether it changed the row
	}{
		{"no deadline", func(r store.Row) bool {
			return r.File != nil && !swap(&r.File.Expires, time.Time{}).IsZero()
		}},
		{"a deadline that the state does not know", func(r store.Row) bool {
			return r.File != nil && r.File.Deleted && len(r.File.Sizes) > 0 &&
				!swap(&r.File.Expires, at(-1)).IsZero()
		}},
		{"a run too short", func(r store.Row) bool {
			return r.File != nil && r.File.Runs != nil && less(&r.File.Runs[0].Count)
		}},
		{"a run of another number", func(r store.Row) bool {
			return r.File != nil && r.File.Runs != nil && less(&r.File.Runs[0].First)
		}},
		{"no runs", func(r store.Row) bool { return r.File != nil && swap(&r.File.Runs, nil) != nil }},
		{"a version in a gap", func(r store.Row) bool {
			return r.Version != nil && r.Path == "back" && less(&r.Version.Number)
		}},
		{"another number of deleted files", func(r store.Row) bool {
			return r.State != nil && less(&r.State.Restorable)
		}},
		{"other bytes of deleted files", func(r store.Row) bool {
			return r.State != nil && less(&r.State.DeletedBytes)
		}},
		{"another deadline", func(r store.Row) bool {
			return r.State != nil && !swap(&r.State.NextExpiry, at(0)).IsZero()
		}},
		{"a file that exists with a deleter", func(r store.Row) bool {
			return r.File != nil && swap(&r.File.Deleted, false)
		}},
	} {
		rows, done := rowsOf(t, s, alice), false
		for _, r := range rows {
			done = done || c.spoil(r)
		}
		err := s.Restore(t.Context(), bob, given(rows, nil))
		if !done || !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Restore of %s = %v, want ErrInvalid", c.what, err)
		}
	}
	restore(t, s, bob, rowsOf(t, s, alice))
}

// swap sets a value, and returns the one before.
func swap[T any](p *T, v T) T {
	before := *p
	*p = v
	return before
}

func less(n *int64) bool {
	*n--
	return true
}

func redactionEntry(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(add(tx, 1, "l", "one", "two", ""), add(tx, 2, "l", "four"), add(tx, 3, "m", "two"))
	})
	before := view(t, s, alice, readOwner)
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(redactEntry(tx, 4, "l", 1), redactEntry(tx, 5, "l", 2))
	})
	want := []store.Entry{entry(1, 1, "one"), {ID: 2, Author: author(1), Time: at(1), Redacted: new(receipt(4))},
		{ID: 3, Author: author(1), Time: at(1), Redacted: new(receipt(5))}, entry(4, 2, "four")}
	read := func(r store.Reader) ([]store.Entry, error) { return r.Entries("l", store.EntryQuery{}) }
	equal(t, "the entries of a log after two redactions", view(t, s, alice, read), want)
	equal(t, "a log beside it", view(t, s, alice, func(r store.Reader) ([]store.Entry, error) {
		return r.Entries("m", store.EntryQuery{})
	}), []store.Entry{entry(1, 3, "two")})
	after := before
	after.Bytes, after.Operations, after.Revision, after.Changes = before.Bytes-3, before.Operations+2, 5, 5
	equal(t, "the owner's state", view(t, s, alice, readOwner), after)
	head := view(t, s, alice, func(r store.Reader) (store.LogHead, error) {
		h, _, err := plain.Read(r).Log("l")
		return h, err
	})
	if head.Bytes != 7 || head.Entries() != 4 {
		t.Errorf("the head after two redactions is %+v, want 4 entries of 7 bytes", head)
	}
	rows := view(t, s, alice, func(r store.Reader) ([]store.Change, error) { return r.Changes(3, 1) })
	row := store.Change{Revision: 4, Op: store.OpRedact, Kind: store.KindLog, Path: "l", Before: 2, After: 4,
		Author: author(4), Time: at(4)}
	row.Author.Session = "session 4"
	equal(t, "the journal", rows, []store.Change{row})
	update(t, s, alice, func(tx store.Tx) error { return add(tx, 6, "l", "five") })
	equal(t, "the log that goes on", view(t, s, alice, read), append(want, entry(5, 6, "five")))
}

// redactionEntryBytes: a receipt is no content.
func redactionEntryBytes(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(add(tx, 1, "l", "1", "2", "3", "4"), redactEntry(tx, 2, "l", 1))
	})
	equal(t, "the bytes of three entries", view(t, s, alice, func(r store.Reader) (int64, error) {
		return plain.Read(r).EntryBytes("l", 3)
	}), int64(2))
	for _, tail := range []bool{false, true} {
		list := view(t, s, alice, func(r store.Reader) ([]store.Entry, error) {
			return r.Entries("l", store.EntryQuery{MaxBytes: 3, Tail: tail})
		})
		if len(list) != 4 {
			t.Errorf("Entries with at most 3 bytes, tail %v, gives %d, want all four", tail, len(list))
		}
	}
}
