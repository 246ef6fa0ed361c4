package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var logs = []check{
	{"Logs/SavedIsRead", logSaved},
	{"Logs/OwnerStateIsSavedToo", logOwnerState},
	{"Logs/Query", logQuery},
	{"Logs/QueryBytes", logQueryBytes},
	{"Logs/EntryThatExists", logEntryExists},
	{"Logs/Deleted", logDeleted},
	{"Logs/Trimmed", logTrimmed},
	{"Logs/PruneAndNew", logPruneAndNew},
	{"Logs/EntryBytes", logEntryBytes},
	{"Logs/List", logList},
	{"Logs/ForgetDeleted", forgetLogs},
	{"Logs/Content", logContent},
	{"Logs/Authors", logAuthors},
	{"Logs/Times", logTimes},
	{"Logs/Numbers", logNumbers},
	{"Logs/ResultsAreOwn", logResultsOwn},
	{"Logs/FileOfTheSamePath", logBesideFile},
}

func readLog(path string) func(store.Reader) (log, error) {
	return func(r store.Reader) (log, error) {
		state, err := r.Owner()
		if err != nil {
			return log{}, err
		}
		return dumpLog(r, path, state)
	}
}

func readEntries(path string, q store.EntryQuery) func(store.Reader) ([]store.Entry, error) {
	return func(r store.Reader) ([]store.Entry, error) { return r.Entries(path, q) }
}

func logSaved(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error { return add(tx, 1, "a/b.log", "one", "two") })
	update(t, s, alice, func(tx store.Tx) error { return add(tx, 2, "a/b.log", "three") })
	head := store.LogHead{Path: "a/b.log", First: 1, Last: 3, Bytes: 11, Created: at(1), Updated: at(2)}
	one, two, three := entry(1, 1, "one"), entry(2, 1, "two"), entry(3, 2, "three")
	equal(t, "SaveLog then the log", view(t, s, alice, readLog("a/b.log")), log{
		Head: head, Entries: []store.Entry{one, two, three}, Tail: []store.Entry{two, three},
	})
	list := view(t, s, alice, func(r store.Reader) ([]store.LogHead, error) { return plain.Read(r).Logs("", "", 10) })
	equal(t, "SaveLog then Logs", list, []store.LogHead{head})
}

func logOwnerState(t testing.TB, s store.Store) {
	state := store.OwnerState{
		Usage:     store.Usage{Files: 1, Logs: 2, Entries: 3, Bytes: 1 << 40, Operations: 5},
		FileFloor: 6, LogFloor: 7, DeletedFiles: 8, DeletedLogs: 9, Requests: 10,
	}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.LogChange{
			Head: store.LogHead{Path: "a", First: 1, Last: 1,
				Bytes: 1}, New: []store.Entry{entry(1, 1, "x")}, Owner: state,
		})
	})
	got := view(t, s, alice, func(r store.Reader) (store.OwnerState, error) { return r.Owner() })
	equal(t, "SaveLog then Owner", got, state)
	for _, path := range []string{"a", "other"} {
		got = view(t, s, alice, func(r store.Reader) (store.OwnerState, error) {
			_, state, err := plain.Read(r).Log(path)
			return state, err
		})
		equal(t, "SaveLog then the state beside Log "+path, got, state)
	}
}

