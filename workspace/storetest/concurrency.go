package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest/internal/plain"
)

var concurrency = []check{
	{"Concurrency/NoUpdateIsLost", concurrentCounter},
	{"Concurrency/Owners", concurrentOwners},
	{"Concurrency/Count", concurrentCount},
	{"Concurrency/CountIsOneMoment", concurrentCounts},
	{"Concurrency/OneAfterTheOther", concurrentQuota},
	{"Concurrency/ViewIsOneMoment", concurrentView},
	{"Concurrency/OneOfManyCancelled", concurrentCancel},
	{"Concurrency/OneOfManyFails", concurrentFailure},
}

const many = 64

func worker(i int) store.Owner {
	return store.Owner{Tenant: "local", Agent: fmt.Sprintf("worker-%d", i)}
}

// each runs fn in many goroutines and waits for them.
func each(fn func(i int)) {
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() { fn(i) })
	}
	all.Wait()
}

// count adds 1 to a counter of the owner.
func count(tx store.Tx) error {
	state, err := tx.Owner()
	if err != nil {
		return err
	}
	state.Operations++
	return tx.Apply(state)
}

func concurrentCounter(t testing.TB, s store.Store) {
	n := rounds(100, 30, 5, 3)
	each(func(int) {
		for range n {
			if err := s.Update(t.Context(), alice, count); err != nil {
				t.Errorf("Update beside others = %v, want nil", err)
			}
		}
	})
	if got, want := view(t, s, alice, readOwner).Operations, int64(many*n); got != want {
		t.Errorf("%d goroutines counted to %d together, want %d", many, got, want)
	}
}

// concurrentCount counts reads beside Updates of the same owners.
func concurrentCount(t testing.TB, s store.Store) {
	n := rounds(100, 30, 5, 3)
	for i := range 3 {
		update(t, s, worker(i), count)
	}
	each(func(i int) {
		for range n {
			var err error
			if i%2 == 0 {
				err = s.Update(t.Context(), worker(i%3), count)
			} else {
				err = s.Count(t.Context(), map[store.Owner]int64{worker(0): 1, worker(1): 1, worker(2): 1})
			}
			if err != nil {
				t.Errorf("Update and Count beside others = %v, want nil", err)
			}
		}
	})
	got, want := int64(0), int64(3+many/2*n+3*many/2*n)
	for i := range 3 {
		got += view(t, s, worker(i), readOwner).Operations
	}
	if got != want {
		t.Errorf("Updates and Counts together counted to %d, want %d", got, want)
	}
}

// concurrentCounts looks at two owners that are always counted together.
func concurrentCounts(t testing.TB, s store.Store) {
	update(t, s, alice, count)
	update(t, s, bob, count)
	var counting sync.WaitGroup
	var stop atomic.Bool
	var counted atomic.Int64
	for range 2 {
		counting.Go(func() {
			for !stop.Load() {
				if err := s.Count(t.Context(), map[store.Owner]int64{alice: 1, bob: 1}); err != nil {
					t.Errorf("Count beside Owners = %v, want nil", err)
				}
				counted.Add(1)
			}
		})
	}
	for n := rounds(2000, 500, 100, 50); n > 0 || counted.Load() < 20; n-- {
		got := list(t, s, "local", "", 10)
		if len(got) != 2 || got[0].Usage != got[1].Usage {
			t.Errorf("Owners beside Count = %+v, want the same count for both", got)
			break
		}
		runtime.Gosched()
	}
	stop.Store(true)
	counting.Wait()
}

// concurrentOwners lets many owners work at the same time. Each sees at once what it has
// written.
func concurrentOwners(t testing.TB, s store.Store) {
	n := rounds(50, 15, 3, 2)
	each(func(i int) {
		for round := range n {
			want := fmt.Sprintf("%d of %d", round, i)
			err := s.Update(t.Context(), worker(i), func(tx store.Tx) error {
				return errors.Join(write(tx, round, "a", want), add(tx, round, "a", want))
			})
			f, err2 := try(t, s, worker(i), readFile("a"))
			if err != nil || err2 != nil || string(f.Current.Content) != want || f.Head.Version != int64(round+1) {
				t.Errorf("Update of %q = %v, then its View gives version %d %q, %v", want, err, f.Head.Version,
					f.Current.Content, err2)
			}
		}
	})
	for i := range many {
		entries := view(t, s, worker(i), readEntries("a", store.EntryQuery{}))
		if len(entries) != n {
			t.Fatalf("%s appended %d entries and has %d", worker(i), n, len(entries))
		}
		for round, e := range entries {
			if want := fmt.Sprintf("%d of %d", round, i); e.ID != int64(round+1) || string(e.Content) != want {
				t.Fatalf("%s has entry %d %q, want %d %q", worker(i), e.ID, e.Content, round+1, want)
			}
		}
	}
	if got := list(t, s, "local", "", 2*many); len(got) != many {
		t.Errorf("Owners of %d that wrote gives %d", many, len(got))
	}
}

