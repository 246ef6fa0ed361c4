package pad_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestFixedTTL(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	var events []pad.Event
	keep(p, &events)
	testkit.Must(t, p.SetWith("k", 1, fixed(100)))
	c.Advance(99)
	p.Get("k")
	if e, ok := p.Peek("k"); !ok || e.Expired(c.Now()) || !e.Expired(c.Now().Add(1)) {
		t.Error("it has expired 1 ns too early")
	}
	if at, ok := p.Entries()[0].ExpiresAt(); !ok || !at.Equal(start.Add(100)) {
		t.Errorf("ExpiresAt() = %v, %v", at, ok)
	}
	c.Advance(1)
	if _, ok := p.Get("k"); ok {
		t.Error("it has not expired when it should")
	}

	events = nil
	testkit.Must(t, p.Set("old", 1))
	testkit.Must(t, p.Set("other", 1))
	c.Advance(time.Minute)
	testkit.Must(t, p.SetWith("old", 2, fixed(time.Second))) // has passed since CreatedAt
	e, ok := p.Peek("old")
	if !ok || !e.CreatedAt.Equal(c.Now()) || e.Value != 2 {
		t.Errorf("Peek() = %+v, %v, want a new entry", e, ok)
	}
	wantKeys(t, p, "other old")
	last := events[len(events)-2:]
	if last[0].Kind != pad.EventExpire || last[0].Entry.Value != 1 || last[1].Kind != pad.EventSet || last[1].Update {
		t.Errorf("events %+v, want Expire of 1 and a new Set", last)
	}
	c.Advance(time.Second - 1)
	testkit.Must(t, p.SetWith("old", 3, fixed(time.Second)))
	if e, _ := p.Peek("old"); e.CreatedAt.Equal(c.Now()) {
		t.Error("a Set 1 ns before the end began a new entry")
	}
}

func TestSlidingTTL(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	at := func() time.Time { e, _ := p.Peek("k"); return e.AccessedAt }
	for what, touch := range map[string]func(){
		"Get":    func() { p.Get("k") },
		"Get[T]": func() { pad.Get[int](p, "k") },
		"Update": func() { pad.Update(p, "k", func(int, bool) (int, error) { return 1, nil }) },
		"view":   func() { p.Namespace("x").Get("k"); p.Get("k") },
	} {
		testkit.Must(t, p.SetWith("k", 1, sliding(10*ms)))
		for range 5 {
			c.Advance(9 * ms)
			touch()
			if !at().Equal(c.Now()) {
				t.Fatalf("%s left AccessedAt at %v", what, at())
			}
		}
		c.Advance(10*ms - 1)
		if !p.Has("k") {
			t.Errorf("%s: it has expired 1 ns too early", what)
		}
		c.Advance(1)
		if p.Has("k") {
			t.Errorf("%s: it has not expired", what)
		}
	}
	testkit.Must(t, p.SetWith("k", 1, sliding(10*ms)))
	set := c.Now()
	c.Advance(5 * ms)
	p.Peek("k")
	p.Has("k")
	p.Entries()
	p.Stats()
	p.Snapshot().MarshalJSON()
	if !at().Equal(set) {
		t.Errorf("looking moved AccessedAt to %v", at())
	}
	if e, _ := p.Peek("k"); e.Sliding != true || e.Expired(set.Add(10*ms-1)) || !e.Expired(set.Add(10*ms)) {
		t.Errorf("Expired() of %+v", e)
	}
	c.Advance(ms / 2)
	p.Get("k")
	if want := set.Add(5 * ms); !at().Equal(want) {
		t.Errorf("AccessedAt = %v, want the millisecond %v", at(), want)
	}
}

func TestTTLRange(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	for _, ttl := range []time.Duration{-2, -time.Hour, math.MinInt64} {
		if err := p.SetWith("k", 1, pad.SetOptions{TTL: ttl}); !errors.Is(err, pad.ErrConfig) {
			t.Errorf("SetWith() with TTL %d = %v, want ErrConfig", ttl, err)
		}
	}
	for i, o := range []pad.SetOptions{fixed(math.MaxInt64), sliding(math.MaxInt64), fixed(math.MaxInt64 - 1)} {
		testkit.Must(t, p.SetWith(fmt.Sprint(i), 1, o))
	}
	c.Advance(200 * 365 * 24 * time.Hour)
	p.Sweep()
	if p.Len() != 3 {
		t.Errorf("after 200 years %d entries are left of 3 that last 292", p.Len())
	}
	text, err := p.Snapshot().MarshalJSON()
	testkit.Must(t, err)
	s := new(pad.Snapshot)
	testkit.Must(t, s.UnmarshalJSON(text))
	for e := range s.All() {
		if e.TTL != math.MaxInt64 {
			t.Errorf("TTL %d came back as %d", math.MaxInt64, e.TTL)
		}
	}
	late := pad.Entry{CreatedAt: time.UnixMilli(math.MaxInt64), TTL: math.MaxInt64}
	if at, ok := late.ExpiresAt(); !ok || at.Before(late.CreatedAt) || at.UnixMilli() < late.CreatedAt.UnixMilli() {
		t.Errorf("ExpiresAt() = %v, %v, before CreatedAt", at, ok)
	}

	now := time.Unix(0, math.MaxInt64-int64(ms)) // just before the last nanosecond of an int64, in 2262
	p, err = pad.New(pad.Options{Now: func() time.Time { return now }})
	testkit.Must(t, err)
	testkit.Must(t, p.SetWith("k", 1, fixed(ms/2)))
	testkit.Must(t, p.SetWith("stays", 1, fixed(time.Hour)))
	now = now.Add(2 * ms)
	if p.Len() != 1 || p.Sweep() != 1 {
		t.Errorf("in 2262 %d entries are live", p.Len())
	}
}