// testQueries makes a log with entries of these sizes, and compares its answers with
// those of a naive search.
func testQueries(t testing.TB, s store.Store, sizes []int, queries []store.EntryQuery) {
	var contents []string
	for i, size := range sizes {
		contents = append(contents, strings.Repeat(fmt.Sprint(i), size)[:size])
	}
	update(t, s, alice, func(tx store.Tx) error { return add(tx, 1, "a", contents...) })
	for _, q := range queries {
		var want []int64
		bytes := int64(0)
		for n := range contents {
			i := n
			if q.Tail {
				i = len(contents) - 1 - n
			}
			id := int64(i + 1)
			if !q.Tail && id <= q.After {
				continue
			}
			bytes += int64(sizes[i])
			if q.Limit > 0 && len(want) == q.Limit || q.MaxBytes > 0 && len(want) > 0 && bytes > q.MaxBytes {
				break
			}
			want = append(want, id)
		}
		slices.Sort(want)
		var got []int64
		for _, e := range view(t, s, alice, readEntries("a", q)) {
			got = append(got, e.ID)
			if string(e.Content) != contents[e.ID-1] {
				t.Errorf("Entries(%+v) gives entry %d the content %q, want %q", q, e.ID, e.Content, contents[e.ID-1])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("Entries(%+v) of sizes %v = %v, want %v", q, sizes, got, want)
		}
	}
}

func logQuery(t testing.TB, s store.Store) {
	var queries []store.EntryQuery
	for _, limit := range []int{0, 1, 2, 6, 7, 8, 1000} {
		for after := range int64(9) {
			queries = append(queries, store.EntryQuery{After: after, Limit: limit})
		}
		queries = append(queries, store.EntryQuery{Tail: true, Limit: limit})
	}
	testQueries(t, s, []int{1, 1, 1, 1, 1, 1, 1}, queries)
}

func logQueryBytes(t testing.TB, s store.Store) {
	var queries []store.EntryQuery
	for bytes := range int64(30) {
		for _, limit := range []int{0, 2} {
			for after := range int64(8) {
				queries = append(queries, store.EntryQuery{After: after, Limit: limit, MaxBytes: bytes})
			}
			queries = append(queries, store.EntryQuery{Tail: true, Limit: limit, MaxBytes: bytes})
		}
	}
	testQueries(t, s, []int{10, 0, 3, 3, 0, 5, 7}, queries)
}

func logEntryExists(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error { return add(tx, 1, "a", "kept") })
	before := view(t, s, alice, readLog("a"))
	err := s.Update(t.Context(), alice, func(tx store.Tx) error {
		return tx.Apply(store.LogChange{Head: before.Head, New: []store.Entry{entry(1, 2, "lost")}})
	})
	if err == nil {
		t.Error("SaveLog of an entry that exists = nil, want an error")
	}
	equal(t, "an entry that was to be stored twice", view(t, s, alice, readLog("a")), before)
}

func logDeleted(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(add(tx, 1, "a", "one", "two"), add(tx, 1, "b", "one"))
	})
	update(t, s, alice, func(tx store.Tx) error { return drop(tx, 2, "a") })
	equal(t, "a deleted log", view(t, s, alice, readLog("a")), log{
		Head: store.LogHead{Path: "a", First: 3, Last: 2, Deleted: true, Created: at(1), Updated: at(2)},
	})
	if got := view(t, s, alice, readLog("b")).Entries; len(got) != 1 {
		t.Errorf("a log was deleted, then Entries of another = %v, want its one", got)
	}
}

func logTrimmed(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(add(tx, 1, "a", "one", "two", "three"), add(tx, 1, "a/b", "one", "two"),
			add(tx, 1, "b", "one"), write(tx, 1, "a", "file"))
	})
	update(t, s, bob, func(tx store.Tx) error { return add(tx, 1, "a", "one", "two", "three") })
	update(t, s, alice, func(tx store.Tx) error { return trim(tx, 2, "a", 2) })
	three := entry(3, 1, "three")
	equal(t, "a log trimmed to its last entry", view(t, s, alice, readLog("a")), log{
		Head:    store.LogHead{Path: "a", First: 3, Last: 3, Bytes: 5, Created: at(1), Updated: at(2)},
		Entries: []store.Entry{three}, Tail: []store.Entry{three},
	})
	for path, want := range map[string]int{"a/b": 2, "b": 1} {
		if got := view(t, s, alice, readLog(path)).Entries; len(got) != want {
			t.Errorf("a log was trimmed, then Entries of %s = %v, want %d", path, got, want)
		}
	}
	if got := view(t, s, bob, readLog("a")).Entries; len(got) != 3 {
		t.Errorf("a log was trimmed, then Entries of another agent's = %v, want 3", got)
	}
	if f := view(t, s, alice, readFile("a")); string(f.Current.Content) != "file" {
		t.Errorf("the log a was trimmed, then the file a is %+v, want it as it was", f)
	}
}

