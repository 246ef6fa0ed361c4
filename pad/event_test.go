package pad_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestHandlerStops(t *testing.T) {
	p := emptyPad(t)
	var got []string
	var stops [2]func()
	for i := range stops {
		stops[i] = p.On(pad.EventSet, func(e pad.Event) {
			got = append(got, fmt.Sprint(e.Key, i))
			stops[0]()
			stops[1]()
		})
	}
	testkit.Must(t, p.Set("k", 1))
	testkit.Must(t, p.Set("l", 1))
	if strings.Join(got, " ") != "k0" {
		t.Errorf("events %q, want one: the first handler stopped both", got)
	}
	stops[0]() // again does nothing
	p.On(pad.EventSet, nil)()

	p.On(pad.EventSet, func(e pad.Event) {
		got = append(got, e.Key)
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := p.Set("n", 1); !errors.Is(err, pad.ErrClosed) {
			t.Errorf("Set() in a handler that closed = %v", err)
		}
	})
	p.On(pad.EventSet, func(e pad.Event) { t.Error("told after Close()") })
	testkit.Must(t, p.Set("m", 1))
	if strings.Join(got, " ") != "k0 m" {
		t.Errorf("events %q", got)
	}
}

// While a handler runs, the changes of other goroutines return. Their events follow
// when the handler has returned.
func TestChangesWhileAHandlerRuns(t *testing.T) {
	p := emptyPad(t)
	in, out, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var told []string
	p.On(pad.EventSet, func(e pad.Event) {
		if told = append(told, e.Key); len(told) == 1 {
			close(in)
			<-out
		}
	})
	go func() {
		defer close(done)
		p.Set("blocks", 1)
	}()
	mustEnd(t, func() { <-in })
	mustEnd(t, func() {
		testkit.Must(t, p.Set("a", 1))
		testkit.Must(t, p.Set("b", 1))
		p.Get("a")
		p.Snapshot()
		testkit.Must(t, p.Restore(p.Snapshot()))
	})
	close(out)
	mustEnd(t, func() { <-done })
	if got := strings.Join(told, " "); got != "blocks a b blocks a b" {
		t.Errorf("events %q, want the Set of each key and those of the Restore", got)
	}
	testkit.Must(t, p.Set("c", 1))
	if got := told[len(told)-1]; got != "c" {
		t.Errorf("the last event is that of %q when Set of c has returned", got)
	}
}

// Neither a panic nor runtime.Goexit, which t.FailNow calls, stops the delivery.
func TestHandlerEndsItsGoroutine(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("sorry") }, "Goexit": runtime.Goexit} {
		var reported error
		p, _ := newPad(t, pad.Options{OnError: func(err error) {
			reported = err
			panic("OnError too")
		}})
		var got []string
		p.On(pad.EventSet, func(pad.Event) { end() })
		stop := p.On(pad.EventSet, func(e pad.Event) {
			got = append(got, e.Key)
			if e.Key == "a" {
				p.Set("b", 1)
				p.Set("c", 1)
			}
			end()
		})
		p.On(pad.EventSet, func(e pad.Event) { got = append(got, strings.ToUpper(e.Key)) })
		in := func(f func()) {
			mustEnd(t, func() {
				done := make(chan struct{})
				go func() {
					defer close(done)
					f()
				}()
				<-done
			})
		}
		in(func() { p.Set("a", 1) })
		stop()
		in(func() { p.Set("d", 1) })
		if strings.Join(got, " ") != "a A b B c C D" {
			t.Errorf("%s: events %q, want those of a, b and c for both handlers, and of d for one", name, got)
		}
		if name == "panic" && (reported == nil || !strings.Contains(reported.Error(), "sorry")) {
			t.Errorf("OnError got %v, want the panic", reported)
		}
	}
}

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
		p.On(pad.EventSet, func(e pad.Event) {
			if e.Key == "last" { // not an event that was still waiting
				close(told)
			}
		})
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
