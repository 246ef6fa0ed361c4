package storetest

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var files = []check{
	{"Files/SavedIsRead", fileSaved},
	{"Files/OwnerStateIsSavedToo", fileOwnerState},
	{"Files/VersionsAscend", fileVersions},
	{"Files/Prune", filePrune},
	{"Files/Deleted", fileDeleted},
	{"Files/VersionThatExists", fileVersionExists},
	{"Files/CurrentMissing", fileCurrentMissing},
	{"Files/List", fileList},
	{"Files/ListLeavesDeletedOut", fileListDeleted},
	{"Files/Authored", fileAuthored},
	{"Files/AuthoredList", fileAuthoredList},
	{"Files/AuthorMissing", fileAuthorMissing},
	{"Files/Currents", fileCurrents},
	{"Files/KeptVersions", fileKeptVersions},
	{"Files/CurrentList", fileCurrentList},
	{"Files/ForgetDeleted", forgetFiles},
	{"Files/ForgetDeletedTies", forgetTies},
	{"Files/Content", fileContent},
	{"Files/Authors", fileAuthors},
	{"Files/Times", fileTimes},
	{"Files/Numbers", fileNumbers},
	{"Files/ResultsAreOwn", fileResultsOwn},
}

func readFile(path string) func(store.Reader) (file, error) {
	return func(r store.Reader) (file, error) {
		state, err := r.Owner()
		if err != nil {
			return file{}, err
		}
		return dumpFile(r, path, state)
	}
}

func readVersion(path string, n int64) func(store.Reader) (store.Version, error) {
	return func(r store.Reader) (store.Version, error) { return plain.Read(r).Version(path, n) }
}

// bare returns a version without content, as a list shows it.
func bare(v store.Version) store.Version {
	v.Content = nil
	return v
}

func fileSaved(t testing.TB, s store.Store) {
	v := store.Version{
		Number: 1, Size: 5, SHA256: sha256.Sum256([]byte("hello")),
		Author: store.Author{Client: "claude", Version: "2.1", Key: "k1"}, Time: at(2), Content: []byte("hello"),
	}
	head := store.FileHead{Path: "a/b.txt", Version: 1, Sizes: []int64{5}, Created: at(1), Updated: at(2)}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.FileChange{Head: head, New: &v})
	})
	equal(t, "SaveFile then the file", view(t, s, alice, readFile("a/b.txt")), file{
		Head: head, Current: v, Versions: []store.Version{bare(v)}, Retained: []store.Version{v},
	})
	list := filesOf(t, s, alice, "", 10)
	equal(t, "SaveFile then Files", list, []store.FileHead{head})
	versions := view(t, s, alice, func(r store.Reader) ([]store.Version, error) {
		return plain.Read(r).Versions("a/b.txt")
	})
	if len(versions) != 1 || versions[0].Content != nil {
		t.Errorf("Versions = %v, want one, its Content nil", versions)
	}
}

func fileOwnerState(t testing.TB, s store.Store) {
	state := store.OwnerState{
		Usage:     store.Usage{Files: 1, Logs: 2, Entries: 3, Bytes: 1 << 40, Operations: 5},
		FileFloor: 6, LogFloor: 7, DeletedFiles: 8, DeletedLogs: 9, Requests: 10,
	}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.FileChange{
			Head: store.FileHead{Path: "a", Version: 1, Sizes: []int64{1}}, New: new(version(1, 1, "x")), Owner: state,
		})
	})
	got := view(t, s, alice, func(r store.Reader) (store.OwnerState, error) { return r.Owner() })
	equal(t, "SaveFile then Owner", got, state)
	for _, path := range []string{"a", "other"} {
		got = view(t, s, alice, func(r store.Reader) (store.OwnerState, error) {
			_, state, err := plain.Read(r).File(path)
			return state, err
		})
		equal(t, "SaveFile then the state beside File "+path, got, state)
	}
}

func fileVersions(t testing.TB, s store.Store) {
	for i, content := range []string{"one", "two", "three"} {
		update(t, s, alice, func(tx store.Tx) error { return write(tx, i, "a", content) })
	}
	one, two, three := version(1, 0, "one"), version(2, 1, "two"), version(3, 2, "three")
	equal(t, "a file of three versions", view(t, s, alice, readFile("a")), file{
		Head:     store.FileHead{Path: "a", Version: 3, Sizes: []int64{3, 3, 5}, Created: at(0), Updated: at(2)},
		Current:  three,
		Versions: []store.Version{bare(one), bare(two), bare(three)},
		Retained: []store.Version{one, two, three},
	})
}