func TestExpiredEntries(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	var events []pad.Event
	keep(p, &events)
	dead := func() {
		p.Clear()
		testkit.Must(t, p.SetWith("k", "old", pad.SetOptions{TTL: ms, Expiry: pad.Fixed, Tags: []string{"t"}}))
		c.Advance(ms)
		events = nil
	}
	for what, look := range map[string]func() bool{
		"Len":       func() bool { return p.Len() != 0 },
		"Keys":      func() bool { return len(p.Keys()) != 0 },
		"Entries":   func() bool { return len(p.Entries()) != 0 },
		"Find":      func() bool { return len(p.Find(func(pad.Entry) bool { return true })) != 0 },
		"FindByTag": func() bool { return len(p.FindByTag("t")) != 0 },
		"Snapshot":  func() bool { s := p.Snapshot(); return s.Len() != 0 || len(slices.Collect(s.All())) != 0 },
		"Fork":      func() bool { return p.Fork().Len() != 0 },
		"Stats":     func() bool { st := p.Stats(); return st.Size != 0 || st.RawSize != 1 || st.Expired != 1 },
		"Clear": func() bool {
			n := p.Clear()
			testkit.Must(t, p.Set("k", 1))
			p.Delete("k")
			events = nil
			return n != 0
		},
	} {
		dead()
		if look() || len(events) != 0 {
			t.Errorf("%s shows what has expired; events %+v", what, events)
		}
	}
	for what, meet := range map[string]func() bool{
		"Get":    func() bool { _, ok := p.Get("k"); return ok },
		"Get[T]": func() bool { _, err := pad.Get[string](p, "k"); return !errors.Is(err, pad.ErrNotFound) },
		"Peek":   func() bool { _, ok := p.Peek("k"); return ok },
		"Has":    func() bool { return p.Has("k") },
		"Delete": func() bool { return p.Delete("k") },
		"Sweep":  func() bool { return p.Sweep() != 1 },
		"Update": func() bool {
			return pad.Update(p, "k", func(_ string, ok bool) (string, error) { return "", fmt.Errorf("%v", ok) }).Error() != "false"
		},
	} {
		dead()
		if meet() || len(events) != 1 || events[0].Kind != pad.EventExpire || events[0].Entry.Value != "old" {
			t.Errorf("%s: events %+v, want one Expire", what, events)
		}
		c.Advance(-ms)
		if meet(); p.Has("k") || len(events) != 1 {
			t.Errorf("%s: it came back with the clock; events %+v", what, events)
		}
	}
	dead()
	testkit.Must(t, p.Set("k", "new"))
	if len(events) != 2 || events[0].Kind != pad.EventExpire || events[1].Kind != pad.EventSet || events[1].Update {
		t.Errorf("Set: events %+v, want Expire and a new Set", events)
	}
}

func TestSweep(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	var events []pad.Event
	keep(p, &events)
	testkit.Must(t, p.Set("stays", 1))
	testkit.Must(t, p.SetWith("v:a", 1, fixed(ms)))
	testkit.Must(t, p.SetWith("b", 1, fixed(3*ms)))
	testkit.Must(t, p.SetWith("slides", 1, sliding(2*ms)))
	c.Advance(ms)
	p.Get("slides")
	c.Advance(ms)
	events = nil
	if n := p.Namespace("other").Sweep(); n != 1 || len(events) != 1 || events[0].Key != "v:a" || events[0].Kind != pad.EventExpire {
		t.Errorf("Sweep() = %d, events %+v, want v:a to expire", n, events)
	}
	if n := p.Sweep(); n != 0 {
		t.Errorf("a second Sweep() = %d", n)
	}
	c.Advance(ms)
	if n := p.Sweep(); n != 2 || p.Stats().RawSize != 1 {
		t.Errorf("Sweep() = %d, want the two others; %+v", n, p.Stats())
	}
}

func TestSweepGoroutine(t *testing.T) {
	p, err := pad.New(pad.Options{SweepInterval: ms})
	testkit.Must(t, err)
	gone := make(chan string, 1)
	p.On(pad.EventExpire, func(e pad.Event) { gone <- e.Key })
	testkit.Must(t, p.SetWith("k", 1, fixed(ms)))
	select {
	case key := <-gone:
		if key != "k" {
			t.Errorf("%q expired", key)
		}
	case <-time.After(time.Minute):
		t.Error("nothing was swept")
	}
	testkit.Must(t, p.Close(t.Context())) // TestMain checks that no goroutine is left
}
