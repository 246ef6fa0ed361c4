package pad_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// machine makes the same random operations on pads that share snapshots, and on models.
type machine struct {
	clock   *testkit.Clock
	players []*player
	shots   []*shot
}

// player is a pad and its model.
type player struct {
	pad   *pad.Pad
	model *model
	subs  []*sub
}

// sub is a handler with the events that it got and those that it should get.
type sub struct {
	prefix string
	kind   pad.EventKind
	got    []pad.Event
	want   []happening
	last   uint64 // the highest Seq
	stop   func()
}

// shot is a snapshot and the entries that it must keep.
type shot struct {
	snapshot *pad.Snapshot
	want     []record
	at       time.Time
}

func TestOperations(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		switch pick(rt, 3) {
		case 0:
			defer pad.SetFlatten(3, 0)()
		case 1:
			defer pad.SetFlatten(2, -100)() // at every snapshot
		}
		m := &machine{clock: testkit.NewClock()}
		m.add(rt, nil, drawOptions(rt))
		rt.Repeat(map[string]func(*rapid.T){"step": m.step})
		for _, p := range m.players {
			p.check(rt)
		}
		for i, s := range m.shots {
			s.check(rt, fmt.Sprintf("snapshot %d", i))
		}
	})
}

// pick draws a number below n, all with the same probability.
func pick(t *rapid.T, n int) int {
	return rapid.Custom(func(t *rapid.T) int {
		v := 0
		for i := 1; i < n*16; i *= 2 {
			v *= 2
			if rapid.Bool().Draw(t, "bit") {
				v++
			}
		}
		return v % n
	}).Draw(t, "pick")
}

func pickOf[T any](t *rapid.T, values ...T) T { return values[pick(t, len(values))] }

func drawOptions(t *rapid.T) pad.Options {
	return pad.Options{
		DefaultTTL:    pickOf(t, 0, 0, pad.Forever, 3*time.Millisecond, time.Second),
		DefaultExpiry: pickOf(t, pad.InheritExpiry, pad.Fixed, pad.Sliding),
	}
}

func drawSet(t *rapid.T) pad.SetOptions {
	return pad.SetOptions{
		TTL: pickOf(t, 0, pad.Forever, time.Nanosecond, 300*time.Microsecond, time.Millisecond, 3*time.Millisecond,
			3*time.Millisecond, 20*time.Millisecond, time.Second, 1<<63-1),
		Expiry: pickOf(t, pad.InheritExpiry, pad.Fixed, pad.Sliding, pad.Sliding),
		Tags:   pickOf(t, nil, nil, []string{"t"}, []string{"u", "t"}, []string{"u", "v", "u"}, []string{}),
	}
}

func drawKey(t *rapid.T) string {
	return pickOf(t, "a", "b", "c", "x:a", "x:b", "x:y:a", "x:y:b", "x:", "xy", ":", "y:a")
}

// views are the names of nested namespaces.
var views = [][]string{nil, {"x"}, {"x", "y"}, {"x:y"}, {"y"}, {"none"}}

func below(p *pad.Pad, names []string) (*pad.Pad, string) {
	prefix := ""
	for _, name := range names {
		p = p.Namespace(name)
		prefix += name + ":"
	}
	return p, prefix
}

// add adds a pad, or a new one for nil. The caller fills in the model.
func (m *machine) add(t *rapid.T, real *pad.Pad, o pad.Options) *player {
	o.Now = m.clock.Now
	if real == nil {
		var err error
		if real, err = pad.New(o); err != nil {
			t.Fatal(err)
		}
	}
	p := &player{pad: real}
	p.model = &model{now: m.clock.Now, ttl: max(0, o.DefaultTTL), sliding: o.DefaultExpiry == pad.Sliding, happen: p.happen}
	if pick(t, 3) > 0 { // else nobody listens
		p.subscribe(nil, pad.EventSet, pad.EventDelete, pad.EventExpire, pad.EventClear)
	}
	if len(m.players) < 4 {
		m.players = append(m.players, p)
	} else {
		m.players[1+pick(t, 3)] = p
	}
	return p
}

func (p *player) subscribe(names []string, kinds ...pad.EventKind) {
	view, prefix := below(p.pad, names)
	for _, kind := range kinds {
		s := &sub{prefix: prefix, kind: kind}
		s.stop = view.On(kind, func(e pad.Event) { s.got = append(s.got, e) })
		p.subs = append(p.subs, s)
	}
}

func (p *player) happen(h happening) {
	for _, s := range p.subs {
		told := within(h.key, s.prefix)
		if h.kind == pad.EventClear {
			told = strings.HasPrefix(h.prefix, s.prefix)
		}
		if s.kind == h.kind && told {
			s.want = append(s.want, h)
		}
	}
}

