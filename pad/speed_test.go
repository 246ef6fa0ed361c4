package pad_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/pad"
)

// base is the floor to compare with: a map behind an RWMutex, which reads the same clock
// and stores the same times.
type base struct {
	mu      sync.RWMutex
	entries map[string]*baseEntry
}

type baseEntry struct {
	key                        string
	value                      any
	created, updated, accessed time.Time
}

func (m *base) get(key string) (any, bool) {
	now := time.Now()
	m.mu.RLock()
	defer m.mu.RUnlock()
	e := m.entries[key]
	if e == nil {
		return nil, false
	}
	e.accessed = now
	return e.value, true
}

func (m *base) set(key string, value any) {
	now := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	created := now
	if old := m.entries[key]; old != nil {
		created = old.created
	}
	m.entries[key] = &baseEntry{key: key, value: value, created: created, updated: now, accessed: now}
}

var sizes = []int{100, 10_000, 1_000_000}

func keysOf(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("key-%d", i)
	}
	return keys
}

func padOf(b *testing.B, keys []string, o pad.SetOptions) *pad.Pad {
	p, err := pad.New(pad.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, k := range keys {
		if err := p.SetWith(k, k, o); err != nil {
			b.Fatal(err)
		}
	}
	return p
}

func baseOf(keys []string) *base {
	m := &base{entries: map[string]*baseEntry{}}
	for _, k := range keys {
		m.set(k, k)
	}
	return m
}

// stride visits the keys in an order that caches cannot predict.
func stride(keys []string, n int, visit func(string)) {
	at := 0
	for range n {
		visit(keys[at])
		if at += 7919; at >= len(keys) {
			at %= len(keys)
		}
	}
}

// versus measures two functions in turns, and reports the median of their ratios beside
// the bar.
func versus(b *testing.B, bar float64, calls int, floor, pad func(n int)) {
	once(b)
	floor(calls)
	pad(calls)
	var ratios []float64
	for range 9 {
		runtime.GC()
		start := time.Now()
		floor(calls)
		middle := time.Now()
		pad(calls)
		ratios = append(ratios, float64(time.Since(middle))/float64(middle.Sub(start)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-base")
	b.ReportMetric(bar, "bar")
}

// BenchmarkSpeed reports times as ratios to the base. x-base must stay below bar.
func BenchmarkSpeed(b *testing.B) {
	for i, n := range sizes {
		keys := keysOf(n)
		p, m := padOf(b, keys, pad.SetOptions{}), baseOf(keys)
		calls := 200_000
		b.Run(fmt.Sprintf("get/%d", n), func(b *testing.B) {
			versus(b, []float64{1.5, 2, 2.5}[i], calls,
				func(n int) { stride(keys, n, func(k string) { m.get(k) }) },
				func(n int) { stride(keys, n, func(k string) { p.Get(k) }) })
		})
		b.Run(fmt.Sprintf("set/%d", n), func(b *testing.B) {
			var v any = "another"
			versus(b, 2.5, calls,
				func(n int) { stride(keys, n, func(k string) { m.set(k, v) }) },
				func(n int) { stride(keys, n, func(k string) { _ = p.Set(k, v) }) })
		})
		b.Run(fmt.Sprintf("get-from-2/%d", n), func(b *testing.B) {
			one := func(n int) { stride(keys, n, func(k string) { p.Get(k) }) }
			// 2 is the best: two goroutines make twice the calls in the time of one.
			versusThroughput(b, []float64{1.3, 1.5, 1.5}[i], calls, one)
		})
	}
}

func versusThroughput(b *testing.B, bar float64, calls int, one func(n int)) {
	once(b)
	var ratios []float64
	for range 9 {
		start := time.Now()
		one(calls)
		alone := time.Since(start)
		start = time.Now()
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { one(calls) })
		}
		wg.Wait()
		ratios = append(ratios, 2*float64(alone)/float64(time.Since(start)))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-one")
	b.ReportMetric(bar, "bar-at-least")
}

// BenchmarkConstant measures the operations whose time must not depend on the size.
func BenchmarkConstant(b *testing.B) {
	for _, n := range sizes {
		keys := keysOf(n)
		p := padOf(b, keys, pad.SetOptions{})
		s := p.Snapshot()
		for _, c := range []struct {
			name string
			call func()
		}{
			{"snapshot", func() { p.Snapshot() }},
			{"fork", func() { p.Fork() }},
			{"restore", func() { _ = p.Restore(s) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					c.call()
				}
			})
		}
		b.Run(fmt.Sprintf("snapshot-and-first-set/%d", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				p.Snapshot()
				i += 7919
				_ = p.Set(keys[i%n], "x")
			}
		})
	}
}

// BenchmarkFollows measures the operations whose time follows the number of matches, which
// is always 100.
func BenchmarkFollows(b *testing.B) {
	for _, n := range sizes {
		keys := keysOf(n)
		p := padOf(b, keys, pad.SetOptions{})
		ns := p.Namespace("few")
		for i := range 100 {
			if err := ns.SetWith(fmt.Sprint(i), i, pad.SetOptions{Tags: []string{"rare"}}); err != nil {
				b.Fatal(err)
			}
		}
		few := ns.Snapshot()
		for _, c := range []struct {
			name string
			call func()
		}{
			{"find-by-tag", func() { p.FindByTag("rare") }},
			{"keys", func() { ns.Keys() }},
			{"clear-and-restore", func() { ns.Clear(); _ = ns.Restore(few) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					c.call()
				}
			})
		}
	}
}

// BenchmarkHeap reports the bytes of an entry in addition to its key and its value.
func BenchmarkHeap(b *testing.B) {
	for _, c := range []struct {
		name string
		bar  float64
		o    pad.SetOptions
	}{{"plain", 300, pad.SetOptions{}}, {"tag-and-ttl", 420, pad.SetOptions{Tags: []string{"tag"}, TTL: time.Hour}}} {
		for _, n := range sizes[1:] {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				once(b)
				keys := keysOf(n)
				values := make([]any, n)
				for i := range values {
					values[i] = keys[i]
				}
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				p := padOf(b, nil, pad.SetOptions{})
				for i, k := range keys {
					if err := p.SetWith(k, values[i], c.o); err != nil {
						b.Fatal(err)
					}
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B/entry")
				b.ReportMetric(c.bar, "bar")
				runtime.KeepAlive(p)
				runtime.KeepAlive(values)
			})
		}
	}
}

// once runs an empty loop, as the testing package asks for one. The caller measures on
// its own.
func once(b *testing.B) {
	for b.Loop() {
	}
	b.ReportMetric(0, "ns/op")
}
