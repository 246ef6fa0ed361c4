package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var records = []check{
	{"Records/Absent", recordAbsent},
	{"Records/PutIsRead", recordPut},
	{"Records/PutAtRevision", recordPutAt},
	{"Records/DeleteAtRevision", recordDeleteAt},
	{"Records/RevisionsNeverRepeat", recordRevisions},
	{"Records/List", recordList},
	{"Records/Pages", recordPages},
	{"Records/Now", recordNow},
	{"Records/Values", recordValues},
	{"Records/ResultsAreOwn", recordResultsOwn},
	{"Records/OneWinner", recordWinner},
	{"Records/EndedContext", recordContext},
	{"Records/BesideOwners", recordIsolation},
}

// put stores a record. The store must accept it.
func put(t testing.TB, r store.Records, key, value string, revision int64) int64 {
	t.Helper()
	drawn, err := r.Put(key, []byte(value), revision)
	if err != nil {
		t.Fatalf("Put(%q, %q, %d) = %v, want nil", key, value, revision, err)
	}
	if drawn <= 0 || drawn == revision {
		t.Errorf("Put(%q, %q, %d) gives revision %d, want another above 0", key, value, revision, drawn)
	}
	return drawn
}

// holds tests that a record has a value at a revision.
func holds(t testing.TB, r store.Records, key, value string, revision int64) {
	t.Helper()
	got, err := r.Get(key)
	if err != nil || got.Key != key || string(got.Value) != value || got.Revision != revision {
		t.Errorf("Get(%q) = %+v, %v, want %q at revision %d", key, got, err, value, revision)
	}
}

func recordAbsent(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	put(t, r, "there", "x", 0)
	for _, key := range []string{"never", "THERE", "ther", "there/"} {
		if _, err := r.Get(key); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Get(%q) = %v, want ErrNotFound", key, err)
		}
		if err := r.Delete(key, 1); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Delete(%q) = %v, want ErrNotFound", key, err)
		}
		if _, err := r.Put(key, nil, 1); !errors.Is(err, store.ErrConflict) {
			t.Errorf("Put(%q) at revision 1 of a record that is not there = %v, want ErrConflict", key, err)
		}
		if list, err := r.List(key+"~", "", 10); err != nil || len(list) != 0 {
			t.Errorf("List(%q) = %v, %v, want none", key+"~", list, err)
		}
	}
}

func recordPut(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	start := time.Now()
	one := put(t, r, "k", "one", 0)
	holds(t, r, "k", "one", one)
	two := put(t, r, "k", "two", one)
	holds(t, s.System(t.Context()), "k", "two", two)

	got, err := r.Get("k")
	if err != nil {
		t.Fatal(err)
	}
	if off := got.Updated.Sub(start).Abs(); off > time.Hour || got.Updated.Location() != time.UTC {
		t.Errorf("Updated = %v, want about %v in UTC", got.Updated, start.UTC())
	}
	if got.Updated != got.Updated.Truncate(time.Microsecond) {
		t.Errorf("Updated = %v, want it to the microsecond", got.Updated)
	}
}

func recordPutAt(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	one := put(t, r, "k", "one", 0)
	two := put(t, r, "k", "two", one)
	for _, revision := range []int64{0, one, two - 1, two + 1, -two, -1} {
		if _, err := r.Put("k", []byte("lost"), revision); !errors.Is(err, store.ErrConflict) {
			t.Errorf("Put at revision %d of a record at %d = %v, want ErrConflict", revision, two, err)
		}
	}
	holds(t, r, "k", "two", two)
}

func recordDeleteAt(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	one := put(t, r, "k", "one", 0)
	two := put(t, r, "k", "two", one)
	other := put(t, r, "k2", "other", 0)
	for _, revision := range []int64{0, one, other, -1} {
		if err := r.Delete("k", revision); !errors.Is(err, store.ErrConflict) {
			t.Errorf("Delete at revision %d of a record at %d = %v, want ErrConflict", revision, two, err)
		}
	}
	holds(t, r, "k", "two", two)
	if err := r.Delete("k", two); err != nil {
		t.Errorf("Delete at its revision = %v, want nil", err)
	}
	if _, err := r.Get("k"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Delete then Get = %v, want ErrNotFound", err)
	}
	if err := r.Delete("k", two); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Delete then Delete = %v, want ErrNotFound", err)
	}
	if _, err := r.Put("k", nil, two); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Delete then Put at the revision that it had = %v, want ErrConflict", err)
	}
	holds(t, r, "k2", "other", other)
	holds(t, r, "k", "again", put(t, r, "k", "again", 0))
}

func recordRevisions(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	seen := map[int64]bool{}
	for range 50 {
		one := put(t, r, "k", "same", 0)
		two := put(t, r, "k", "same", one)
		if seen[one] || seen[two] {
			t.Fatalf("Put gives revision %d or %d again", one, two)
		}
		seen[one], seen[two] = true, true
		if err := r.Delete("k", two); err != nil {
			t.Fatalf("Delete = %v, want nil", err)
		}
	}
}