// told compares the events since the last call. The events of a sweep have no order.
func (p *player) told(t *rapid.T, ordered bool) {
	for _, s := range p.subs {
		var got []happening
		for _, e := range s.got {
			if e.Seq <= s.last {
				t.Fatalf("event %+v after Seq %d", e, s.last)
			}
			s.last = e.Seq
			got = append(got, happeningOf(e))
		}
		if !ordered {
			byKey := func(a, b happening) int { return strings.Compare(a.key, b.key) }
			slices.SortFunc(got, byKey)
			slices.SortFunc(s.want, byKey)
		}
		if !slices.Equal(got, s.want) {
			t.Fatalf("%v events below %q:\n got %+v\nwant %+v", s.kind, s.prefix, got, s.want)
		}
		s.got, s.want = nil, nil
	}
}

// check compares all methods that list entries.
func (p *player) check(t *rapid.T) {
	p.told(t, true)
	for _, names := range views {
		view, prefix := below(p.pad, names)
		want := p.model.live(prefix)
		if got := recordsOf(view.Entries()); !slices.Equal(got, want) {
			t.Fatalf("Entries() below %q:\n got %+v\nwant %+v", prefix, got, want)
		}
		keys := []string{}
		for _, r := range want {
			keys = append(keys, r.key)
		}
		if got := view.Keys(); !slices.Equal(got, keys) {
			t.Fatalf("Keys() below %q = %q, want %q", prefix, got, keys)
		}
		if view.Len() != len(want) {
			t.Fatalf("Len() below %q = %d, want %d", prefix, view.Len(), len(want))
		}
		for _, tag := range []string{"t", "u", "v"} {
			some := slices.DeleteFunc(slices.Clone(want), func(r record) bool { return !slices.Contains(strings.Split(r.tags, ","), tag) })
			if got := recordsOf(view.FindByTag(tag)); !slices.Equal(got, some) {
				t.Fatalf("FindByTag(%q) below %q:\n got %+v\nwant %+v", tag, prefix, got, some)
			}
		}
		some := slices.DeleteFunc(slices.Clone(want), func(r record) bool { return r.value != int64(1) })
		if got := recordsOf(view.Find(func(e pad.Entry) bool { return e.Value == int64(1) })); !slices.Equal(got, some) {
			t.Fatalf("Find() below %q:\n got %+v\nwant %+v", prefix, got, some)
		}
		if diff := cmp.Diff(p.model.stats(prefix), view.Stats()); diff != "" {
			t.Fatalf("Stats() below %q (-want +got):\n%s", prefix, diff)
		}
	}
}

func (s *shot) check(t *rapid.T, name string) {
	if got := recordsOf(slices.Collect(s.snapshot.All())); !slices.Equal(got, s.want) {
		t.Fatalf("%s has changed:\n got %+v\nwant %+v", name, got, s.want)
	}
	if s.snapshot.Len() != len(s.want) || !s.snapshot.Time().Equal(s.at) {
		t.Fatalf("%s: Len() = %d, Time() = %v, want %d, %v", name, s.snapshot.Len(), s.snapshot.Time(), len(s.want), s.at)
	}
}

func (m *machine) step(t *rapid.T) {
	p := m.players[pick(t, len(m.players))]
	ordered := true
	switch act := pick(t, 64); {
	case act < 30:
		m.change(t, p, act)
	case act < 43:
		m.read(t, p)
	case act < 49:
		m.clock.Advance(pickOf(t, time.Nanosecond, 200*time.Microsecond, time.Millisecond, time.Millisecond, 2*time.Millisecond, 7*time.Millisecond, time.Second))
	case act < 50:
		m.clock.Advance(-pickOf(t, 300*time.Microsecond, 2*time.Millisecond, time.Second))
	case act < 52:
		if got, want := p.pad.Sweep(), p.model.sweep(); got != want {
			t.Fatalf("Sweep() = %d, want %d", got, want)
		}
		ordered = false
	case act < 56:
		m.snapshot(t, p)
	case act < 60:
		m.restore(t, p)
	case act < 61:
		m.grow(t, p)
	case act < 62:
		m.listen(t, p)
	default:
		p.check(t)
	}
	p.told(t, ordered)
}

