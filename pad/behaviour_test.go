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

const ms = time.Millisecond

func sliding(ttl time.Duration) pad.SetOptions {
	return pad.SetOptions{TTL: ttl, Expiry: pad.Sliding}
}

func fixed(ttl time.Duration) pad.SetOptions {
	return pad.SetOptions{TTL: ttl, Expiry: pad.Fixed}
}

func wantKeys(t *testing.T, p *pad.Pad, want string) {
	t.Helper()
	if got := strings.Join(p.Keys(), " "); got != want {
		t.Errorf("Keys() = %q, want %q", got, want)
	}
}

func TestKey(t *testing.T) {
	p, _ := newPad(t, pad.Options{})
	for _, key := range []string{"", "\xff", "a\xc0", "\xed\xa0\x80"} {
		for what, err := range map[string]error{
			"Set":     p.Set(key, 1),
			"SetWith": p.Namespace("v").SetWith(key, 1, pad.SetOptions{}),
			"Update":  pad.Update(p, key, func(int, bool) (int, error) { return 1, nil }),
		} {
			if !errors.Is(err, pad.ErrKey) {
				t.Errorf("%s(%q) = %v, want ErrKey", what, key, err)
			}
		}
		if _, ok := p.Get(key); ok || p.Has(key) || p.Delete(key) {
			t.Errorf("there is something at %q", key)
		}
		if _, err := pad.Get[int](p, key); !errors.Is(err, pad.ErrNotFound) {
			t.Errorf("Get[int](%q) = %v, want ErrNotFound", key, err)
		}
	}
	for _, key := range []string{":", "::", " ", "\x00", "a:b", "a:", ":a", "\U0001f600", strings.Repeat("k", 1<<16)} {
		must(t, p.Set(key, key))
		if got, ok := p.Get(key); !ok || got != key {
			t.Errorf("Get(%.20q) = %v, %v", key, got, ok)
		}
	}
}

func TestOrder(t *testing.T) {
	p, _ := newPad(t, pad.Options{})
	tag := pad.SetOptions{Tags: []string{"t"}}
	for _, key := range []string{"d", "b", "c", "a"} {
		must(t, p.SetWith(key, 1, tag))
	}
	must(t, p.SetWith("b", 2, tag)) // keeps its place
	p.Delete("d")
	must(t, p.SetWith("d", 2, tag)) // moves to the end
	const want = "b c a d"
	wantKeys(t, p, want)
	for what, list := range map[string][]pad.Entry{
		"Entries":   p.Entries(),
		"All":       slices.Collect(p.All()),
		"Find":      p.Find(func(pad.Entry) bool { return true }),
		"FindByTag": p.FindByTag("t"),
		"Snapshot":  slices.Collect(p.Snapshot().All()),
		"Fork":      p.Fork().Entries(),
	} {
		var got []string
		for _, e := range list {
			got = append(got, e.Key)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", what, got, want)
		}
	}
	for e := range p.All() { // may change the pad, and end early
		p.Delete(e.Key)
		p.Set("new", 1)
		break
	}
	wantKeys(t, p, "c a d new")
}

func TestSetKeepsCreatedAt(t *testing.T) {
	p, c := newPad(t, pad.Options{DefaultTTL: time.Hour, DefaultExpiry: pad.Sliding})
	must(t, p.SetWith("k", 1, pad.SetOptions{TTL: time.Minute, Expiry: pad.Fixed, Tags: []string{"b", "a", "b"}}))
	e, _ := p.Peek("k")
	want := pad.Entry{Key: "k", Value: 1, CreatedAt: start, UpdatedAt: start, AccessedAt: start, TTL: time.Minute, Tags: []string{"b", "a"}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("Peek() (-want +got):\n%s", diff)
	}
	c.advance(time.Second)
	must(t, p.Set("k", 2)) // the pad's defaults, not what the entry had
	e, _ = p.Peek("k")
	want = pad.Entry{Key: "k", Value: 2, CreatedAt: start, UpdatedAt: c.Now(), AccessedAt: c.Now(), TTL: time.Hour, Sliding: true}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("Peek() after a Set (-want +got):\n%s", diff)
	}
	tags := []string{"x"}
	must(t, p.SetWith("k", 2, pad.SetOptions{TTL: pad.Forever, Tags: tags}))
	tags[0] = "changed"
	e, _ = p.Peek("k")
	if e.TTL != 0 || e.Tags[0] != "x" {
		t.Errorf("Peek() = %+v, want no TTL and the tag x", e)
	}
	e.Tags[0] = "changed"
	if len(p.FindByTag("x")) != 1 || p.Entries()[0].Tags[0] != "x" {
		t.Error("a tag was changed from outside")
	}
	for _, o := range []pad.SetOptions{fixed(time.Minute), sliding(ms), {TTL: pad.Forever}} {
		must(t, p.SetWith("again", 1, o))
		e, _ := p.Peek("again")
		must(t, p.SetWith("same", 1, e.Options()))
		if same, _ := p.Peek("same"); same.TTL != e.TTL || same.Sliding != e.Sliding {
			t.Errorf("set with Options() of %+v: %+v", e, same)
		}
	}
}

