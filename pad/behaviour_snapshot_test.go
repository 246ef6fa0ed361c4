package pad_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestSnapshot(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	must(t, p.SetWith("a", 1, sliding(time.Hour)))
	must(t, p.SetWith("short", 1, fixed(ms)))
	s := p.Snapshot()
	c.advance(ms)
	p.Get("a")
	p.Set("b", 2)
	later := p.Snapshot()
	p.Delete("a")
	p.Sweep()
	want := []record{
		{key: "a", value: 1, created: start.UnixNano(), updated: start.UnixNano(), accessed: start.UnixMilli(), ttl: time.Hour, sliding: true},
		{key: "short", value: 1, created: start.UnixNano(), updated: start.UnixNano(), accessed: start.UnixMilli(), ttl: ms},
	}
	if got := recordsOf(slices.Collect(s.All())); !slices.Equal(got, want) || s.Len() != 2 || !s.Time().Equal(start) {
		t.Errorf("the snapshot of %v has changed:\n got %+v\nwant %+v", s.Time(), got, want)
	}
	if got := recordsOf(slices.Collect(later.All())); len(got) != 2 || got[0].accessed != start.Add(ms).UnixMilli() || got[1].key != "b" {
		t.Errorf("the later snapshot is %+v", got)
	}
	var none pad.Snapshot
	text, err := none.MarshalJSON()
	if err != nil || string(text) != `{"entries":{},"timestamp":0,"version":1}` || none.Len() != 0 {
		t.Errorf("the zero snapshot is %s, %v", text, err)
	}
	must(t, p.Restore(&none))
	wantKeys(t, p, "")
}

func TestRestore(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	must(t, p.SetWith("a", 1, fixed(time.Minute)))
	must(t, p.SetWith("short", 1, fixed(ms)))
	s := p.Snapshot()
	var events []pad.Event
	keep(p, &events)
	c.advance(ms)
	must(t, p.Set("new", 1))
	events = nil
	must(t, p.Restore(s))
	wantKeys(t, p, "a")
	if len(events) != 2 || events[0].Kind != pad.EventClear || events[0].Count != 2 || events[1].Key != "a" || events[1].Update {
		t.Errorf("events %+v, want a Clear of 2 and a Set of a", events)
	}
	if e, _ := p.Peek("a"); !e.CreatedAt.Equal(start) || e.TTL != time.Minute {
		t.Errorf("restored %+v", e)
	}
	events = nil
	if err := p.Restore(nil); !errors.Is(err, pad.ErrConfig) || len(events) != 0 || p.Len() != 1 {
		t.Errorf("Restore(nil) = %v with events %+v", err, events)
	}
	if _, err := pad.FromSnapshot(nil, pad.Options{SweepInterval: ms}); !errors.Is(err, pad.ErrConfig) {
		t.Errorf("FromSnapshot(nil) = %v, want ErrConfig", err)
	}
	q, err := pad.FromSnapshot(s, pad.Options{Now: c.Now, DefaultTTL: time.Hour})
	must(t, err)
	must(t, q.Set("b", 1))
	if e, _ := q.Peek("b"); e.TTL != time.Hour {
		t.Errorf("a pad from a snapshot set %+v, want its own default TTL", e)
	}
	wantKeys(t, p, "a")
}

type point struct{ X, Y int }