func filePrune(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(
			write(tx, 0, "a", "one"), write(tx, 1, "a", "two"), write(tx, 2, "a", "three"),
			write(tx, 0, "b", "one"), write(tx, 1, "b", "two"),
			tx.Apply(store.FileChange{
				Head:  store.FileHead{Path: "a", Version: 4, Sizes: []int64{5, 4}, Created: at(0), Updated: at(3)},
				New:   new(version(4, 3, "four")),
				Prune: 2,
			}),
		)
	})
	three, four := version(3, 2, "three"), version(4, 3, "four")
	got := view(t, s, alice, readFile("a"))
	equal(t, "SaveFile(Prune: 2) then Versions", got.Versions, []store.Version{bare(three), bare(four)})
	equal(t, "SaveFile(Prune: 2) then each Version", got.Retained, []store.Version{three, four})
	equal(t, "SaveFile(Prune: 2) then Current", got.Current, four)
	if _, err := try(t, s, alice, readVersion("a", 2)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("SaveFile(Prune: 2) then Version(2) = %v, want ErrNotFound", err)
	}
	if got := view(t, s, alice, readFile("b")); len(got.Versions) != 2 {
		t.Errorf("SaveFile(a, Prune: 2) then Versions(b) = %v, want both", got.Versions)
	}
}

func fileDeleted(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(write(tx, 0, "a", "one"), write(tx, 1, "a", "two"))
	})
	update(t, s, alice, func(tx store.Tx) error { return remove(tx, 2, "a") })
	equal(t, "a deleted file", view(t, s, alice, readFile("a")), file{
		Head: store.FileHead{Path: "a", Version: 2, Deleted: true, Created: at(0), Updated: at(2)},
	})
	for n := range int64(3) {
		if _, err := try(t, s, alice, readVersion("a", n)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Version(%d) of a deleted file = %v, want ErrNotFound", n, err)
		}
	}
	noVersions(t, s, "a deletion", "a")
}

// noVersions looks for versions of alice's that no head counts.
func noVersions(t testing.TB, s store.Store, what, path string) {
	t.Helper()
	for _, r := range rowsOf(t, s, alice) {
		if r.Version != nil && r.Path == path {
			t.Errorf("after %s, version %d of %s is still there", what, r.Version.Number, path)
		}
	}
}

func fileVersionExists(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error { return write(tx, 1, "a", "kept") })
	before := view(t, s, alice, readFile("a"))
	err := s.Update(t.Context(), alice, func(tx store.Tx) error {
		return tx.Apply(store.FileChange{Head: before.Head, New: new(version(1, 2, "lost"))})
	})
	if err == nil {
		t.Error("SaveFile of a version that exists = nil, want an error")
	}
	equal(t, "a version that was to be stored twice", view(t, s, alice, readFile("a")), before)
}

func fileCurrentMissing(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.FileChange{Head: store.FileHead{Path: "a", Version: 7, Sizes: []int64{5}}})
	})
	if _, err := try(t, s, alice, readFile("a")); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("Current of a version that is not there = %v, want ErrCorrupt", err)
	}
}

func fileList(t testing.TB, s store.Store) {
	testList(t, s, write1, listed(readFiles, func(h store.FileHead) string { return h.Path }))
}

// listed returns a function that reads a page of a list and returns its paths.
func listed[T any](read func(store.Reader, string, string, int) ([]T, error), path func(T) string) pathLister {
	return func(r store.Reader, prefix, after string, limit int) (paths []string, err error) {
		list, err := read(r, prefix, after, limit)
		for _, one := range list {
			paths = append(paths, path(one))
		}
		return paths, err
	}
}

func readFiles(r store.Reader, prefix, after string, limit int) ([]store.FileHead, error) {
	return plain.Read(r).Files(prefix, after, limit)
}

type pathLister func(r store.Reader, prefix, after string, limit int) (paths []string, err error)