// change changes a key.
func (m *machine) change(t *rapid.T, p *player, act int) {
	view, prefix := below(p.pad, views[pick(t, len(views))])
	key, value := drawKey(t), pickOf[any](t, int64(1), int64(2), int64(1)<<60, "", "<s>")
	switch {
	case act < 5:
		p.model.set(prefix+key, value, pad.SetOptions{})
		testkit.Must(t, view.Set(key, value))
	case act < 15:
		o := drawSet(t)
		p.model.set(prefix+key, value, o)
		testkit.Must(t, view.SetWith(key, value, o))
	case act < 21:
		update(t, view, p.model, key, prefix, value)
	case act < 28:
		if got, want := view.Delete(key), p.model.remove(prefix+key); got != want {
			t.Fatalf("Delete(%q) below %q = %v, want %v", key, prefix, got, want)
		}
	case act < 29:
		if pick(t, 3) > 0 {
			return // seldom: it ends much
		}
		if got, want := view.Clear(), p.model.clear(prefix); got != want {
			t.Fatalf("Clear() of %q = %d, want %d", prefix, got, want)
		}
	default:
		refused(t, p)
	}
}

var errStop = errors.New("stop")

func update(t *rapid.T, view *pad.Pad, m *model, key, prefix string, value any) {
	race, stop := pick(t, 4) == 0, pick(t, 4) == 0
	runs := 0
	err := pad.Update(view, key, func(old any, ok bool) (any, error) {
		runs++
		r, found := m.peek(prefix + key)
		if ok != found || old != r.value {
			t.Fatalf("Update(%q) below %q was given %v, %v, want %v, %v", key, prefix, old, ok, r.value, found)
		}
		if e, there := view.Peek(key); there != ok || e.Value != old {
			t.Fatalf("Peek(%q) in Update = %v, %v, want %v, %v", key, e.Value, there, old, ok)
		}
		if race && runs == 1 {
			m.set(prefix+key, "raced", pad.SetOptions{TTL: time.Second})
			if err := view.SetWith(key, "raced", pad.SetOptions{TTL: time.Second}); err != nil {
				return nil, err
			}
		}
		if stop {
			return nil, errStop
		}
		return value, nil
	})
	switch {
	case stop:
		if !errors.Is(err, errStop) || runs != 1 {
			t.Fatalf("Update(%q) = %v in %d runs, want errStop in one", key, err, runs)
		}
		return
	case err != nil || race != (runs == 2):
		t.Fatalf("Update(%q) = %v in %d runs, raced %v", key, err, runs, race)
	}
	r, ok := m.peek(prefix + key)
	if !ok {
		m.set(prefix+key, value, pad.SetOptions{})
		return
	}
	r.value = value
	m.put(r)
}

// refused makes calls that must fail and change nothing.
func refused(t *rapid.T, p *player) {
	for _, view := range []*pad.Pad{p.pad.Namespace(""), p.pad.Namespace("x").Namespace("\xff"), p.pad.Namespace("").Namespace("x")} {
		if err := view.Set("a", 1); !errors.Is(err, pad.ErrKey) {
			t.Fatalf("Set() in an invalid namespace = %v, want ErrKey", err)
		}
		if view.Has("a") || view.Delete("a") || view.Clear() != 0 || view.Len() != 0 || len(view.Entries()) != 0 ||
			len(view.FindByTag("t")) != 0 || view.Snapshot().Len() != 0 || view.Fork().Len() != 0 || view.Stats().RawSize != 0 {
			t.Fatal("an invalid namespace holds something")
		}
		if err := view.Restore(p.pad.Snapshot()); !errors.Is(err, pad.ErrKey) {
			t.Fatalf("Restore() into an invalid namespace = %v, want ErrKey", err)
		}
	}
	for _, key := range []string{"", "\xff"} {
		if err := p.pad.Set(key, 1); !errors.Is(err, pad.ErrKey) {
			t.Fatalf("Set(%q) = %v, want ErrKey", key, err)
		}
		if err := pad.Update(p.pad, key, func(int, bool) (int, error) { return 1, nil }); !errors.Is(err, pad.ErrKey) {
			t.Fatalf("Update(%q) = %v, want ErrKey", key, err)
		}
		if _, err := pad.Get[int](p.pad, key); !errors.Is(err, pad.ErrNotFound) || p.pad.Has(key) || p.pad.Delete(key) {
			t.Fatalf("there is something at %q: %v", key, err)
		}
	}
	if err := p.pad.SetWith("a", 1, pad.SetOptions{TTL: -2}); !errors.Is(err, pad.ErrConfig) {
		t.Fatalf("Set() with a negative TTL = %v, want ErrConfig", err)
	}
	if err := p.pad.Restore(nil); !errors.Is(err, pad.ErrConfig) {
		t.Fatalf("Restore(nil) = %v, want ErrConfig", err)
	}
}