func TestValues(t *testing.T) {
	p, _ := newPad(t, pad.Options{})
	at := &point{1, 2}
	must(t, p.Set("pointer", at))
	must(t, p.Set("struct", point{3, 4}))
	must(t, p.Set("nil", nil))
	if got, err := pad.Get[*point](p, "pointer"); got != at || err != nil {
		t.Errorf("Get[*point]() = %v, %v, want the pointer itself", got, err)
	}
	if _, err := pad.Get[any](p, "nil"); err != nil {
		t.Errorf("Get[any]() of nil = %v", err)
	}
	if _, err := pad.Get[error](p, "nil"); err != nil {
		t.Errorf("Get[error]() of nil = %v", err)
	}
	var other *pad.TypeError
	if got, err := pad.Get[point](p, "pointer"); got != (point{}) || !errors.As(err, &other) || other.Key != "pointer" || other.Want.Name() != "point" {
		t.Errorf("Get[point]() of a pointer = %v, %v, want a TypeError", got, err)
	}
	if _, err := pad.Get[int](p, "nil"); !errors.As(err, &other) || other.Have != nil {
		t.Errorf("Get[int]() of nil = %v, want a TypeError", err)
	}

	text, err := p.Snapshot().MarshalJSON()
	must(t, err)
	s := new(pad.Snapshot)
	must(t, s.UnmarshalJSON(text))
	q, err := pad.FromSnapshot(s, pad.Options{})
	must(t, err)
	first, err := pad.Get[*point](q, "pointer")
	if err != nil || *first != *at {
		t.Errorf("decoded %v, %v", first, err)
	}
	if again, _ := pad.Get[*point](q, "pointer"); again != first {
		t.Error("it was decoded twice")
	}
	if got, _ := q.Get("pointer"); !cmp.Equal(got, map[string]any{"X": int64(1), "Y": int64(2)}) {
		t.Errorf("untyped Get() = %#v", got)
	}
	first.X = 99 // is forbidden, and yet what is saved is what was read
	if again, err := q.Snapshot().MarshalJSON(); err != nil || !strings.Contains(string(again), `{"X":1,"Y":2}`) {
		t.Errorf("written again: %s, %v", again, err)
	}
	if _, err := pad.Get[string](q, "struct"); !errors.As(err, &other) || other.Have.Kind().String() != "map" {
		t.Errorf("Get[string]() of an object = %v, want a TypeError", err)
	}
	if got, err := pad.Get[fmt.Stringer](q, "struct"); !errors.As(err, &other) {
		t.Errorf("Get[fmt.Stringer]() of an object = %v, %v, want a TypeError", got, err)
	}
	if got, err := pad.Get[any](q, "struct"); err != nil || got == nil {
		t.Errorf("Get[any]() of an object = %v, %v", got, err)
	}
}

func TestValuesWithoutJSON(t *testing.T) {
	cycle := map[string]any{}
	cycle["me"] = cycle
	for name, value := range map[string]any{"chan": make(chan int), "func": func() {}, "NaN": math.NaN(), "Inf": math.Inf(1), "cycle": cycle, "complex": 1i} {
		p, _ := newPad(t, pad.Options{})
		must(t, p.Set("good", 1))
		must(t, p.Set("bad "+name, value))
		s := p.Snapshot()
		if text, err := s.MarshalJSON(); err == nil || !strings.Contains(err.Error(), "bad "+name) {
			t.Errorf("MarshalJSON() = %s, %v, want an error that names the key", text, err)
		}
		must(t, p.Restore(s)) // without JSON it is as good as any
		if p.Len() != 2 {
			t.Errorf("%s: restored %d entries", name, p.Len())
		}
	}
	far := time.UnixMilli(9e15)
	p, err := pad.New(pad.Options{Now: func() time.Time { return far }})
	must(t, err)
	if _, err := p.Snapshot().MarshalJSON(); err == nil {
		t.Error("a time that cannot be read was written")
	}
	must(t, p.Set("k", 1))
	if _, err := p.Snapshot().MarshalJSON(); err == nil || !strings.Contains(err.Error(), `"k"`) {
		t.Errorf("MarshalJSON() = %v, want an error that names the key", err)
	}
}