func TestFixedTTL(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	var events []pad.Event
	keep(p, &events)
	must(t, p.SetWith("k", 1, fixed(100)))
	c.advance(99)
	p.Get("k")
	if e, ok := p.Peek("k"); !ok || e.Expired(c.Now()) || !e.Expired(c.Now().Add(1)) {
		t.Error("it has expired 1 ns too early")
	}
	if at, ok := p.Entries()[0].ExpiresAt(); !ok || !at.Equal(start.Add(100)) {
		t.Errorf("ExpiresAt() = %v, %v", at, ok)
	}
	c.advance(1)
	if _, ok := p.Get("k"); ok {
		t.Error("it has not expired when it should")
	}

	events = nil
	must(t, p.Set("old", 1))
	must(t, p.Set("other", 1))
	c.advance(time.Minute)
	must(t, p.SetWith("old", 2, fixed(time.Second))) // counted from CreatedAt that is over
	e, ok := p.Peek("old")
	if !ok || !e.CreatedAt.Equal(c.Now()) || e.Value != 2 {
		t.Errorf("Peek() = %+v, %v, want a new entry", e, ok)
	}
	wantKeys(t, p, "other old")
	last := events[len(events)-2:]
	if last[0].Kind != pad.EventExpire || last[0].Entry.Value != 1 || last[1].Kind != pad.EventSet || last[1].Update {
		t.Errorf("events %+v, want Expire of 1 and a new Set", last)
	}
	c.advance(time.Second - 1)
	must(t, p.SetWith("old", 3, fixed(time.Second)))
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
		must(t, p.SetWith("k", 1, sliding(10*ms)))
		for range 5 {
			c.advance(9 * ms)
			touch()
			if !at().Equal(c.Now()) {
				t.Fatalf("%s left AccessedAt at %v", what, at())
			}
		}
		c.advance(10*ms - 1)
		if !p.Has("k") {
			t.Errorf("%s: it has expired 1 ns too early", what)
		}
		c.advance(1)
		if p.Has("k") {
			t.Errorf("%s: it has not expired", what)
		}
	}
	must(t, p.SetWith("k", 1, sliding(10*ms)))
	set := c.Now()
	c.advance(5 * ms)
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
	c.advance(ms / 2)
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
		must(t, p.SetWith(fmt.Sprint(i), 1, o))
	}
	c.advance(200 * 365 * 24 * time.Hour)
	p.Sweep()
	if p.Len() != 3 {
		t.Errorf("after 200 years %d entries are left of 3 that last 292", p.Len())
	}
	text, err := p.Snapshot().MarshalJSON()
	must(t, err)
	s := new(pad.Snapshot)
	must(t, s.UnmarshalJSON(text))
	for e := range s.All() {
		if e.TTL != math.MaxInt64 {
			t.Errorf("TTL %d came back as %d", math.MaxInt64, e.TTL)
		}
	}
	late := pad.Entry{CreatedAt: time.UnixMilli(math.MaxInt64), TTL: math.MaxInt64}
	if at, ok := late.ExpiresAt(); !ok || at.Before(late.CreatedAt) || at.UnixMilli() < late.CreatedAt.UnixMilli() {
		t.Errorf("ExpiresAt() = %v, %v, before CreatedAt", at, ok)
	}

	now := time.Unix(0, math.MaxInt64-int64(ms)) // just before nanoseconds end, in 2262
	p, err = pad.New(pad.Options{Now: func() time.Time { return now }})
	must(t, err)
	must(t, p.SetWith("k", 1, fixed(ms/2)))
	must(t, p.SetWith("stays", 1, fixed(time.Hour)))
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
		must(t, p.SetWith("k", "old", pad.SetOptions{TTL: ms, Expiry: pad.Fixed, Tags: []string{"t"}}))
		c.advance(ms)
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
		"Clear":     func() bool { n := p.Clear(); must(t, p.Set("k", 1)); p.Delete("k"); events = nil; return n != 0 },
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
		c.advance(-ms)
		if meet(); p.Has("k") || len(events) != 1 {
			t.Errorf("%s: it came back with the clock; events %+v", what, events)
		}
	}
	dead()
	must(t, p.Set("k", "new"))
	if len(events) != 2 || events[0].Kind != pad.EventExpire || events[1].Kind != pad.EventSet || events[1].Update {
		t.Errorf("Set: events %+v, want Expire and a new Set", events)
	}
}