func write1(tx store.Tx, moment int, path string) error { return write(tx, moment, path, path) }

// testList tests a list of paths: its order, its prefix and its pages.
func testList(t testing.TB, s store.Store, save func(store.Tx, int, string) error, list pathLister) {
	paths := []string{
		"a", "a-", "a-b", "a.", "a.b", "a/", "a/b", "a/b/c", "a0", "aB", "aZ", "a_", "a_b", "ab", "abc", "axb", "az",
		"A", "A/b", "AB", "B", "Z", "_", "_a", "-", "-a", ".a", "0", "9", "b", "b/a", "z", strings.Repeat("z", 255),
		"a b", "a b c", "a\x7f", "a\x7fb", "a\u0080", "aé", "aé/b", "a\U0010ffff", "a\U0010ffffb", "é", "é b", "éé",
		"ê", "\u07ff", "\u0800",
		"خ", "خُ", "ज", "जो", "記", "記/記", "記憶", "訙", "\uffff", "\U00010000", "\U0010ffff", strings.Repeat("\U0010ffff",
			255),
	}
	update(t, s, alice, func(tx store.Tx) error { // not in order
		for i := range paths {
			if err := save(tx, i, paths[i*7%len(paths)]); err != nil {
				return err
			}
		}
		return nil
	})
	slices.Sort(paths)
	get := func(prefix, after string, limit int) []string {
		return view(t, s, alice, func(r store.Reader) ([]string, error) { return list(r, prefix, after, limit) })
	}
	want := func(prefix, after string, limit int) (found []string) {
		for _, p := range paths {
			if strings.HasPrefix(p, prefix) && p > after && len(found) < limit {
				found = append(found, p)
			}
		}
		return found
	}
	prefixes := append([]string{"", "none", "/", "a/b/", "zz", "~", "a/b/c/d", "\x7f", "a ", "記/",
		"\U0010ffff\U0010ffff", "\U0010fffe"}, paths...)
	for _, prefix := range prefixes {
		equal(t, "the list below "+prefix, get(prefix, "", 100), want(prefix, "", 100))
		for _, after := range []string{"", "A", "Z~", "a", "a/", "a/b", "a/bb", "b", "z", "zz", "~", "a\x7f", "aé", "é",
			"記", "\U0010ffff"} {
			for _, limit := range []int{1, 3, 100} {
				if got, want := get(prefix, after, limit), want(prefix, after, limit); !slices.Equal(got, want) {
					t.Errorf("list(prefix %q, after %q, limit %d) = %q, want %q", prefix, after, limit, got, want)
				}
			}
		}
	}
	var all []string
	for after := ""; ; {
		page := get("", after, 4)
		if len(page) == 0 {
			break
		}
		if len(page) > 4 || len(all) > len(paths) {
			t.Fatalf("pages of 4 = %q, then %q", all, page)
		}
		all = append(all, page...)
		after = page[len(page)-1]
	}
	equal(t, "all pages of 4", all, paths)
}

func fileListDeleted(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(write(tx, 0, "a", "x"), write(tx, 1, "b", "x"), write(tx, 2, "c", "x"),
			write(tx, 3, "d", "x"),
			remove(tx, 4, "b"), remove(tx, 5, "d"))
	})
	list := filesOf(t, s, alice, "", 2)
	if len(list) != 2 || list[0].Path != "a" || list[1].Path != "c" {
		t.Errorf("Files of a, c and the deleted b, d = %v, want a and c", list)
	}
}

func forgetFiles(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(
			write(tx, 1, "old", "x"), // live, and older than all
			write(tx, 2, "a", "x"), write(tx, 3, "a", "y"), write(tx, 4, "a", "z"),
			write(tx, 5, "b", "x"), write(tx, 6, "c", "x"), write(tx, 7, "d", "x"), write(tx, 8, "d", "y"),
			remove(tx, 9, "d"), remove(tx, 10, "a"), remove(tx, 11, "c"), remove(tx, 12, "b"))
	})
	state := view(t, s, alice, func(r store.Reader) (store.OwnerState, error) { return r.Owner() })
	forget := forgetter(t, s, store.KindFile, func(path string) int64 {
		return view(t, s, alice, readFile(path)).Head.Version
	})
	forget(0, 0, "old", "a", "b", "c", "d")
	forget(1, 2, "old", "a", "b", "c") // d, deleted first
	forget(2, 3, "old", "b")           // a and c
	forget(5, 1, "old")
	forget(5, 0, "old")
	after := view(t, s, alice, func(r store.Reader) (store.OwnerState, error) { return r.Owner() })
	equal(t, "ForgetDeleted then Owner, which it leaves to its caller", after, state)
	equal(t, "a forgotten file", view(t, s, alice, readFile("a")), file{Head: store.FileHead{Path: "a"}})

	update(t, s, alice, func(tx store.Tx) error { return write(tx, 20, "a", "again") })
	if v := view(t, s, alice, readFile("a")).Current; string(v.Content) != "again" {
		t.Errorf("a forgotten file made again is %q, want %q", v.Content, "again")
	}
}

