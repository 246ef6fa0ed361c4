package pad_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// A Get that has returned shows in AccessedAt, also if snapshots and folds run beside it.
func TestAccessBesideSnapshots(t *testing.T) {
	const n = 3000
	rounds := 250
	switch {
	case testkit.Long():
		rounds = 1000
	case testing.Short():
		rounds = 100
	}
	var ms atomic.Int64
	ms.Store(1e12)
	p, _ := newPad(t, pad.Options{Now: func() time.Time { return time.UnixMilli(ms.Load()) }})
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

// Deleted values are freed, also if they were accessed after a snapshot.
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
	p, _ := newPad(t, pad.Options{Now: func() time.Time { ms++; return time.UnixMilli(ms) }})
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