// concurrentQuota lets many goroutines make a file if there are fewer than ten. What an
// Update has read must still be true when it is stored.
func concurrentQuota(t testing.TB, s store.Store) {
	const quota = 10
	var made atomic.Int64
	each(func(i int) {
		err := s.Update(t.Context(), alice, func(tx store.Tx) error {
			heads, err := plain.Read(tx).Files("", "", many)
			if err != nil {
				return err
			}
			if len(heads) >= quota {
				return store.ErrQuota
			}
			return write(tx, i, fmt.Sprint("file-", i), "x")
		})
		if err == nil {
			made.Add(1)
		} else if err != store.ErrQuota {
			t.Errorf("Update = %v, want nil or ErrQuota", err)
		}
	})
	got := view(t, s, alice, everything)
	if made.Load() != quota || len(got.Files) != quota || got.State.Files != quota {
		t.Errorf("%d Updates under a quota of %d: %d said nil, %d files are there, %d are counted",
			many, quota, made.Load(), len(got.Files), got.State.Files)
	}
}

// concurrentView reads while a writer writes one number in several places.
func concurrentView(t testing.TB, s store.Store) {
	same := func(n int64) func(store.Tx) error {
		return func(tx store.Tx) error {
			text := fmt.Sprint(n)
			return errors.Join(
				write(tx, int(n), "a", text), write(tx, int(n), "b", text), add(tx, int(n), "log", text),
				tx.Apply(store.Request{Key: "k", Outcome: store.Outcome{Number: n}}),
				tx.Forget(store.Old{Changes: 3 * (n - 1)}),
				tx.Apply(store.OwnerState{Usage: store.Usage{Operations: n}, Revision: 3 * n, Changes: 3}))
		}
	}
	update(t, s, alice, same(1))
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for n := int64(2); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := s.Update(t.Context(), alice, same(n)); err != nil {
				t.Errorf("Update beside Views = %v, want nil", err)
				return
			}
		}
	})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			last := int64(0)
			for range rounds(3000, 500, 100, 30) {
				got, err := try(t, s, alice, sample)
				if err != nil {
					t.Errorf("View = %v, want nil", err)
					return
				}
				for _, n := range got {
					if n != got[0] || n < last {
						t.Errorf("a View after one of moment %d reads of the moments %v, want all the same and none "+
							"older", last, got)
						return
					}
				}
				last = got[0]
			}
		})
	}
	readers.Wait()
	close(stop)
	all.Wait()
}

// sample reads the number that concurrentView wrote, in all places and twice.
func sample(r store.Reader) (got []int64, err error) {
	for range 2 {
		for _, path := range []string{"b", "a"} {
			head, v, err := plain.Read(r).Current(path)
			if err != nil {
				return nil, err
			}
			if want := fmt.Sprint(head.Version); string(v.Content) != want {
				return nil, fmt.Errorf("Current(%q) gives %q with the head of version %s", path, v.Content, want)
			}
			got = append(got, head.Version)
			runtime.Gosched()
		}
		state, err := r.Owner()
		if err != nil {
			return nil, err
		}
		q, err := plain.Read(r).Request("k")
		if err != nil {
			return nil, err
		}
		tail, err := r.Entries("log", store.EntryQuery{Tail: true, Limit: 1})
		if err != nil || len(tail) != 1 {
			return nil, fmt.Errorf("%d entries: %w", len(tail), err)
		}
		rows, err := r.Changes(0, 10)
		if err != nil || len(rows) != 3 {
			return nil, fmt.Errorf("%d rows of the journal, want 3: %w", len(rows), err)
		}
		l, err := r.Load(store.Query{File: "a", Current: true, Log: "log", Request: "k"})
		if err != nil || l.Request == nil {
			return nil, fmt.Errorf("the request that Load gives is %v: %w", l.Request, err)
		}
		got = append(got, state.Operations, q.Outcome.Number, tail[0].ID, rows[2].Revision/3,
			l.Owner.Operations, l.File.Version, l.Version.Number, l.Log.Last, l.Request.Outcome.Number)
		runtime.Gosched()
	}
	return got, nil
}

