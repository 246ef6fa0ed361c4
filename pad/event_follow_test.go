package pad_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// follow returns a map that the events of a pad keep equal to its content.
func follow(t *testing.T, p *pad.Pad) map[string]any {
	followed := map[string]any{}
	last := uint64(0)
	for _, kind := range []pad.EventKind{pad.EventSet, pad.EventDelete, pad.EventExpire, pad.EventClear} {
		p.On(kind, func(e pad.Event) {
			if e.Seq != last+1 {
				t.Errorf("Seq %d after %d", e.Seq, last)
			}
			last = e.Seq
			switch kind {
			case pad.EventSet:
				if _, there := followed[e.Key]; there != e.Update {
					t.Errorf("a Set of %q with Update %v, want %v", e.Key, e.Update, there)
				}
				followed[e.Key] = e.Entry.Value
			case pad.EventClear:
				maps.DeleteFunc(followed, func(key string, _ any) bool { return strings.HasPrefix(key, e.Prefix) })
			default:
				delete(followed, e.Key)
			}
		})
	}
	return followed
}

// Whoever follows the events has the content of the pad, whatever many goroutines do.
func TestEventsTellEveryChange(t *testing.T) {
	for range 10 {
		p, err := pad.New(pad.Options{SweepInterval: time.Millisecond, Saver: new(memorySaver)})
		testkit.Must(t, err)
		followed := follow(t, p)
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				for range 100 {
					changeAnything(t, p)
				}
			})
		}
		wg.Wait()
		time.Sleep(4 * time.Millisecond) // all TTLs pass
		p.Sweep()
		told := make(chan struct{})
		p.On(pad.EventSet, func(pad.Event) { close(told) })
		p.Set("last", 1)
		mustEnd(t, func() { <-told }) // the goroutine of the sweep may deliver the event
		content := map[string]any{}
		for e := range p.All() {
			content[e.Key] = e.Value
		}
		testkit.Must(t, p.Close(t.Context()))
		if diff := cmp.Diff(content, followed); diff != "" {
			t.Fatalf("who followed the events has other entries, -pad +followed:\n%s", diff)
		}
	}
}

// changeAnything changes some keys of a pad or a view in one of all ways.
func changeAnything(t *testing.T, p *pad.Pad) {
	view, key := p, fmt.Sprint("k", rand.IntN(8))
	if rand.IntN(2) == 0 {
		view = p.Namespace("v")
	}
	switch rand.IntN(12) {
	case 0:
		view.Delete(key)
	case 1:
		view.Clear()
	case 2:
		view.Restore(view.Snapshot())
	case 3:
		ttl := time.Duration(1+rand.IntN(2)) * time.Millisecond
		view.SetWith(key, 3, pad.SetOptions{TTL: ttl, Expiry: pad.Sliding})
	case 4:
		view.Get(key)
	case 5:
		p.Save(t.Context())
	case 6:
		p.Load(t.Context())
	case 7:
		before, fork := view.Snapshot(), view.Fork()
		fork.Set(key, 7)
		fork.Delete("k1")
		view.Merge(before, fork, nil)
	case 8:
		pad.Update(view, key, func(int, bool) (int, error) { return 8, nil })
	default:
		view.Set(key, rand.IntN(1000))
	}
}