// forgetter returns a function that forgets n deleted paths of a kind. It expects the highest
// number of these, and that only some of the paths old and a to d have a number still.
func forgetter(t testing.TB, s store.Store, kind store.PathKind, number func(path string) int64) func(n int, want int64,
	left ...string) {
	return func(n int, want int64, left ...string) {
		t.Helper()
		var got int64
		update(t, s, alice, func(tx store.Tx) (err error) {
			got, err = tx.ForgetDeleted(kind, n)
			return err
		})
		var known []string
		for _, path := range []string{"old", "a", "b", "c", "d"} {
			if number(path) > 0 {
				known = append(known, path)
			}
		}
		if got != want || !slices.Equal(known, left) {
			t.Errorf("ForgetDeleted(%d) = %d and leaves %q, want %d and %q", n, got, known, want, left)
		}
	}
}

func forgetTies(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(
			write(tx, 1, "b", "x"), write(tx, 1, "b", "x"), write(tx, 1, "B", "x"), write(tx, 1, "B", "x"), write(tx, 1,
				"B", "x"),
			write(tx, 1, "a", "x"),
			remove(tx, 2, "b"), remove(tx, 2, "B"), remove(tx, 2, "a"))
	})
	var got []int64
	update(t, s, alice, func(tx store.Tx) error {
		got = nil
		for range 3 {
			n, err := tx.ForgetDeleted(store.KindFile, 1)
			if err != nil {
				return err
			}
			got = append(got, n)
		}
		return nil
	})
	equal(t, "ForgetDeleted(1) of B, a, b deleted at one time", got, []int64{3, 1, 2})
}

// texts returns contents that a careless store changes.
func texts() []struct{ name, text string } {
	return []struct{ name, text string }{
		{"empty", ""},
		{"nul", "\x00"},
		{"nuls", "a\x00b\x00\x00"},
		{"nul-first", "\x00a"},
		{"lines", "a\r\nb\n\n"},
		{"spaces", "  \t "},
		{"unicode", "e\u0301 \u00e9 \U0001f600 \ufeff\ufffd"},
		{"quotes", "'\"\\`; DROP TABLE files; --"},
		{"number", "1e3"},
		{"null", "NULL"},
		{"control", strings.Repeat("\x00\x01\x7f\n", 1<<14)},
		{"1-MiB", strings.Repeat("0123456789abcdef", 1<<16)},
	}
}

func fileContent(t testing.TB, s store.Store) {
	for _, c := range texts() {
		name, text := c.name, c.text
		update(t, s, alice, func(tx store.Tx) error { return write(tx, 1, name, text) })
		f := view(t, s, alice, readFile(name))
		if got := string(f.Current.Content); got != text {
			t.Errorf("%s: Current gives %d bytes %.40q, want %d bytes %.40q", name, len(got), got, len(text), text)
		}
		if got := string(f.Retained[0].Content); got != text {
			t.Errorf("%s: Version gives %d bytes %.40q, want %d bytes %.40q", name, len(got), got, len(text), text)
		}
		if f.Versions[0].Size != int64(len(text)) || f.Versions[0].SHA256 != sha256.Sum256([]byte(text)) {
			t.Errorf("%s: Versions gives size %d and hash %x, want %d and that of the content",
				name, f.Versions[0].Size, f.Versions[0].SHA256, len(text))
		}
	}
	update(t, s, alice, func(tx store.Tx) error {
		v := version(1, 1, "")
		v.Content = nil
		return tx.Apply(store.FileChange{Head: store.FileHead{Path: "nil", Version: 1, Sizes: []int64{0}}, New: &v})
	})
	if f := view(t, s, alice, readFile("nil")); f.Current.Number != 1 || len(f.Current.Content) != 0 {
		t.Errorf("a version saved with nil Content is %+v, want version 1 with none", f.Current)
	}
}