func logPruneAndNew(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error { return add(tx, 1, "a", "one", "two", "three") })
	head := store.LogHead{Path: "a", First: 2, Last: 3, Bytes: 2, Created: at(1), Updated: at(2)}
	e := []store.Entry{entry(2, 2, "2"), entry(3, 2, "3")}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.LogChange{Head: head, Prune: 3, New: e})
	})
	equal(t, "a log emptied and written in one change", view(t, s, alice, readLog("a")),
		log{Head: head, Entries: e, Tail: e})
}

func logEntryBytes(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(add(tx, 1, "a", "one", "", "a\x00b", "日本"), add(tx, 1, "a/b", "other"),
			add(tx, 1, "b", "other"))
	})
	update(t, s, bob, func(tx store.Tx) error { return add(tx, 1, "a", "another agent's") })
	check := func(path string, want ...int64) {
		t.Helper()
		for through, bytes := range want {
			got := view(t, s, alice, func(r store.Reader) (int64, error) {
				return plain.Read(r).EntryBytes(path,
					int64(through))
			})
			if got != bytes {
				t.Errorf("EntryBytes(%s, %d) = %d, want %d", path, through, got, bytes)
			}
		}
	}
	check("a", 0, 3, 3, 6, 12, 12)
	check("never", 0, 0)
	update(t, s, alice, func(tx store.Tx) error { return trim(tx, 2, "a", 1) })
	check("a", 0, 0, 0, 3, 9, 9)
}

func logList(t testing.TB, s store.Store) {
	add1 := func(tx store.Tx, moment int, path string) error { return add(tx, moment, path, path) }
	testList(t, s, add1, listed(readLogs, func(h store.LogHead) string { return h.Path }))
}

func forgetLogs(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(
			add(tx, 1, "old", "x"), // live, and older than all
			add(tx, 2, "a", "x", "y", "z"), add(tx, 3, "b", "x"), add(tx, 4, "c", "x"), add(tx, 5, "d", "x", "y"),
			drop(tx, 6, "d"), drop(tx, 7, "a"), drop(tx, 8, "c"), drop(tx, 8, "b"),
			write(tx, 9, "d", "x"), remove(tx, 10, "d")) // a file, no log
	})
	forget := forgetter(t, s, store.KindLog, func(path string) int64 {
		return view(t, s, alice, readLog(path)).Head.Last
	})
	forget(0, 0, "old", "a", "b", "c", "d")
	forget(1, 2, "old", "a", "b", "c") // d, deleted first
	forget(2, 3, "old", "c")           // a, then b, which ties with c
	forget(5, 1, "old")
	forget(5, 0, "old")
	if f := view(t, s, alice, readFile("d")); !f.Head.Deleted {
		t.Errorf("ForgetDeleted then the head of a deleted file is %+v, want it kept", f.Head)
	}
	equal(t, "a forgotten log", view(t, s, alice, readLog("a")), log{Head: store.LogHead{Path: "a"}})
}

func logContent(t testing.TB, s store.Store) {
	var contents []string
	for _, c := range texts() {
		contents = append(contents, c.text)
	}
	update(t, s, alice, func(tx store.Tx) error { return add(tx, 1, "a", contents...) })
	l := view(t, s, alice, readLog("a"))
	if len(l.Entries) != len(contents) {
		t.Fatalf("Entries gives %d, want %d", len(l.Entries), len(contents))
	}
	for i, e := range l.Entries {
		equal(t, "an entry's hash", e.SHA256, entry(1, 1, contents[i]).SHA256)
		if got := string(e.Content); got != contents[i] {
			t.Errorf("Entries gives %d bytes %.40q, want %d bytes %.40q", len(got), got, len(contents[i]), contents[i])
		}
	}
}

