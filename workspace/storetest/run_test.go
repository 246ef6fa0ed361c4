package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A recorder collects what a check reports, for a test that expects a failure.
type recorder struct {
	testing.TB
	mu  sync.Mutex // guards log
	log []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }

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
	workspace.Store
	active *sync.RWMutex // held for reading by an Update, which to the store is two
}

var errAgain = errors.New("again")

func (s lenient) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	s.active.RLock()
	defer s.active.RUnlock()
	err := s.Store.Update(ctx, o, func(tx workspace.Tx) error {
		if err := elsewhere(func() error { return fn(tx) }); err != nil {
			return err
		}
		return errAgain
	})
	if err != errAgain {
		return err
	}
	err = s.Store.Update(ctx, o, func(tx workspace.Tx) error {
		return elsewhere(func() error { return fn(tx) })
	})
	if err == nil && ctx.Err() != nil {
		return fmt.Errorf("update %s: %w", o, workspace.ErrOutcomeUnknown)
	}
	return err
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
	Run(t, func(t testing.TB) workspace.Store {
		s := lenient{memstore.New(), new(sync.RWMutex)}
		t.Cleanup(func() { s.Close() })
		return s
	})
}

// kept is a store in memory that can be used after Close.
type kept struct{ workspace.Store }

func (kept) Close() error { return nil }

func TestRunDurable(t *testing.T) {
	RunDurable(t, func(t testing.TB) (workspace.Store, func() workspace.Store) {
		s := kept{memstore.New()}
		return s, func() workspace.Store { return s }
	})
	for _, c := range durables {
		said := reports(t, func(t testing.TB) {
			c.run(t, memstore.New(), func() workspace.Store { return memstore.New() })
		})
		if len(said) == 0 {
			t.Errorf("%s accepts a store that forgets everything", c.name)
		}
	}
}

func TestRunFindsFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many checks many times")
	}
	t.Setenv("SCRATCHPAD_TEST", "")
	named := map[string]check{}
	for _, c := range checks() {
		named[c.name] = c
	}
	for _, m := range faultyStores {
		t.Run(m.name, func(t *testing.T) {
			for _, name := range m.caught {
				c, ok := named[name]
				if !ok {
					t.Fatalf("no check %s", name)
				}
				if said := reports(t, func(t testing.TB) { c.run(t, memstore.New()) }); len(said) != 0 {
					t.Errorf("%s says of a store without the bug: %q", name, said)
				}
				s := m.open(memstore.New())
				said := reports(t, func(t testing.TB) { c.run(t, s) })
				if len(said) == 0 {
					t.Errorf("%s accepts a store where %s", name, m.name)
				} else {
					t.Logf("%s: %.300s", name, said[0])
				}
			}
		})
	}
}