// times returns moments that a clock may show.
func times() []time.Time {
	return []time.Time{
		{},
		time.Now(), // a monotonic clock beside it
		at(1).In(time.FixedZone("east", 5*3600+1800)),
		at(1).Add(999 * time.Nanosecond),
		time.Unix(0, 0), time.Unix(0, 1000), time.Unix(-1, 1000), time.Unix(-1, 999999999),
		time.Date(2262, 4, 12, 0, 0, 0, 1000, time.UTC),
	}
}

// sameTime tests that a time is the given one, in UTC and to the microsecond.
func sameTime(t testing.TB, what string, got, given time.Time) {
	t.Helper()
	if want := given.UTC().Truncate(time.Microsecond); got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func fileTimes(t testing.TB, s store.Store) {
	for i, given := range times() {
		n := int64(i + 1)
		v := version(n, 0, "x")
		v.Time = given
		update(t, s, alice, func(tx store.Tx) error {
			return tx.Apply(store.FileChange{
				Head: store.FileHead{Path: "a", Version: n, Sizes: make([]int64, n), Created: given,
					Updated: given}, New: &v,
			})
		})
		f := view(t, s, alice, readFile("a"))
		sameTime(t, "Created", f.Head.Created, given)
		sameTime(t, "Updated", f.Head.Updated, given)
		sameTime(t, "Time in Current", f.Current.Time, given)
		sameTime(t, "Time in Versions", f.Versions[n-1].Time, given)
		list := filesOf(t, s, alice, "", 1)
		sameTime(t, "Updated in Files", list[0].Updated, given)
	}
}

func fileNumbers(t testing.TB, s store.Store) {
	const large = 1<<62 + 1 // not a float64
	sizes := []int64{0, 1, 1 << 31, 1<<53 + 1, large}
	for len(sizes) < 200 {
		sizes = append(sizes, int64(len(sizes)))
	}
	head := store.FileHead{Path: "a", Version: large, Sizes: sizes}
	v := version(large, 1, "x")
	state := store.OwnerState{Usage: store.Usage{Bytes: large, Operations: large}, FileFloor: large, LogFloor: large}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.FileChange{Head: head, New: &v, Owner: state})
	})
	f := view(t, s, alice, readFile("a"))
	equal(t, "a head with large numbers", f.Head, head)
	equal(t, "a version with a large number", f.Current, v)
	got := view(t, s, alice, func(r store.Reader) (store.OwnerState, error) { return r.Owner() })
	equal(t, "a state with large numbers", got, state)
}

func fileResultsOwn(t testing.TB, s store.Store) {
	v, sizes := version(1, 1, "content"), []int64{7}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.FileChange{Head: store.FileHead{Path: "a", Version: 1, Sizes: sizes}, New: &v})
	})
	v.Content[0], sizes[0] = 'X', 99
	want := file{
		Head: store.FileHead{Path: "a", Version: 1, Sizes: []int64{7}}, Current: version(1, 1, "content"),
		Versions: []store.Version{bare(version(1, 1, "content"))}, Retained: []store.Version{version(1, 1, "content")},
	}
	for range 2 {
		got := view(t, s, alice, readFile("a"))
		equal(t, "a file after its caller wrote into what it gave and got", got, want)
		list := filesOf(t, s, alice, "", 1)
		equal(t, "Files after its caller wrote into them", list, []store.FileHead{want.Head})
		files := view(t, s, alice, first(currents, 1))
		equal(t, "CurrentFiles after its caller wrote into them", files,
			[]store.File{{FileHead: want.Head, Current: want.Current}})
		files[0].Current.Content[0], files[0].Sizes[0] = 'X', 99
		got.Current.Content[0], got.Retained[0].Content[0], got.Head.Sizes[0], list[0].Sizes[0] = 'X', 'X', 99, 99
		got.Versions[0].Number = 99
	}
}
