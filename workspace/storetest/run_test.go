package storetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 10, Long: 60, Full: 100, Short: 3}.Set()
	goleak.VerifyTestMain(m)
}

// A recorder collects what a check reports, for a test that expects a failure.
type recorder struct {
	testing.TB
	mu  sync.Mutex // guards log
	log []string
}

func (r *recorder) Helper() {}

func (r *recorder) Log(...any) {}

func (r *recorder) Logf(string, ...any) {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }

func (r *recorder) Fail() { r.Errorf("Fail") }

func (r *recorder) FailNow() {
	r.Fail()
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

func (r *recorder) Failed() bool { return len(r.said()) > 0 }

func (r *recorder) said() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log
}

// reports runs a check apart from the test, and returns what it reports.
func reports(t *testing.T, fn func(testing.TB)) []string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				r.Errorf("panic: %v", v)
			}
		}()
		fn(r)
	}()
	<-done
	return r.said()
}

// lenient does all that a Store may do. It runs every function twice, on another
// goroutine, and does not know the outcome if the context has ended.
type lenient struct {
	store.Store
	active *sync.RWMutex // held for reading by an Update, which to the store is two
}

var errAgain = errors.New("again")

func (s lenient) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	s.active.RLock()
	defer s.active.RUnlock()
	err := s.Store.Update(ctx, o, func(tx store.Tx) error {
		if err := elsewhere(func() error { return fn(tx) }); err != nil {
			return err
		}
		return errAgain
	})
	if err != errAgain {
		return err
	}
	err = s.Store.Update(ctx, o, func(tx store.Tx) error {
		return elsewhere(func() error { return fn(tx) })
	})
	if err == nil && ctx.Err() != nil {
		return fmt.Errorf("update %s: %w", o, store.ErrOutcomeUnknown)
	}
	return err
}

func (s lenient) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.Store.View(ctx, o, func(r store.Reader) error {
		if err := elsewhere(func() error { return fn(r) }); err != nil {
			return err
		}
		return elsewhere(func() error { return fn(r) })
	})
}

func (s lenient) Restore(ctx context.Context, o store.Owner, rows iter.Seq2[store.Row, error]) error {
	s.active.RLock()
	defer s.active.RUnlock()
	return elsewhere(func() error {
		return s.Store.Restore(ctx, o, func(yield func(store.Row, error) bool) {
			for range rows {
				continue
			}
			rows(yield)
		})
	})
}

func (s lenient) Close() error {
	s.active.Lock()
	defer s.active.Unlock()
	return s.Store.Close()
}

// elsewhere runs fn on another goroutine, and raises its panic on this one.
func elsewhere(fn func() error) (err error) {
	var value any
	returned := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { value = recover() }()
		err = fn()
		returned = true
	}()
	<-done
	switch {
	case value != nil:
		panic(value)
	case !returned:
		runtime.Goexit()
	}
	return err
}

func TestRunAcceptsAllThatStoreAllows(t *testing.T) {
	Run(t, func(t testing.TB) store.Store {
		s := lenient{memstore.New(), new(sync.RWMutex)}
		t.Cleanup(func() { s.Close() })
		return s
	})
}

// kept is a store in memory that can be used after Close.
type kept struct{ store.Store }

func (kept) Close() error { return nil }

func TestRunDurable(t *testing.T) {
	testkit.SkipInShort(t)
	RunDurable(t, func(t testing.TB) (store.Store, func() store.Store) {
		s := kept{memstore.New()}
		return s, func() store.Store { return s }
	})
	for _, c := range durables {
		said := reports(t, func(t testing.TB) {
			c.run(t, memstore.New(), func() store.Store { return memstore.New() })
		})
		if len(said) == 0 {
			t.Errorf("%s accepts a store that forgets everything", c.name)
		}
	}
}

// oneOf is a store of which another has the same database.
type oneOf struct {
	store.Store
	closed *atomic.Bool
}

func (s oneOf) Close() error {
	s.closed.Store(true)
	return nil
}

func (s oneOf) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	return s.Store.View(ctx, o, fn)
}

func twoOf(s store.Store) (a, b store.Store) {
	return oneOf{s, new(atomic.Bool)}, oneOf{s, new(atomic.Bool)}
}

