package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var watches = []check{
	{"Watch/OwnWrites", watchOwn},
	{"Watch/NothingIsLost", watchAll},
	{"Watch/SlowWatcher", watchSlow},
	{"Watch/EndsWithContext", watchContext},
	{"Watch/EndsWithClose", watchClose},
	{"Watch/NotAfterTheEnd", watchEnded},
}

// watchTime is how long a check waits for a watcher to be told. It is far longer than a
// store takes. Tests of the suite shorten it.
var watchTime = 10 * time.Second

// watch starts to watch. The store must accept it.
func watch(t testing.TB, ctx context.Context, s store.Store) <-chan store.Owner {
	t.Helper()
	told, err := s.Watch(ctx)
	if err != nil {
		t.Fatalf("Watch = %v, want nil", err)
	}
	return told
}

// isTold tests that a watcher is told of an owner, or of all.
func isTold(t testing.TB, told <-chan store.Owner, o store.Owner) {
	t.Helper()
	if err := awaitTold(told, o, watchTime); err != nil {
		t.Fatalf("a watcher of what %s wrote: %v", o, err)
	}
}

// awaitTold waits until a watcher is told of an owner, or of all.
func awaitTold(told <-chan store.Owner, o store.Owner, most time.Duration) error {
	late := time.NewTimer(most)
	defer late.Stop()
	for {
		select {
		case got, open := <-told:
			switch {
			case !open:
				return errors.New("the channel is closed")
			case got == o, got == store.Owner{}:
				return nil
			}
		case <-late.C:
			return fmt.Errorf("it is not told within %v", most)
		}
	}
}

// drain takes all that waits for a watcher.
func drain(told <-chan store.Owner) {
	for {
		select {
		case _, open := <-told:
			if !open {
				return
			}
		default:
			return
		}
	}
}

func note(tx store.Tx) error { return add(tx, 1, "log", "x") }

func watchOwn(t testing.TB, s store.Store) {
	one, two := watch(t, t.Context(), s), watch(t, t.Context(), s)
	odd := store.Owner{Tenant: "t", Agent: "a-1_b"}
	for i, fn := range []func(store.Tx) error{
		note,
		func(tx store.Tx) error { return write(tx, 1, "a", "x") },
		func(tx store.Tx) error { return move(tx, 2, "a", "b") },
		func(tx store.Tx) error { return remove(tx, 3, "b") },
		func(tx store.Tx) error { return trim(tx, 4, "log", 1) },
		func(tx store.Tx) error { return drop(tx, 5, "log") },
	} {
		for _, o := range []store.Owner{alice, odd, bob} {
			drain(one)
			drain(two)
			update(t, s, o, fn)
			isTold(t, one, o)
			if i < 3 {
				isTold(t, two, o)
			}
		}
	}
}

// watchAll follows the journals of many owners while they write. What a watcher knows at
// the end is the whole of each journal.
func watchAll(t testing.TB, s store.Store) {
	n := rounds(200, 50, 8, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := watch(t, ctx, s)
	const owners = 16
	known, missing := map[store.Owner]int64{}, owners
	var writers sync.WaitGroup
	for i := range 2 * owners {
		writers.Go(func() {
			for range n {
				if err := s.Update(t.Context(), worker(i%owners), note); err != nil {
					t.Errorf("Update beside a watcher = %v, want nil", err)
				}
			}
		})
	}
	follow := func(o store.Owner) {
		rows := view(t, s, o, readChanges(known[o], 10000))
		known[o] += int64(len(rows))
		if len(rows) > 0 && known[o] == int64(2*n) {
			missing--
		}
	}
	late := time.NewTimer(3 * watchTime)
	defer late.Stop()
	for missing > 0 && !t.Failed() {
		select {
		case o := <-told:
			if (o != store.Owner{}) {
				follow(o)
				continue
			}
			for i := range owners {
				follow(worker(i))
			}
		case <-late.C:
			t.Errorf("a watcher does not know the journals of %d owners, whose last write it was not told", missing)
		}
	}
	writers.Wait()
}

// watchSlow lets a watcher sleep while many write. Nobody waits for it.
func watchSlow(t testing.TB, s store.Store) {
	told := watch(t, t.Context(), s)
	for range rounds(20, 6, 3, 2) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			each(func(i int) {
				for range 3 {
					if err := s.Update(t.Context(), worker(i), note); err != nil {
						t.Errorf("Update beside a watcher that sleeps = %v, want nil", err)
					}
				}
			})
		}()
		select {
		case <-done:
		case <-time.After(3 * watchTime):
			t.Fatalf("Updates beside a watcher that sleeps take longer than %v", 3*watchTime)
		}
		missing := map[store.Owner]bool{}
		for i := range many {
			missing[worker(i)] = true
		}
		late := time.NewTimer(watchTime)
		for len(missing) > 0 {
			select {
			case o := <-told:
				delete(missing, o)
				if (o == store.Owner{}) {
					clear(missing)
				}
				continue
			case <-late.C:
				t.Fatalf("a watcher that slept is not told of %d of %d owners that wrote", len(missing), many)
			}
		}
		late.Stop()
	}
}

// isClosed tests that a watcher's channel is closed.
func isClosed(t testing.TB, what string, told <-chan store.Owner) {
	t.Helper()
	late := time.NewTimer(watchTime)
	defer late.Stop()
	for {
		select {
		case _, open := <-told:
			if !open {
				return
			}
		case <-late.C:
			t.Errorf("a watcher's channel is open after %s, want it closed", what)
			return
		}
	}
}

func watchContext(t testing.TB, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	ending, staying := watch(t, ctx, s), watch(t, t.Context(), s)
	update(t, s, alice, note)
	isTold(t, ending, alice)
	isTold(t, staying, alice)
	cancel()
	isClosed(t, "its context ended", ending)
	drain(staying)
	update(t, s, bob, note)
	isTold(t, staying, bob)
	again := watch(t, t.Context(), s)
	update(t, s, alice, note)
	isTold(t, again, alice)
}

func watchClose(t testing.TB, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	told, both := watch(t, t.Context(), s), watch(t, ctx, s)
	update(t, s, alice, note)
	if err := s.Close(); err != nil {
		t.Errorf("Close beside a watcher = %v, want nil", err)
	}
	isClosed(t, "Close", told)
	isClosed(t, "Close", both)
	cancel() // of a channel that is closed already
}

func watchEnded(t testing.TB, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Watch(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Watch with a cancelled context = %v, want context.Canceled", err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close = %v, want nil", err)
	}
	if _, err := s.Watch(t.Context()); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Watch after Close = %v, want ErrClosed", err)
	}
}
