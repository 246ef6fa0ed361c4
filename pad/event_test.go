package pad_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestEvents(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	var events []pad.Event
	keep(p, &events)
	view := p.Namespace("v")
	var told []pad.Event
	keep(view, &told)
	must(t, view.Set("k", 1))
	must(t, view.Set("k", 2))
	must(t, p.Set("k", 3))
	view.Delete("k")
	view.Delete("k")
	must(t, view.SetWith("dead", 4, fixed(ms)))
	c.advance(ms)
	view.Has("dead")
	p.Clear()
	var got []string
	last := uint64(0)
	for _, e := range events {
		if e.Seq <= last {
			t.Errorf("Seq %d after %d", e.Seq, last)
		}
		last = e.Seq
		got = append(got, fmt.Sprint(e.Kind, " ", e.Key, " ", e.Entry.Value, " ", e.Update, " ", e.Entry.Key == e.Key))
	}
	want := []string{
		"set v:k 1 false true", "set v:k 2 true true", "set k 3 false true", "delete v:k 2 false true",
		"set v:dead 4 false true", "expire v:dead 4 false true", "clear  <nil> false true",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("events\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(told) != 5 {
		t.Errorf("the view was told of %+v", told)
	}
	if s := pad.EventKind(9).String(); s != "EventKind(9)" {
		t.Errorf("String() = %s", s)
	}
}

// What a handler causes comes after it has returned, in order, without recursion.
func TestHandlerCallsPad(t *testing.T) {
	p, _ := newPad(t, pad.Options{})
	var got []string
	deep := 0
	p.On(pad.EventSet, func(e pad.Event) {
		if deep++; deep > 1 {
			t.Error("a handler was called inside of itself")
		}
		got = append(got, e.Key)
		if n := len(e.Key); n < 4 {
			must(t, p.Set(e.Key+"x", 1))
			must(t, p.Set(e.Key+"y", 1))
			if !p.Has(e.Key + "x") {
				t.Error("a handler's change is not there")
			}
		}
		deep--
	})
	must(t, p.Set("aaa", 1))
	must(t, p.Set("b", 1))
	const want = "aaa aaax aaay b bx by bxx bxy byx byy bxxx bxxy bxyx bxyy byxx byxy byyx byyy"
	if strings.Join(got, " ") != want {
		t.Errorf("events %q, want %s", got, want)
	}
}

func TestHandlerPanics(t *testing.T) {
	var errs []error
	p, _ := newPad(t, pad.Options{OnError: func(err error) {
		errs = append(errs, err)
		panic("OnError too")
	}})
	p.On(pad.EventSet, func(e pad.Event) { panic("sorry") })
	called := 0
	p.On(pad.EventSet, func(e pad.Event) { called++ })
	must(t, p.Set("k", 1))
	must(t, p.Set("k", 2))
	if called != 2 || len(errs) != 2 || !strings.Contains(errs[0].Error(), "sorry") {
		t.Errorf("the second handler was called %d times; errors %v", called, errs)
	}
}

func TestHandlerStops(t *testing.T) {
	p, _ := newPad(t, pad.Options{})
	var got []string
	var stops [2]func()
	for i := range stops {
		stops[i] = p.On(pad.EventSet, func(e pad.Event) {
			got = append(got, fmt.Sprint(e.Key, i))
			stops[0]()
			stops[1]()
		})
	}
	must(t, p.Set("k", 1))
	must(t, p.Set("l", 1))
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
	must(t, p.Set("m", 1))
	if strings.Join(got, " ") != "k0 m" {
		t.Errorf("events %q", got)
	}
}

// A handler that blocks holds up who made the change, and nobody else.
func TestHandlerBlocks(t *testing.T) {
	p, _ := newPad(t, pad.Options{})
	in, out := make(chan struct{}), make(chan struct{})
	p.On(pad.EventSet, func(e pad.Event) {
		if e.Key == "blocks" {
			close(in)
			<-out
		}
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Set("blocks", 1)
	}()
	within10s(t, func() {
		<-in
		p.Set("k", 1)
		p.Get("blocks")
		p.Snapshot()
		p.Clear()
		must(t, p.Close(t.Context()))
		close(out)
		<-done
	})
}

// Handlers end, too, with runtime.Goexit, as t.FailNow does.
func TestHandlerExits(t *testing.T) {
	p, _ := newPad(t, pad.Options{})
	var got []string
	p.On(pad.EventSet, func(e pad.Event) { got = append(got, e.Key) })
	stop := p.On(pad.EventSet, func(e pad.Event) { runtime.Goexit() })
	within10s(t, func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.Set("a", 1)
		}()
		<-done
		stop()
		p.Set("b", 1)
	})
	if strings.Join(got, " ") != "a b" {
		t.Errorf("events %q, want a b", got)
	}
}

func TestSweepGoroutine(t *testing.T) {
	p, err := pad.New(pad.Options{SweepInterval: ms})
	must(t, err)
	gone := make(chan string, 1)
	p.On(pad.EventExpire, func(e pad.Event) { gone <- e.Key })
	must(t, p.SetWith("k", 1, fixed(ms)))
	select {
	case key := <-gone:
		if key != "k" {
			t.Errorf("%q expired", key)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing was swept")
	}
	must(t, p.Close(t.Context())) // TestMain sees that nothing runs on
}

func TestBadOptions(t *testing.T) {
	for name, o := range map[string]pad.Options{
		"TTL":    {DefaultTTL: -2},
		"expiry": {DefaultExpiry: 3},
		"below":  {DefaultExpiry: -1},
		"sweep":  {SweepInterval: -1},
	} {
		if p, err := pad.New(o); p != nil || !errors.Is(err, pad.ErrConfig) {
			t.Errorf("%s: New() = %v, %v, want ErrConfig", name, p, err)
		}
		var s pad.Snapshot
		if p, err := pad.FromSnapshot(&s, o); p != nil || !errors.Is(err, pad.ErrConfig) {
			t.Errorf("%s: FromSnapshot() = %v, %v, want ErrConfig", name, p, err)
		}
	}
	p, _ := newPad(t, pad.Options{DefaultTTL: pad.Forever, AutoSave: -1})
	must(t, p.Set("k", 1))
	if e, _ := p.Peek("k"); e.TTL != 0 {
		t.Errorf("Forever as the default gave %+v", e)
	}
	for name, o := range map[string]pad.SetOptions{"expiry": {Expiry: 3}, "tag": {Tags: []string{"\xff"}}} {
		if err := p.SetWith("k", 2, o); !errors.Is(err, pad.ErrConfig) {
			t.Errorf("%s: SetWith() = %v, want ErrConfig", name, err)
		}
	}
	for err, code := range map[error]string{
		pad.ErrConfig: "SCRATCHPAD_CONFIG_ERROR", pad.ErrPersist: "SCRATCHPAD_PERSISTENCE_ERROR",
		&pad.VersionError{Version: 2}: "SCRATCHPAD_VERSION_ERROR", &pad.TypeError{Key: "k"}: "SCRATCHPAD_TYPE_ERROR",
	} {
		var coded interface{ Code() string }
		if !errors.As(fmt.Errorf("wrapped: %w", err), &coded) || coded.Code() != code || err.Error() == "" {
			t.Errorf("%v: the code is not %s", err, code)
		}
	}
}