func TestRunShared(t *testing.T) {
	RunShared(t, func(t testing.TB) (a, b store.Store) {
		s := memstore.New()
		t.Cleanup(func() { s.Close() })
		return twoOf(s)
	})
	if testing.Short() {
		return // waits for watchers that are not told
	}
	terse = true
	defer func() { terse = false }()
	for _, c := range shareds {
		if c.name == "UndoneIsNotSeen" || c.name == "CloseLeavesOther" {
			continue // see faultyShared
		}
		if said := reportsSoon(t, func(t testing.TB) { c.run(t, memstore.New(), memstore.New()) }); len(said) == 0 {
			t.Errorf("%s accepts two stores that have nothing in common", c.name)
		}
	}
	for _, m := range faultyShared {
		t.Run(m.name, func(t *testing.T) {
			i := slices.IndexFunc(shareds, func(c sharedCheck) bool { return c.name == m.caught })
			s := memstore.New()
			defer s.Close()
			said := reportsSoon(t, func(t testing.TB) {
				a, b := m.open(s)
				shareds[i].run(t, a, b)
			})
			if len(said) == 0 {
				t.Errorf("%s accepts two stores where %s", m.caught, m.name)
			} else {
				t.Logf("%s: %.300s", m.caught, said[0])
			}
		})
	}
}

// TestRerun runs the checks on a store that runs each function twice.
func TestRerun(t *testing.T) {
	Run(t, func(t testing.TB) store.Store {
		s := memstore.New()
		t.Cleanup(func() { s.Close() })
		return Rerun(s)
	})
	runs := map[string]int{}
	s := Rerun(memstore.New())
	s.View(t.Context(), alice, func(store.Reader) error { runs["View"]++; return nil })
	s.Update(t.Context(), alice, func(tx store.Tx) error { runs["Update"]++; return count(tx) })
	if runs["View"] != 2 || runs["Update"] != 2 || view(t, s, alice, readOwner).Operations != 1 {
		t.Errorf("Rerun runs %v, want each twice, and one Update", runs)
	}
}

func TestRunFindsFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many checks many times")
	}
	t.Setenv("SCRATCHPAD_TEST", "")
	setFlag(t, "rapid.shrinktime", "0s")
	setFlag(t, "rapid.nofailfile", "true")
	setFlag(t, "rapid.checks", "100") // which end with the first that finds the bug
	defer func() { terse = false }()
	// These checks compare what prints otherwise and is equal.
	exact := map[string]bool{"Model": true, "Load/Random": true, "Load/OwnWritesAreRead": true, "Dump/Everything": true}
	named := map[string]check{}
	for _, c := range checks() {
		named[c.name] = c
	}
	accepted := map[string]bool{} // checks that accept a store without a bug
	for _, m := range slices.Concat(faultyStores, faultyPorts, faultyDumps, faultyRedactions, faultyDeletions) {
		t.Run(m.name, func(t *testing.T) {
			for _, name := range m.caught {
				c, ok := named[name]
				if !ok {
					t.Fatalf("no check %s", name)
				}
				sound := func(t testing.TB) { c.run(t, memstore.New()) }
				if terse = !exact[name]; !accepted[name] {
					accepted[name] = true
					testkit.Must(t, flag.Set("rapid.checks", "5"))
					said := reports(t, sound)
					if len(said) != 0 && terse {
						terse, exact[name] = false, true
						said = reports(t, sound)
					}
					if len(said) != 0 {
						t.Errorf("%s says of a store without the bug: %q", name, said)
					}
					testkit.Must(t, flag.Set("rapid.checks", "100"))
				}
				said := reportsSoon(t, func(t testing.TB) { c.run(t, m.open(memstore.New())) })
				if len(said) == 0 {
					t.Errorf("%s accepts a store where %s", name, m.name)
				} else {
					t.Logf("%s: %.300s", name, said[0])
				}
			}
		})
	}
}

// reportsSoon is reports for a check that must fail, perhaps because a watcher is not
// told. It waits for that less long than for a watcher that is told.
func reportsSoon(t *testing.T, fn func(testing.TB)) []string {
	defer func(d time.Duration) { watchTime = d }(watchTime)
	watchTime = 100 * time.Millisecond
	return reports(t, fn)
}

func TestRunLargeFindsFaults(t *testing.T) {
	testkit.SkipInShort(t)
	open := func(t testing.TB) store.Store {
		s := memstore.New()
		t.Cleanup(func() { s.Close() })
		return s
	}
	if said := reports(t, func(t testing.TB) { largeDump(t, open(t)) }); len(said) != 0 {
		t.Errorf("says of a store without a bug: %q", said)
	}
	if said := reports(t, func(t testing.TB) { largeDump(t, dumpsAtOnce{open(t)}) }); len(said) == 0 {
		t.Error("accepts a store that collects all rows before it gives the first")
	}
	if said := reports(t, func(t testing.TB) { largeRestore(t, open(t)) }); len(said) == 0 {
		t.Error("accepts a store that collects all rows before it stores the first")
	}
}

// setFlag sets a flag until the test ends.
func setFlag(t *testing.T, name, value string) {
	t.Helper()
	before := flag.Lookup(name).Value.String()
	testkit.Must(t, flag.Set(name, value))
	t.Cleanup(func() { testkit.Must(t, flag.Set(name, before)) })
}
