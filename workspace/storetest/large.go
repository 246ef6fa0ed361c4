package storetest

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// RunLarge tests that Dump and Restore of a large owner do not collect its rows in memory.
// No other test runs meanwhile. open returns a store that holds nothing. The large form
// runs with SCRATCHPAD_TEST=full.
func RunLarge(t *testing.T, open func(t testing.TB) store.Store) {
	t.Run("Restore", func(t *testing.T) { largeRestore(t, open(t)) })
	t.Run("Dump", func(t *testing.T) { largeDump(t, open(t)) })
}

const largeRow = 256 << 10 // bytes of content in each row

// largeRows is how many rows a large owner has, 24 MiB of them in the short form.
func largeRows() int64 { return int64(testkit.Pick(96, 96, 4096)) }

// mostLive is how much the live memory may grow, much less than the large owner has.
const mostLive = 12 << 20

// live returns the bytes that are in use.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// largeOwner returns the rows of a log with large entries. It makes each when it is asked
// for.
func largeOwner() iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		n, size := largeRows(), largeRows()*largeRow
		state := store.OwnerState{Usage: store.Usage{Logs: 1, Entries: n, Bytes: size, Operations: n}}
		head := store.LogHead{Path: "log", First: 1, Last: n, Bytes: size, Created: at(1), Updated: at(1)}
		if !yield(store.Row{State: &state}, nil) || !yield(store.Row{Log: &head}, nil) {
			return
		}
		for id := int64(1); id <= n; id++ {
			text := fmt.Sprintf("%08d", id)
			e := entry(id, 1, strings.Repeat(text, largeRow/len(text)))
			if !yield(store.Row{Entry: &e, Path: "log"}, nil) {
				return
			}
		}
	}
}

func largeRestore(t testing.TB, s store.Store) {
	before, most := live(), int64(0)
	err := s.Restore(t.Context(), alice, func(yield func(store.Row, error) bool) {
		n := 0
		for r, err := range largeOwner() {
			if n++; n%16 == 0 {
				most = max(most, live()-before)
			}
			if !yield(r, err) {
				return
			}
		}
	})
	if err != nil {
		t.Fatalf("Restore of a large owner = %v, want nil", err)
	}
	if most > mostLive {
		t.Errorf("Restore of %d bytes uses %d more, want at most %d", largeRows()*largeRow, most, mostLive)
	}
}

func largeDump(t testing.TB, s store.Store) {
	if err := s.Restore(t.Context(), alice, largeOwner()); err != nil {
		t.Fatalf("Restore of a large owner = %v, want nil", err)
	}
	before, most, n := live(), int64(0), int64(0)
	if err := s.Dump(t.Context(), alice, func(store.Row) error {
		if n++; n%16 == 1 {
			most = max(most, live()-before)
		}
		return nil
	}); err != nil || n != largeRows()+2 {
		t.Fatalf("Dump of a large owner gives %d rows, %v, want %d", n, err, largeRows()+2)
	}
	if most > mostLive {
		t.Errorf("Dump of %d bytes uses %d more, want at most %d", largeRows()*largeRow, most, mostLive)
	}
}
