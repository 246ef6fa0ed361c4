package pad_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// changesBeside returns changes of a pad that leave a live entry under each of the keys.
func changesBeside(p, view *pad.Pad, c *testkit.Clock, keys []string) map[string]func(i int) {
	return map[string]func(i int){
		"set":           func(i int) { p.Set("stays", 1); p.Set(fmt.Sprint("v:", i), 1) },
		"delete":        func(i int) { p.Delete(fmt.Sprint("v:", i)) },
		"restore":       func(i int) { p.Restore(p.Snapshot()) },
		"restore view":  func(i int) { view.Restore(view.Snapshot()) },
		"restore other": func(i int) { view.Restore(view.Fork().Snapshot()) },
		"sweep":         func(i int) { p.Sweep() },
		"expired anew": func(i int) {
			c.Advance(time.Millisecond)
			p.SetWith("anew", 1, pad.SetOptions{TTL: time.Millisecond})
			p.Set("anew", 1)
			p.Get("v:slides")
		},
		"time": func(i int) {
			c.Advance(time.Millisecond)
			for _, key := range keys { // before the time passes on
				p.Get(key)
			}
		},
	}
}

// Readers always find an entry that is there all the time, whatever changes beside it.
func TestReadersDuringWrites(t *testing.T) {
	defer pad.SetFold(3, -50)()
	c := testkit.NewClock()
	p, err := pad.New(pad.Options{Now: c.Now})
	testkit.Must(t, err)
	view := p.Namespace("v")
	keys := []string{"stays", "anew", "v:stays", "v:slides"}
	testkit.Must(t, p.Set("stays", 1))
	testkit.Must(t, p.Set("anew", 1))
	testkit.Must(t, view.Set("stays", 1))
	testkit.Must(t, view.SetWith("slides", 1, pad.SetOptions{TTL: 20 * time.Millisecond, Expiry: pad.Sliding}))
	for i := range 200 {
		testkit.Must(t, p.Set(fmt.Sprint("v:", i), i))
	}
	writes := changesBeside(p, view, c, keys)
	var reads atomic.Int64
	var readers sync.WaitGroup
	stop := make(chan struct{})
	var doing atomic.Value
	doing.Store("")
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, key := range keys {
					if _, ok := p.Get(key); !ok {
						t.Errorf("Get(%q) found nothing during %v", key, doing.Load())
						return
					}
					if !p.Has(key) {
						t.Errorf("Has(%q) = false during %v", key, doing.Load())
						return
					}
					reads.Add(1)
				}
			}
		})
	}
	for i := range testkit.Pick(20, 150, 300) {
		for name, write := range writes {
			doing.Store(name)
			for seen := reads.Load(); reads.Load() == seen && !t.Failed(); {
				write(i % 200)
			}
		}
	}
	close(stop)
	readers.Wait()
}

// No access is lost while fold stores accesses in entries.
func TestAccessesDuringFolds(t *testing.T) {
	defer pad.SetFold(2, -1000)()
	p, c := newPad(t, pad.Options{})
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
		testkit.Must(t, p.Set(keys[i], i))
	}
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				key, now := keys[i%len(keys)], c.Now()
				p.Get(key)
				if e, _ := p.Peek(key); e.AccessedAt.Before(now) {
					t.Errorf("AccessedAt is %v after a Get at %v", e.AccessedAt, now)
					return
				}
			}
		})
	}
	for range testkit.Pick(150, 1000, 1000) {
		c.Advance(time.Millisecond)
		for _, key := range keys {
			p.Get(key)
		}
		p.Snapshot()
	}
	close(stop)
	readers.Wait()
}