func recordList(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	keys := []string{
		"key/a", "key/A", "key/b", "key", "key_a", "keyxa", "key%", "key-", "Key/a", "lease/a", "a", "z", "_", "%", "0",
		"key/\u00e9", "key/a b", `key/'"\`,
	}
	for _, key := range keys {
		put(t, r, key, "value of "+key, 0)
	}
	slices.Sort(keys)
	for _, prefix := range append([]string{"", "key/", "key_", "k", "none", "zz", "KEY"}, keys...) {
		var want []string
		for _, key := range keys {
			if strings.HasPrefix(key, prefix) {
				want = append(want, key)
			}
		}
		list, err := r.List(prefix, "", 1000)
		if err != nil {
			t.Fatalf("List(%q) = %v", prefix, err)
		}
		var got []string
		for _, found := range list {
			got = append(got, found.Key)
			whole, err := r.Get(found.Key)
			if err != nil {
				t.Fatalf("Get(%q) = %v", found.Key, err)
			}
			equal(t, "a record in a list", found, whole)
		}
		if !slices.Equal(got, want) {
			t.Errorf("List(%q) = %q, want %q", prefix, got, want)
		}
	}
}

func recordPages(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	keys := []string{"a", "a/", "a/1", "a/10", "a/2", "a/B", "a/_", "a/b", "a0", "b", "B/a", "a/é", "a/%"}
	for _, key := range keys {
		put(t, r, key, key, 0)
	}
	slices.Sort(keys)
	names := append([]string{"", "a/", "a/1~", "A", "a/~", "none", "~"}, keys...)
	for _, prefix := range names {
		for _, after := range names {
			for _, limit := range []int{1, 3, 100} {
				var want, got []string
				for _, key := range keys {
					if strings.HasPrefix(key, prefix) && key > after && len(want) < limit {
						want = append(want, key)
					}
				}
				list, err := r.List(prefix, after, limit)
				for _, found := range list {
					got = append(got, found.Key)
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("List(%q, %q, %d) = %q, %v, want %q", prefix, after, limit, got, err, want)
				}
			}
		}
	}
}

// recordNow reads the clock before and after a Put, which takes its time from it.
func recordNow(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	now := func() time.Time {
		t.Helper()
		got, err := r.Now()
		if err != nil {
			t.Fatalf("Now = %v, want nil", err)
		}
		if off := time.Since(got).Abs(); off > time.Hour || got.Location() != time.UTC ||
			got != got.Truncate(time.Microsecond) {
			t.Errorf("Now = %v, want about %v in UTC, to the microsecond", got, time.Now().UTC())
		}
		return got
	}
	revision := int64(0)
	for range 20 {
		before := now()
		revision = put(t, r, "k", "v", revision)
		after := now()
		got, err := r.Get("k")
		if err != nil || got.Updated.Before(before) || got.Updated.After(after) {
			t.Errorf("a Put between %v and %v of Now has the time %v, %v", before, after, got.Updated, err)
		}
	}
}

func recordValues(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	for _, c := range texts() {
		holds(t, r, c.name, c.text, put(t, r, c.name, c.text, 0))
	}
	holds(t, r, "bytes", "\xff\xfe\x00", put(t, r, "bytes", "\xff\xfe\x00", 0))
	if _, err := r.Put("nil", nil, 0); err != nil {
		t.Fatalf("Put of a nil value = %v, want nil", err)
	}
	if got, err := r.Get("nil"); err != nil || len(got.Value) != 0 {
		t.Errorf("Get of a nil value = %+v, %v, want one of no bytes", got, err)
	}
}

func recordResultsOwn(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	value := []byte("value")
	revision, err := r.Put("k", value, 0)
	if err != nil {
		t.Fatal(err)
	}
	value[0] = 'X'
	for range 2 {
		holds(t, r, "k", "value", revision)
		got, err1 := r.Get("k")
		list, err2 := r.List("", "", 1000)
		if err := errors.Join(err1, err2); err != nil || len(list) != 1 {
			t.Fatalf("List = %v, %v, want one", list, err)
		}
		got.Value[0], list[0].Value[0] = 'X', 'X'
	}
}

// recordWinner lets many goroutines put at one revision, as they do for a lease.
func recordWinner(t testing.TB, s store.Store) {
	revision := int64(0)
	for range rounds(200, 50, 8, 4) {
		var mu sync.Mutex // guards won
		var won []int64
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				drawn, err := s.System(t.Context()).Put("lease", []byte("x"), revision)
				if err == nil {
					mu.Lock()
					won = append(won, drawn)
					mu.Unlock()
				} else if !errors.Is(err, store.ErrConflict) {
					t.Errorf("Put beside others = %v, want nil or ErrConflict", err)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			t.Fatalf("of 16 Puts at one revision %d were accepted, want 1", len(won))
		}
		revision = won[0]
		holds(t, s.System(t.Context()), "lease", "x", revision)
	}
}

func recordContext(t testing.TB, s store.Store) {
	live := s.System(t.Context())
	revision := put(t, live, "k", "kept", 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := s.System(ctx)
	_, err1 := r.Get("k")
	_, err2 := r.Put("k", nil, revision)
	err3 := r.Delete("k", revision)
	_, err4 := r.List("", "", 1000)
	for i, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context = %v, want context.Canceled",
				[]string{"Get", "Put", "Delete", "List"}[i], err)
		}
	}
	holds(t, live, "k", "kept", revision)
}

func recordIsolation(t testing.TB, s store.Store) {
	r := s.System(t.Context())
	revision := put(t, r, "plan.md", "record", 0)
	put(t, r, "local/alice", "record", 0)
	equal(t, "what an owner has of the records", view(t, s, alice, everything).State, store.OwnerState{})
	equal(t, "Owners beside records", list(t, s, "local", "", 10), []store.OwnerUsage{})
	update(t, s, alice, fillAs("alice"))
	holds(t, r, "plan.md", "record", revision)
	if got, err := r.List("", "", 1000); err != nil || len(got) != 2 {
		t.Errorf("List beside an owner's files = %v, %v, want the two records", got, err)
	}
}