// work is what one worker does in one round: it appends an entry to the log of an owner
// that it shares with others.
type work struct{ worker, round int }

func (w work) owner() store.Owner { return worker(w.worker % 16) }
func (w work) text() string       { return fmt.Sprintf("worker %d round %d", w.worker, w.round) }

func (w work) do(tx store.Tx) error { return add(tx, w.round, "log", w.text()) }

// settled tests, after the last round, that the log has one entry for each Update that
// succeeded, and no other.
func settled(t testing.TB, s store.Store, said map[work]error) {
	t.Helper()
	stored := map[string]int{}
	for i := range 16 {
		head := view(t, s, worker(i), readLog("log")).Head
		state := view(t, s, worker(i), readOwner)
		entries := view(t, s, worker(i), readEntries("log", store.EntryQuery{}))
		if n := int64(len(entries)); head.Entries() != n || state.Entries != n || state.Operations != n {
			t.Errorf("%s has %d entries, its head says %d, its state %d", worker(i), n, head.Entries(), state.Entries)
		}
		for n, e := range entries {
			stored[worker(i).Agent+" "+string(e.Content)]++
			if e.ID != int64(n+1) {
				t.Fatalf("entry %d of %s has the number %d", n+1, worker(i), e.ID)
			}
		}
	}
	total := 0
	for w, err := range said {
		n := stored[w.owner().Agent+" "+w.text()]
		if n > 1 {
			t.Errorf("%s is stored %d times", w.text(), n)
		}
		total += n
		if errors.Is(err, errFn) {
			if n > 0 {
				t.Errorf("%s failed and is stored", w.text())
			}
			continue
		}
		honest(t, w.text(), err, n == 1)
	}
	if len(stored) != total {
		t.Errorf("%d entries are stored, %d of them by a worker", len(stored), total)
	}
}

// concurrentRounds lets many workers write at once, round after round, and one of them do
// something odd. It tests that the others do not notice.
func concurrentRounds(t testing.TB, s store.Store, odd func(w work, start <-chan struct{}) error) {
	said := map[work]error{}
	var mu sync.Mutex // guards said
	for round := range rounds(10_000, 150, 24, 12) {
		start := make(chan struct{})
		var all sync.WaitGroup
		for i := range many {
			w := work{worker: i, round: round}
			all.Go(func() {
				var err error
				if i == round%many {
					err = odd(w, start)
				} else {
					<-start
					if err = s.Update(t.Context(), w.owner(), w.do); err != nil {
						t.Errorf("%s, beside one that ends otherwise: Update = %v, want nil", w.text(), err)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				said[w] = err
			})
		}
		close(start)
		all.Wait()
		if t.Failed() {
			break
		}
	}
	settled(t, s, said)
}

func concurrentCancel(t testing.TB, s store.Store) {
	concurrentRounds(t, s, func(w work, start <-chan struct{}) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if rand.IntN(4) == 0 { // surely in flight
			<-start
			return s.Update(ctx, w.owner(), func(tx store.Tx) error {
				cancel()
				return w.do(tx)
			})
		}
		var beside sync.WaitGroup // at any time
		defer beside.Wait()
		wait := rand.IntN(200)
		beside.Go(func() {
			<-start
			for range wait {
				runtime.Gosched()
			}
			cancel()
		})
		<-start
		return s.Update(ctx, w.owner(), w.do)
	})
}

func concurrentFailure(t testing.TB, s store.Store) {
	concurrentRounds(t, s, func(w work, start <-chan struct{}) (err error) {
		<-start
		switch w.round % 3 {
		case 0:
			err = s.Update(t.Context(), w.owner(), func(tx store.Tx) error { return errors.Join(w.do(tx), errFn) })
			if !errors.Is(err, errFn) {
				t.Errorf("%s: Update = %v, want the function's error", w.text(), err)
			}
		case 1:
			if got := panicked(func() {
				s.Update(t.Context(), w.owner(), func(tx store.Tx) error { panic(errors.Join(w.do(tx), errFn)) })
			}); got == nil {
				t.Errorf("%s: Update of a function that panics did not", w.text())
			}
		case 2:
			if !exited(func() {
				s.Update(t.Context(), w.owner(), func(tx store.Tx) error {
					defer runtime.Goexit()
					return w.do(tx)
				})
			}) {
				t.Errorf("%s: Update of a function that calls Goexit did not", w.text())
			}
		}
		return errFn
	})
}