func TestNamespaces(t *testing.T) {
	p, _ := newPad(t, pad.Options{})
	a := p.Namespace("a")
	b := a.Namespace("b")
	must(t, a.Set("k", 1))
	must(t, b.Set("k", 2))
	must(t, p.Set("k", 3))
	must(t, p.Set("ab", 4))
	must(t, p.Set("a:", 5)) // no key of the view: its name there would be empty
	wantKeys(t, p, "a:k a:b:k k ab a:")
	wantKeys(t, a, "k b:k")
	wantKeys(t, p.Namespace("a:b"), "k")
	wantKeys(t, b, "k")
	if got, _ := b.Peek("k"); got.Key != "k" || got.Value != 2 {
		t.Errorf("Peek() of a view = %+v", got)
	}
	if st := a.Stats(); st.Size != 2 || !slices.Equal(st.Namespaces, []string{"b"}) {
		t.Errorf("Stats() of a view = %+v", st)
	}
	s := a.Snapshot()
	must(t, p.Namespace("z").Restore(s))
	wantKeys(t, p, "a:k a:b:k k ab a: z:k z:b:k")
	must(t, a.Set("gone", 1))
	must(t, a.Restore(s))
	wantKeys(t, p, "k ab a: z:k z:b:k a:k a:b:k")
	wantKeys(t, a.Fork(), "k b:k")
	if n := a.Clear(); n != 2 {
		t.Errorf("Clear() of a view = %d, want 2", n)
	}
	wantKeys(t, p, "k ab a: z:k z:b:k")

	for _, name := range []string{"", "\xff"} {
		for _, view := range []*pad.Pad{p.Namespace(name), p.Namespace(name).Namespace("a"), p.Namespace("z").Namespace(name)} {
			if err := view.Set("k", 1); !errors.Is(err, pad.ErrKey) {
				t.Errorf("Set() in the view %q = %v, want ErrKey", name, err)
			}
			if err := view.Restore(p.Snapshot()); !errors.Is(err, pad.ErrKey) {
				t.Errorf("Restore() of the view %q = %v, want ErrKey", name, err)
			}
			view.On(pad.EventSet, func(e pad.Event) { t.Errorf("the view %q was told of %+v", name, e) })()
			if view.Len()+len(view.Keys())+view.Clear()+view.Snapshot().Len()+view.Fork().Len()+view.Stats().RawSize+len(view.FindByTag("t")) > 0 || view.Delete("k") || view.Has("k") {
				t.Errorf("the view %q holds something", name)
			}
		}
	}
	wantKeys(t, p, "k ab a: z:k z:b:k")
}

func TestClear(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	var events []pad.Event
	keep(p, &events)
	var told []string
	view := p.Namespace("v")
	view.On(pad.EventClear, func(e pad.Event) { told = append(told, e.Prefix) })
	for _, key := range []string{"a", "v:a", "v:b", "v:w:c"} {
		must(t, p.Set(key, 1))
	}
	must(t, p.SetWith("v:dead", 1, fixed(ms)))
	c.advance(ms)
	events = nil
	if n := view.Namespace("w").Clear(); n != 1 {
		t.Errorf("Clear() = %d, want 1", n)
	}
	if n := view.Clear(); n != 2 {
		t.Errorf("Clear() = %d, want 2: what has expired does not count", n)
	}
	if n := p.Clear(); n != 1 || p.Stats().RawSize != 0 {
		t.Errorf("Clear() = %d, want 1; %+v", n, p.Stats())
	}
	if n := p.Clear(); n != 0 {
		t.Errorf("Clear() of nothing = %d", n)
	}
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprint(e.Kind, e.Prefix, e.Count, e.Key))
	}
	if want := "clearv:w:1 clearv:2 clear1 clear0"; strings.Join(got, " ") != want {
		t.Errorf("events %q, want %s", got, want)
	}
	if strings.Join(told, " ") != "v:w: v:" {
		t.Errorf("the view was told of %q", told)
	}
}
