package pad_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// The events of a handler's own changes follow in order when it has returned.
func TestHandlerCallsPad(t *testing.T) {
	p := emptyPad(t)
	var got []string
	deep := 0
	p.On(pad.EventSet, func(e pad.Event) {
		if deep++; deep > 1 {
			t.Error("a handler was called inside of itself")
		}
		got = append(got, e.Key)
		if n := len(e.Key); n < 4 {
			testkit.Must(t, p.Set(e.Key+"x", 1))
			testkit.Must(t, p.Set(e.Key+"y", 1))
			if !p.Has(e.Key + "x") {
				t.Error("a handler's change is not there")
			}
		}
		deep--
	})
	testkit.Must(t, p.Set("aaa", 1))
	testkit.Must(t, p.Set("b", 1))
	const want = "aaa aaax aaay b bx by bxx bxy byx byy bxxx bxxy bxyx bxyy byxx byxy byyx byyy"
	if strings.Join(got, " ") != want {
		t.Errorf("events %q, want %s", got, want)
	}
}

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

// blocked returns a pad whose handler notes the keys of all events. Another goroutine
// has set the key "blocks", and the handler waits in that event until release is called.
func blocked(t *testing.T) (p *pad.Pad, told *[]string, release func()) {
	t.Helper()
	p = emptyPad(t)
	in, out, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	told = new([]string)
	p.On(pad.EventSet, func(e pad.Event) {
		*told = append(*told, e.Key)
		if e.Key == "blocks" {
			close(in)
			<-out
		}
	})
	go func() {
		defer close(done)
		p.Set("blocks", 1)
	}()
	mustEnd(t, func() { <-in })
	return p, told, func() {
		t.Helper()
		close(out)
		mustEnd(t, func() { <-done })
	}
}

// While a handler runs, the changes of other goroutines return. Their events follow
// when the handler has returned.
func TestChangesWhileAHandlerRuns(t *testing.T) {
	p, told, release := blocked(t)
	mustEnd(t, func() {
		testkit.Must(t, p.Set("a", 1))
		testkit.Must(t, p.Set("b", 1))
		p.Get("a")
		p.Snapshot()
		testkit.Must(t, p.Restore(p.Snapshot()))
	})
	release()
	if got := strings.Join(*told, " "); got != "blocks a b blocks a b" {
		t.Errorf("events %q, want the Set of each key and those of the Restore", got)
	}
	testkit.Must(t, p.Set("c", 1))
	if got := (*told)[len(*told)-1]; got != "c" {
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
