package pad

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// quick is a saver that counts, and waits where it is told to.
type quick struct {
	wait  chan struct{}
	saves atomic.Int64
}

func (q *quick) Load(context.Context) (*Snapshot, error) { return nil, nil }

func (q *quick) Save(context.Context, *Snapshot) error {
	if q.wait != nil {
		<-q.wait
	}
	q.saves.Add(1)
	return nil
}

func padWith(t *testing.T, o Options) *Pad {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An access that has returned is not forgotten, whatever snapshots and folds were
// taken meanwhile.
func TestAccessBesideSnapshots(t *testing.T) {
	const n = 3000
	rounds := 1000
	if testing.Short() {
		rounds = 100
	}
	var ms atomic.Int64
	ms.Store(1e12)
	p := padWith(t, Options{Now: func() time.Time { return time.UnixMilli(ms.Load()) }})
	for i := range n {
		_ = p.Set(fmt.Sprint(i), i)
	}
	for range rounds {
		now := ms.Add(1)
		var stop atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for !stop.Load() {
				p.Snapshot()
			}
		})
		for i := range n {
			p.Get(fmt.Sprint(i))
		}
		stop.Store(true)
		wg.Wait()
		for i := range n {
			if e, _ := p.Peek(fmt.Sprint(i)); e.AccessedAt.UnixMilli() != now {
				t.Fatalf("entry %d was accessed at %d, want %d", i, e.AccessedAt.UnixMilli(), now)
			}
		}
	}
}

// What was deleted is freed, also where it was accessed after a snapshot.
func TestDeletedValuesAreFreed(t *testing.T) {
	const n, size = 40, 1 << 20
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	ms := int64(1e12)
	p := padWith(t, Options{Now: func() time.Time { ms++; return time.UnixMilli(ms) }})
	for i := range n {
		_ = p.Set(fmt.Sprint(i), make([]byte, size))
	}
	p.Snapshot()
	for i := range n {
		p.Get(fmt.Sprint(i))
	}
	p.Clear()
	p.Snapshot()
	if more := inUse() - before; more > n*size/2 {
		t.Errorf("%d MiB are in use when %d MiB were deleted", more>>20, n*size>>20)
	}
	runtime.KeepAlive(p)
}

// Entries that accesses keep alive cost a snapshot and a count once, not each time.
func TestSlidingIndexIsMended(t *testing.T) {
	clock := time.UnixMilli(1e12)
	p := padWith(t, Options{DefaultTTL: time.Minute, DefaultExpiry: Sliding, Now: func() time.Time { return clock }})
	for i := range 100 {
		_ = p.Set(fmt.Sprint(i), i)
	}
	clock = clock.Add(50 * time.Second)
	for i := range 100 {
		p.Get(fmt.Sprint(i))
	}
	clock = clock.Add(30 * time.Second)
	if n := p.Len(); n != 100 {
		t.Fatalf("Len() = %d, want 100", n)
	}
	if due := p.store.look().dueBy(clock); len(due) != 0 {
		t.Errorf("%d entries stand in the index as due, want none", len(due))
	}
}

// A merge is seen as a whole.
func TestMergeIsSeenAtOnce(t *testing.T) {
	const n = 300
	p := padWith(t, Options{})
	for i := range n {
		_ = p.Set(fmt.Sprint(i), 0)
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			first, _ := Get[int](p, "0")
			last, _ := Get[int](p, fmt.Sprint(n-1))
			if first > last {
				t.Error("half a merge is seen")
				return
			}
		}
	})
	for round := range 50 {
		base, fork := p.Snapshot(), p.Fork()
		for i := range n {
			_ = fork.Set(fmt.Sprint(i), round+1)
		}
		if _, err := p.Merge(base, fork, nil); err != nil {
			t.Fatal(err)
		}
	}
	stop.Store(true)
	wg.Wait()
}

// A Close in a handler of a merge saves the merge.
func TestMergeIsSavedByClose(t *testing.T) {
	q := &quick{}
	p := padWith(t, Options{Saver: q, AutoSave: time.Hour})
	base, fork := p.Snapshot(), p.Fork()
	_ = fork.Set("a", 1)
	p.On(EventSet, func(Event) {
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if _, err := p.Merge(base, fork, nil); err != nil {
		t.Fatal(err)
	}
	if n := q.saves.Load(); n != 1 {
		t.Errorf("%d saves, want 1", n)
	}
}

// However long a save takes, changes meanwhile leave one more to be made, and no
// goroutine each.
func TestSlowSaver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &quick{wait: make(chan struct{})}
		p := padWith(t, Options{Saver: q, AutoSave: time.Millisecond})
		before := runtime.NumGoroutine()
		for i := range 500 {
			_ = p.Set("a", i)
			time.Sleep(5 * time.Millisecond)
		}
		if n := runtime.NumGoroutine() - before; n > 100 {
			t.Errorf("%d goroutines more than before", n)
		}
		close(q.wait)
		time.Sleep(time.Second)
		if n := q.saves.Load(); n != 2 {
			t.Errorf("%d saves, want the one under way and one of all that came meanwhile", n)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// The longest quiet time does not turn into none.
func TestLongestAutoSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &quick{}
		p := padWith(t, Options{Saver: q, AutoSave: math.MaxInt64})
		_ = p.Set("a", 1)
		time.Sleep(24 * time.Hour)
		if n := q.saves.Load(); n != 0 {
			t.Errorf("%d saves after a day, want none", n)
		}
		if err := p.Close(t.Context()); err != nil || q.saves.Load() != 1 {
			t.Errorf("Close() = %v, %d saves, want 1", err, q.saves.Load())
		}
	})
}

// Text that JSON would change is not saved.
func TestSaveOfWhatIsNoText(t *testing.T) {
	for _, v := range []any{"a\xffb", []string{"ok", "\xff"}, map[string]string{"\xff": "x"}} {
		q := &quick{}
		p := padWith(t, Options{Saver: q})
		_ = p.Set("bad one", v)
		if err := p.Save(t.Context()); err == nil || !strings.Contains(err.Error(), "bad one") || q.saves.Load() != 0 {
			t.Errorf("Save of %q = %v, want an error that names the key", v, err)
		}
	}
	q := &quick{}
	p := padWith(t, Options{Saver: q})
	_ = p.Set("good", "\ufffd \\ufffd \\\\ufffd")
	if err := p.Save(t.Context()); err != nil || q.saves.Load() != 1 {
		t.Errorf("Save of a replacement character = %v, want none", err)
	}
}