func TestUpdate(t *testing.T) {
	p, c := newPad(t, pad.Options{DefaultTTL: time.Hour})
	add := func(old int, ok bool) (int, error) { return old + 1, nil }
	must(t, pad.Update(p, "n", add))
	if e, _ := p.Peek("n"); e.Value != 1 || e.TTL != time.Hour {
		t.Errorf("Update() of nothing made %+v", e)
	}
	must(t, p.SetWith("n", 5, pad.SetOptions{TTL: time.Minute, Expiry: pad.Sliding, Tags: []string{"t"}}))
	c.advance(time.Second)
	must(t, pad.Update(p, "n", add))
	e, _ := p.Peek("n")
	if e.Value != 6 || e.TTL != time.Minute || !e.Sliding || len(e.Tags) != 1 || !e.CreatedAt.Equal(start) || !e.UpdatedAt.Equal(c.Now()) {
		t.Errorf("Update() made %+v, want TTL and tags kept", e)
	}
	stop := errors.New("stop")
	if err := pad.Update(p, "n", func(int, bool) (int, error) { return 9, stop }); err != stop {
		t.Errorf("Update() = %v, want the error of f", err)
	}
	var other *pad.TypeError
	if err := pad.Update(p, "n", func(string, bool) (string, error) { return "", nil }); !errors.As(err, &other) {
		t.Errorf("Update() of another type = %v, want a TypeError", err)
	}
	if got, _ := p.Get("n"); got != 6 {
		t.Errorf("after errors Get() = %v, want 6", got)
	}
	within10s(t, func() { // f runs outside of the lock
		must(t, pad.Update(p, "n", func(old int, _ bool) (int, error) { return old + p.Len() + len(p.Entries()), nil }))
	})
}

// Another entry that takes the key's place meanwhile is a change, whatever its
// number was where it comes from.
func TestUpdateBesideRestore(t *testing.T) {
	make := func(n int) (*pad.Pad, *pad.Snapshot) {
		p, _ := newPad(t, pad.Options{})
		must(t, p.Set("n", n))
		return p, p.Snapshot()
	}
	p, mine := make(1)
	_, theirs := make(100)
	parsed := func(s *pad.Snapshot) *pad.Snapshot {
		text, err := s.MarshalJSON()
		must(t, err)
		read := new(pad.Snapshot)
		must(t, read.UnmarshalJSON(text))
		return read
	}
	for what, pair := range map[string][2]*pad.Snapshot{"pads": {mine, theirs}, "JSON": {parsed(mine), parsed(theirs)}} {
		must(t, p.Restore(pair[0]))
		runs := 0
		must(t, pad.Update(p, "n", func(old int, _ bool) (int, error) {
			if runs++; runs == 1 {
				must(t, p.Restore(pair[1]))
			}
			return old + 1, nil
		}))
		if got, _ := pad.Get[int](p, "n"); got != 101 || runs != 2 {
			t.Errorf("%s: Update() made %d in %d runs, want 101 in two", what, got, runs)
		}
	}
}

func TestSweep(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	var events []pad.Event
	keep(p, &events)
	must(t, p.Set("stays", 1))
	must(t, p.SetWith("v:a", 1, fixed(ms)))
	must(t, p.SetWith("b", 1, fixed(3*ms)))
	must(t, p.SetWith("slides", 1, sliding(2*ms)))
	c.advance(ms)
	p.Get("slides")
	c.advance(ms)
	events = nil
	if n := p.Namespace("other").Sweep(); n != 1 || len(events) != 1 || events[0].Key != "v:a" || events[0].Kind != pad.EventExpire {
		t.Errorf("Sweep() = %d, events %+v, want v:a to expire", n, events)
	}
	if n := p.Sweep(); n != 0 {
		t.Errorf("a second Sweep() = %d", n)
	}
	c.advance(ms)
	if n := p.Sweep(); n != 2 || p.Stats().RawSize != 1 {
		t.Errorf("Sweep() = %d, want the two others; %+v", n, p.Stats())
	}
}

