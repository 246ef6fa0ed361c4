package storetest

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/rerun"
)

// A check is one behaviour. Its store holds nothing. The functions that it gives to
// transactions may run more than once, so they only set variables outside.
type check struct {
	name string
	run  func(testing.TB, store.Store)
}

func checks() []check {
	return slices.Concat(files, deletions, redactions, moves, logs, journal, loads,
		watches, summaries, requests, owners, dumps,
		restores, records, isolation, transactions, contexts, concurrency, model)
}

// Run tests the stores that open returns. It calls open once for each behaviour, and the
// behaviours run in parallel. open returns a store that holds nothing, and closes it in
// t.Cleanup. The check may have closed it before.
func Run(t *testing.T, open func(t testing.TB) store.Store) {
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}

var far bool

// Far makes the checks run as few rounds as with -short, unless SCRATCHPAD_TEST is full. A
// TestMain calls it for a store whose every call takes a round trip.
func Far() { far = true }

// rounds returns how many rounds a check runs: full with SCRATCHPAD_TEST=full, all with
// SCRATCHPAD_TEST=all, short with -short.
func rounds(full, all, plain, short int) int {
	if far && !testkit.Full() {
		return short
	}
	if testing.Short() {
		plain = short
	}
	return testkit.Pick(plain, all, full)
}

// update runs an Update that must succeed.
func update(t testing.TB, s store.Store, o store.Owner, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), o, fn); err != nil {
		t.Fatalf("Update(%s) = %v, want nil", o, err)
	}
}

// view returns what fn read in a View, which must succeed.
func view[T any](t testing.TB, s store.Store, o store.Owner, fn func(store.Reader) (T, error)) T {
	t.Helper()
	got, err := try(t, s, o, fn)
	if err != nil {
		t.Fatalf("View(%s) = %v, want nil", o, err)
	}
	return got
}

// filesOf returns the first heads of the files below a prefix.
func filesOf(t testing.TB, s store.Store, o store.Owner, prefix string, limit int) []store.FileHead {
	t.Helper()
	return view(t, s, o, func(r store.Reader) ([]store.FileHead, error) {
		return plain.Read(r).Files(prefix, "", limit)
	})
}

// try is view for a check that expects an error.
func try[T any](t testing.TB, s store.Store, o store.Owner, fn func(store.Reader) (T, error)) (got T, err error) {
	err = s.View(t.Context(), o, func(r store.Reader) (err error) {
		got, err = fn(r)
		return err
	})
	return got, err
}

// reporter is the part of testing.TB that rapid.T has too.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// equal reports what differs. A nil slice equals an empty one, and times are equal in any
// zone.
func equal(t reporter, what string, got, want any) {
	t.Helper()
	if diff := difference(want, got); diff != "" {
		t.Errorf("%s is not what is wanted (-want +got):\n%s", what, diff)
	}
}

// terse is set by tests of the checks, which need no report of all that differs.
var terse bool

// difference calls cmp.Diff only if there is a difference, because it is slow.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	if terse {
		if a, b := fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got); a != b {
			return fmt.Sprintf("%.200s", b)
		}
		return "" // a nil slice and an empty one
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.FilterValues(
		func(x, y []byte) bool { return len(x) > 0 || len(y) > 0 },
		cmp.Comparer(bytes.Equal)))
}

// Rerun returns a store that runs each function twice, as every store may. The first run
// of an Update is undone. It is for tests of code that stands on a store: whoever leaves a
// result of the first run in place is found out.
func Rerun(s store.Store) store.Store { return rerun.New(s) }
