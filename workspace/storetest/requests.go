package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var requests = []check{
	{"Requests/Absent", requestAbsent},
	{"Requests/SavedIsRead", requestSaved},
	{"Requests/Replaced", requestReplaced},
	{"Requests/Drop", requestDrop},
	{"Requests/Times", requestTimes},
}

func readRequest(key string) func(store.Reader) (store.Request, error) {
	return func(r store.Reader) (store.Request, error) { return plain.Read(r).Request(key) }
}

func requestAbsent(t testing.TB, s store.Store) {
	update(t, s, alice, func(tx store.Tx) error { return keepRequest(tx, 1, "there") })
	for _, key := range []string{"never", "THERE", "there ", "ther", "ther_", "ther%"} {
		if got, err := try(t, s, alice, readRequest(key)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Request(%q) = %+v, %v, want ErrNotFound", key, got, err)
		}
	}
}

func requestSaved(t testing.TB, s store.Store) {
	keys := []string{"k", "K", "k ", `'"\`, "k%", "k_", "0", "null", "\u00e9\U0001f600", strings.Repeat("k", 128)}
	update(t, s, alice, func(tx store.Tx) error {
		for i, key := range keys {
			if err := tx.Apply(request(i, key)); err != nil {
				return err
			}
		}
		return nil
	})
	for i, key := range keys {
		equal(t, "SaveRequest then Request "+key, view(t, s, alice, readRequest(key)), request(i, key))
	}
	large := store.Request{Key: "large", Outcome: store.Outcome{Number: 1<<62 + 1, Count: 1<<53 + 1, Bytes: 1<<62 + 3}}
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(large) })
	equal(t, "a request with large numbers", view(t, s, alice, readRequest("large")), large)
}

func requestReplaced(t testing.TB, s store.Store) {
	later := request(5, "k")
	later.Hash[0]++
	update(t, s, alice, func(tx store.Tx) error { return tx.Apply(request(1, "k")) })
	update(t, s, alice, func(tx store.Tx) error {
		// This is one too many: a store counts what is there.
		return errors.Join(tx.Apply(later), tx.Apply(store.OwnerState{Requests: 2}))
	})
	equal(t, "SaveRequest in place of another, then Request", view(t, s, alice, readRequest("k")), later)
	dropped := 0
	update(t, s, alice, func(tx store.Tx) (err error) {
		dropped, err = dropRequests(tx, at(9), at(9), 10)
		return err
	})
	if dropped != 1 {
		t.Errorf("DropRequests of one that was kept twice = %d, want 1", dropped)
	}
}

func requestDrop(t testing.TB, s store.Store) {
	all := []string{"e", "a", "d", "b", "c"} // kept at 1, 2, 3, 4, 5
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(keepRequest(tx, 4, "b"), keepRequest(tx, 1, "e"), keepRequest(tx, 5, "c"),
			keepRequest(tx, 3, "d"), keepRequest(tx, 2, "a"))
	})
	to := at(100)
	drop := func(before time.Time, n, want int, left ...string) {
		t.Helper()
		got := 0
		update(t, s, alice, func(tx store.Tx) (err error) {
			got, err = dropRequests(tx, before, to, n)
			return err
		})
		if got != want {
			t.Errorf("DropRequests(%v, %d) = %d, want %d", before, n, got, want)
		}
		for _, key := range all {
			_, err := try(t, s, alice, readRequest(key))
			if kept := err == nil; kept != slices.Contains(left, key) {
				t.Errorf("DropRequests(%v, %d) then Request(%s) = %v; want only %v kept", before, n, key, err, left)
			}
		}
	}
	drop(at(1), 10, 0, "e", "a", "d", "b", "c") // the oldest is of that very time
	drop(at(1).Add(time.Microsecond), 10, 1, "a", "d", "b", "c")
	drop(at(5), 0, 0, "a", "d", "b", "c")
	drop(at(5), 2, 2, "b", "c")
	drop(at(5), 2, 1, "c")
	drop(at(6), 2, 1)
	drop(at(6), 2, 0)
	all = []string{"e", "a", "d", "b", "c"}
	update(t, s, alice, func(tx store.Tx) error {
		return errors.Join(keepRequest(tx, 4, "b"), keepRequest(tx, 1, "e"), keepRequest(tx, 5, "c"),
			keepRequest(tx, 3, "d"), keepRequest(tx, 2, "a"))
	})
	state := view(t, s, alice, func(r store.Reader) (store.OwnerState, error) { return r.Owner() })
	to = at(5) // the newest is of that very time
	drop(at(1), 10, 0, "e", "a", "d", "b", "c")
	to = at(4).Add(-time.Microsecond)
	drop(at(2), 0, 0, "e", "a", "d", "b", "c")
	drop(at(2), 2, 2, "a", "d", "c") // the old one before those that are ahead
	drop(at(2), 2, 1, "a", "d")
	to = at(1)
	drop(at(0), 1, 1, "d")
	drop(at(0), 10, 1)
	after := view(t, s, alice, func(r store.Reader) (store.OwnerState, error) { return r.Owner() })
	equal(t, "DropRequests then Owner, which it leaves to its caller", after, state)
}

func requestTimes(t testing.TB, s store.Store) {
	for _, given := range times() {
		q := request(1, "k")
		q.Time = given
		update(t, s, alice, func(tx store.Tx) error { return tx.Apply(q) })
		sameTime(t, "Time of a request", view(t, s, alice, readRequest("k")).Time, given)
	}
}

// dropRequests removes requests, and returns how many there were to remove.
func dropRequests(tx store.Tx, from, to time.Time, n int) (int, error) {
	due, err := plain.Read(tx).DueRequests(from, to, n)
	return due, errors.Join(err, tx.Forget(store.Old{Requests: n, DueBefore: from, DueAfter: to}))
}