func logAuthors(t testing.TB, s store.Store) {
	var list []store.Entry
	for i, a := range authors() {
		e := entry(int64(i+1), i, "x")
		e.Author = a
		list = append(list, e)
	}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.LogChange{Head: store.LogHead{Path: "a", First: 1, Last: int64(len(list))}, New: list})
	})
	equal(t, "entries of odd authors", view(t, s, alice, readLog("a")).Entries, list)
}

func logTimes(t testing.TB, s store.Store) {
	for i, given := range times() {
		n := int64(i + 1)
		e := entry(n, 0, "x")
		e.Time = given
		update(t, s, alice, func(tx store.Tx) error {
			return tx.Apply(store.LogChange{
				Head: store.LogHead{Path: "a", First: 1, Last: n, Created: given,
					Updated: given}, New: []store.Entry{e},
			})
		})
		l := view(t, s, alice, readLog("a"))
		sameTime(t, "Created", l.Head.Created, given)
		sameTime(t, "Updated", l.Head.Updated, given)
		sameTime(t, "Time in Entries", l.Entries[n-1].Time, given)
		list := view(t, s, alice, func(r store.Reader) ([]store.LogHead, error) {
			return plain.Read(r).Logs("", "", 1)
		})
		sameTime(t, "Updated in Logs", list[0].Updated, given)
	}
}

func logNumbers(t testing.TB, s store.Store) {
	const large = 1<<62 + 1 // not a float64
	head := store.LogHead{Path: "a", First: large, Last: large, Bytes: large}
	e := []store.Entry{entry(large, 1, "x")}
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(store.LogChange{Head: head, New: e}) })
	equal(t, "a log with large numbers", view(t, s, alice, readLog("a")), log{Head: head, Entries: e, Tail: e})
	equal(t, "the entries after one below", view(t, s, alice, readEntries("a", store.EntryQuery{After: large - 1})), e)
	equal(t, "the entries after the last", view(t, s, alice, readEntries("a", store.EntryQuery{After: large})),
		[]store.Entry{})
}

func logResultsOwn(t testing.TB, s store.Store) {
	given := []store.Entry{entry(1, 1, "content"), entry(2, 1, "more")}
	update(t, s, alice, func(tx store.Tx) error {
		return tx.Apply(store.LogChange{Head: store.LogHead{Path: "a", First: 1, Last: 2}, New: given})
	})
	given[0].Content[0], given[1].ID = 'X', 99
	want := []store.Entry{entry(1, 1, "content"), entry(2, 1, "more")}
	for range 2 {
		got := view(t, s, alice, readLog("a"))
		equal(t, "a log after its caller wrote into what it gave and got", got.Entries, want)
		equal(t, "its tail", got.Tail, want)
		got.Entries[0].Content[0], got.Tail[0].Content[0], got.Entries[1].ID = 'X', 'X', 99
	}
}

func readLogs(r store.Reader, prefix, after string, limit int) ([]store.LogHead, error) {
	return plain.Read(r).Logs(prefix, after, limit)
}

func logBesideFile(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(write(tx, 1, "a", "file"), add(tx, 2, "a", "log"))
	})
	update(t, s, alice, func(tx store.Tx) error { return drop(tx, 3, "a") })
	if f := view(t, s, alice, readFile("a")); string(f.Current.Content) != "file" {
		t.Errorf("the log a was deleted, then the file a is %+v, want it as it was", f)
	}
	update(t, s, alice, func(tx store.Tx) error { return errors.Join(add(tx, 4, "a", "again"), remove(tx, 5, "a")) })
	if l := view(t, s, alice, readLog("a")); len(l.Entries) != 1 || l.Entries[0].ID != 2 {
		t.Errorf("the file a was deleted, then the log a is %+v, want entry 2", l)
	}
}