// read looks at a key.
func (m *machine) read(t *rapid.T, p *player) {
	view, prefix := below(p.pad, views[pick(t, len(views))])
	key := drawKey(t)
	switch pick(t, 8) {
	case 0:
		got, ok := view.Peek(key)
		want, found := p.model.peek(prefix + key)
		want.key = strings.TrimPrefix(want.key, prefix)
		later := m.clock.Now().Add(3 * time.Millisecond)
		if ok != found || ok && (recordOf(got) != want || got.Expired(later) != want.expired(later)) {
			t.Fatalf("Peek(%q) below %q = %+v, %v, want %+v, %v", key, prefix, got, ok, want, found)
		}
	case 1:
		if _, want := p.model.peek(prefix + key); view.Has(key) != want {
			t.Fatalf("Has(%q) below %q = %v", key, prefix, !want)
		}
	case 2, 3:
		readAs[int64](t, view, p.model, key, prefix)
	case 4:
		readAs[string](t, view, p.model, key, prefix)
	default:
		got, ok := view.Get(key)
		if want, found := p.model.get(prefix + key); got != want || ok != found {
			t.Fatalf("Get(%q) below %q = %v, %v, want %v, %v", key, prefix, got, ok, want, found)
		}
	}
}

func readAs[T comparable](t *rapid.T, view *pad.Pad, m *model, key, prefix string) {
	got, err := pad.Get[T](view, key)
	value, found := m.get(prefix + key)
	want, fits := value.(T)
	var other *pad.TypeError
	if got != want || found != !errors.Is(err, pad.ErrNotFound) || (found && !fits) != errors.As(err, &other) {
		t.Fatalf("Get[%T](%q) below %q = %v, %v, want %v, %v", want, key, prefix, got, err, want, found)
	}
}

// snapshot takes a snapshot of the pad or a view. Some are read back from JSON.
func (m *machine) snapshot(t *rapid.T, p *player) {
	view, prefix := below(p.pad, pickOf(t, nil, nil, nil, views[1], views[2]))
	s := &shot{snapshot: view.Snapshot(), want: p.model.live(prefix), at: m.clock.Now()}
	if pick(t, 3) == 0 {
		s.check(t, "a new snapshot")
		s = throughJSON(t, s)
	}
	if len(m.shots) < 25 {
		m.shots = append(m.shots, s)
		return
	}
	i := pick(t, len(m.shots))
	m.shots[i].check(t, fmt.Sprintf("snapshot %d", i))
	m.shots[i] = s
}

func throughJSON(t *rapid.T, s *shot) *shot {
	text, err := s.snapshot.MarshalJSON()
	testkit.Must(t, err)
	read := new(pad.Snapshot)
	testkit.Must(t, read.UnmarshalJSON(text))
	return &shot{snapshot: read, want: inJSON(s.want, s.at), at: time.UnixMilli(s.at.UnixMilli())}
}

func (m *machine) restore(t *rapid.T, p *player) {
	if len(m.shots) == 0 {
		return
	}
	s := m.shots[pick(t, len(m.shots))]
	view, prefix := below(p.pad, pickOf(t, nil, nil, nil, views[1], views[2]))
	for range pickOf(t, 1, 1, 1, 2, 5) {
		p.model.restore(prefix, s.want)
		testkit.Must(t, view.Restore(s.snapshot))
	}
	s.check(t, "the snapshot that was restored")
}

// grow makes another pad of what there is.
func (m *machine) grow(t *rapid.T, p *player) {
	if pick(t, 2) == 0 && len(m.shots) > 0 {
		s, o := m.shots[pick(t, len(m.shots))], drawOptions(t)
		o.Now = m.clock.Now
		restored, err := pad.FromSnapshot(s.snapshot, o)
		testkit.Must(t, err)
		m.add(t, restored, o).model.list = slices.Clone(s.want)
		return
	}
	view, prefix := below(p.pad, pickOf(t, nil, nil, views[1]))
	o := pad.Options{DefaultTTL: p.model.ttl}
	if p.model.sliding {
		o.DefaultExpiry = pad.Sliding
	}
	want := p.model.live(prefix)
	m.add(t, view.Fork(), o).model.list = want
}

// listen adds a handler to a view, or removes one.
func (m *machine) listen(t *rapid.T, p *player) {
	if len(p.subs) > 0 && pick(t, 2) == 0 {
		i := pick(t, len(p.subs))
		p.subs[i].stop()
		p.subs = slices.Delete(p.subs, i, i+1)
		return
	}
	if len(p.subs) < 8 {
		p.subscribe(views[pick(t, len(views))], pickOf(t, pad.EventSet, pad.EventDelete, pad.EventExpire, pad.EventClear))
	}
}