func TestStats(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	if diff := cmp.Diff(pad.Stats{Namespaces: []string{}, TagCounts: map[string]int{}}, p.Stats()); diff != "" {
		t.Errorf("Stats() of nothing (-want +got):\n%s", diff)
	}
	must(t, p.SetWith("b:x", 1, pad.SetOptions{TTL: time.Hour, Tags: []string{"t", "u"}}))
	c.advance(ms)
	must(t, p.SetWith("a:b:c", 1, pad.SetOptions{Tags: []string{"t"}}))
	must(t, p.SetWith("dead:x", 1, pad.SetOptions{TTL: 1, Tags: []string{"t"}}))
	must(t, p.Set(":k", 1))
	c.advance(ms)
	must(t, p.Set("k", 1))
	want := pad.Stats{
		Size: 4, RawSize: 5, Expired: 1, Namespaces: []string{"a", "b"}, WithTTL: 1, TagCounts: map[string]int{"t": 2, "u": 1},
		Oldest: start, Newest: start.Add(2 * ms),
	}
	if diff := cmp.Diff(want, p.Stats()); diff != "" {
		t.Errorf("Stats() (-want +got):\n%s", diff)
	}
}

func TestFork(t *testing.T) {
	saver := new(memorySaver)
	p, c := newPad(t, pad.Options{Saver: saver, AutoSave: ms, SweepInterval: time.Hour, DefaultTTL: time.Hour})
	p.On(pad.EventSet, func(e pad.Event) {
		if e.Key != "a" && e.Key != "mine" {
			t.Errorf("the pad was told of %+v", e)
		}
	})
	must(t, p.SetWith("a", 1, sliding(10*ms)))
	f := p.Fork()
	must(t, f.Set("theirs", 1))
	must(t, p.Set("mine", 1))
	wantKeys(t, p, "a mine")
	wantKeys(t, f, "a theirs")
	if e, _ := f.Peek("theirs"); e.TTL != time.Hour {
		t.Errorf("a fork set %+v, want the pad's default TTL", e)
	}
	c.advance(9 * ms)
	f.Get("a")
	c.advance(ms)
	if p.Has("a") || !f.Has("a") {
		t.Error("an access of the fork is one of the pad")
	}
	must(t, f.Save(t.Context()))
	must(t, f.Close(t.Context()))
	must(t, p.Set("mine", 2))
}

func TestClose(t *testing.T) {
	p, c := newPad(t, pad.Options{Saver: new(memorySaver)})
	must(t, p.Set("k", 1))
	must(t, p.SetWith("dead", 1, fixed(ms)))
	c.advance(ms)
	p.On(pad.EventSet, func(e pad.Event) { t.Errorf("told of %+v", e) })
	p.On(pad.EventExpire, func(e pad.Event) { t.Errorf("told of %+v", e) })
	s := p.Snapshot()
	must(t, p.Namespace("v").Close(t.Context())) // acts on all
	must(t, p.Close(t.Context()))
	for what, err := range map[string]error{
		"Set":     p.Set("k", 2),
		"Set new": p.Namespace("v").Set("n", 2),
		"Update":  pad.Update(p, "k", func(int, bool) (int, error) { return 2, nil }),
		"Restore": p.Restore(s),
		"Load":    p.Load(t.Context()),
	} {
		if !errors.Is(err, pad.ErrClosed) {
			t.Errorf("%s after Close() = %v, want ErrClosed", what, err)
		}
	}
	if p.Delete("k") || p.Clear() != 0 || p.Sweep() != 0 {
		t.Error("something was removed after Close()")
	}
	if got, ok := p.Get("k"); got != 1 || !ok || p.Has("dead") || p.Len() != 1 || p.Snapshot().Len() != 1 || p.Stats().RawSize != 2 {
		t.Errorf("after Close() Get() = %v, %v; %+v", got, ok, p.Stats())
	}
	must(t, p.Save(t.Context())) // what the Close may have failed to save
	f := p.Fork()                // is another pad
	must(t, f.Set("k", 2))
}
