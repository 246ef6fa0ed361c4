package pad_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// forked returns a pad with some entries, a snapshot of it, and a fork.
func forked(t testing.TB, keys ...string) (p *pad.Pad, base *pad.Snapshot, theirs *pad.Pad) {
	t.Helper()
	p = emptyPad(t)
	for _, key := range keys {
		put(t, p, key, "base", "t")
	}
	return p, p.Snapshot(), p.Fork()
}

func checkKV(t testing.TB, p *pad.Pad, want ...string) {
	t.Helper()
	if got := p.Render(pad.RenderOptions{}); got != strings.Join(want, "\n") {
		t.Errorf("the pad holds\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// An expired entry counts as absent on every side.
func TestMergeExpired(t *testing.T) {
	now := time.Unix(1000, 0)
	p, _ := newPad(t, pad.Options{Now: func() time.Time { return now }, DefaultTTL: time.Minute})
	put(t, p, "refreshed", 1)
	put(t, p, "gone", 1)
	put(t, p, "late", 1)
	base, theirs := p.Snapshot(), p.Fork()
	put(t, theirs, "late", 2)
	now = now.Add(time.Minute)
	put(t, theirs, "refreshed", 2)
	put(t, p, "gone", 3)
	theirs.Sweep()
	expired := 0
	p.On(pad.EventExpire, func(pad.Event) { expired++ })
	if conflicts, err := p.Merge(base, theirs, nil); err != nil || len(conflicts) != 0 {
		t.Errorf("conflicts = %v, %v, want none", conflicts, err)
	}
	checkKV(t, p, "gone: 3", "refreshed: 2")
	if expired != 1 {
		t.Errorf("%d expired, want the one that was replaced", expired)
	}
}

func TestMergeErrors(t *testing.T) {
	p, base, theirs := forked(t, "k")
	put(t, theirs, "k", 1)
	if _, err := p.Merge(base, nil, nil); !errors.Is(err, pad.ErrConfig) {
		t.Errorf("nil theirs: %v, want ErrConfig", err)
	}
	if _, err := p.Merge(base, theirs.Namespace(""), nil); !errors.Is(err, pad.ErrKey) {
		t.Errorf("theirs without a name: %v, want ErrKey", err)
	}
	if _, err := p.Namespace("").Merge(base, theirs, nil); !errors.Is(err, pad.ErrKey) {
		t.Errorf("ours without a name: %v, want ErrKey", err)
	}
	testkit.Must(t, theirs.Close(t.Context()))
	put(t, p, "k", 2)
	if conflicts, err := p.Merge(base, theirs, nil); err != nil || len(conflicts) != 1 {
		t.Errorf("without resolve: %v, %v, want one conflict, and our side", conflicts, err)
	}
	if _, err := p.Merge(base, theirs, func(pad.Conflict) pad.Resolution {
		_ = p.Close(t.Context())
		return pad.Theirs()
	}); !errors.Is(err, pad.ErrClosed) {
		t.Errorf("closed while resolving: %v, want ErrClosed", err)
	}
	if _, err := p.Merge(base, theirs, nil); !errors.Is(err, pad.ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
	checkKV(t, p, "k: 2")
}

// resolve is called without a lock, and again for a key that changed meanwhile.
func TestMergeWhileThePadChanges(t *testing.T) {
	p, base, theirs := forked(t, "a", "b", "c")
	for _, key := range []string{"a", "b"} {
		put(t, p, key, "ours")
		put(t, theirs, key, "theirs")
	}
	put(t, theirs, "c", "theirs")
	var calls []string
	conflicts, err := p.Merge(base, theirs, func(c pad.Conflict) pad.Resolution {
		calls = append(calls, c.Key+" "+c.Ours.Value.(string))
		if len(calls) == 1 {
			put(t, p, "b", "later")
			put(t, p, "c", "later")
			p.Get("a")
		}
		return pad.Use(c.Ours.Value.(string) + "+" + c.Theirs.Value.(string))
	})
	if want := []string{"a ours", "b ours", "b later", "c later"}; err != nil || !slices.Equal(calls, want) || len(conflicts) != 3 {
		t.Errorf("resolve was called for %q, want %q; %d conflicts, %v", calls, want, len(conflicts), err)
	}
	if len(conflicts) == 3 && conflicts[1].Ours.Value != "later" {
		t.Errorf("the conflict of b has ours %v, want what it was in the end", conflicts[1].Ours.Value)
	}
	checkKV(t, p, "a: ours+theirs", "b: later+theirs", "c: later+theirs")
}

// A reader that takes no lock sees all changes of a merge or none.
func TestMergeIsSeenAtOnce(t *testing.T) {
	const n = 300
	p := emptyPad(t)
	for i := range n {
		_ = p.Set(fmt.Sprint(i), 0)
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			first, _ := pad.Get[int](p, "0")
			last, _ := pad.Get[int](p, fmt.Sprint(n-1))
			if first > last {
				t.Error("half a merge is seen")
				return
			}
		}
	})
	for round := range 50 {
		base, fork := p.Snapshot(), p.Fork()
		for i := range n {
			_ = fork.Set(fmt.Sprint(i), round+1)
		}
		testkit.Must(t, testkit.Err(p.Merge(base, fork, nil)))
	}
	stop.Store(true)
	wg.Wait()
	base, fork := p.Snapshot(), p.Fork()
	fork.Clear()
	if testkit.Must(t, testkit.Err(p.Merge(base, fork, nil))); p.Len() != 0 {
		t.Errorf("%d of %d entries are left when all were deleted", p.Len(), n)
	}
}

// plain is an entry of a plainPad.
type plain struct {
	Value int
	Tag   string
	TTL   time.Duration
}

// plainPad is a simple pad to compare with: a map, and the keys in order of creation.
type plainPad struct {
	entries map[string]plain
	order   []string
}

func (m *plainPad) fork() *plainPad {
	return &plainPad{entries: maps.Clone(m.entries), order: slices.Clone(m.order)}
}

func (m *plainPad) set(key string, e plain) {
	if _, ok := m.entries[key]; !ok {
		m.order = append(m.order, key)
	}
	m.entries[key] = e
}

func (m *plainPad) delete(key string) {
	delete(m.entries, key)
	m.order = slices.DeleteFunc(m.order, func(k string) bool { return k == key })
}

// changeBoth makes the same changes to a pad and its plainPad.
func changeBoth(t *rapid.T, p *pad.Pad, m *plainPad) {
	for range rapid.IntRange(0, 12).Draw(t, "changes") {
		key := fmt.Sprint("k", rapid.IntRange(0, 9).Draw(t, "key"))
		switch rapid.SampledFrom([]string{"set", "set", "set", "delete", "get", "snapshot", "sweep"}).Draw(t, "do") {
		case "set":
			e := plain{
				rapid.IntRange(0, 2).Draw(t, "value"), rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "tag"),
				rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "ttl"),
			}
			m.set(key, e)
			o := pad.SetOptions{TTL: e.TTL}
			if e.Tag != "" {
				o.Tags = []string{e.Tag}
			}
			testkit.Must(t, p.SetWith(key, e.Value, o))
		case "delete":
			m.delete(key)
			p.Delete(key)
		case "get":
			p.Get(key)
		case "snapshot":
			p.Snapshot()
		case "sweep":
			p.Sweep()
		}
	}
}

func (m *plainPad) merge(base, theirs *plainPad, resolve func(string) string) (conflicts []string) {
	order := slices.Clone(theirs.order)
	for key := range base.entries {
		if _, ok := theirs.entries[key]; !ok {
			order = append(order, key)
		}
	}
	for _, key := range order {
		b, inBase := base.entries[key]
		o, inOurs := m.entries[key]
		y, inTheirs := theirs.entries[key]
		switch same := func(x plain, inX bool, y plain, inY bool) bool { return inX == inY && (!inX || x.Value == y.Value) }; {
		case same(o, inOurs, y, inTheirs):
			if inBase && inOurs && o.Tag == b.Tag && o.TTL == b.TTL {
				m.entries[key] = y
			}
		case same(b, inBase, y, inTheirs):
		case same(b, inBase, o, inOurs):
			m.take(key, y, inTheirs)
		default:
			conflicts = append(conflicts, key)
			switch resolve(key) {
			case "theirs":
				m.take(key, y, inTheirs)
			case "use":
				if !inOurs {
					o = y
				}
				m.set(key, plain{7, o.Tag, o.TTL})
			}
		}
	}
	slices.Sort(conflicts)
	return conflicts
}

func (m *plainPad) take(key string, e plain, ok bool) {
	if ok {
		m.set(key, e)
	} else {
		m.delete(key)
	}
}

func held(p *pad.Pad) *plainPad {
	m := &plainPad{entries: map[string]plain{}}
	for e := range p.All() {
		x := plain{Value: e.Value.(int), TTL: e.TTL}
		if len(e.Tags) > 0 {
			x.Tag = e.Tags[0]
		}
		m.set(e.Key, x)
	}
	return m
}

func checkModel(t *rapid.T, name string, got, want *plainPad) {
	if diff := cmp.Diff(want.entries, got.entries); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", name, diff)
	}
	if !slices.Equal(got.order, want.order) {
		t.Fatalf("%s: order %q, want %q", name, got.order, want.order)
	}
}

// replayed makes the changes that the events of a pad describe.
func replayed(t *rapid.T, root *pad.Pad, replay *plainPad) {
	root.On(pad.EventSet, func(e pad.Event) {
		x := plain{Value: e.Entry.Value.(int), TTL: e.Entry.TTL}
		if len(e.Entry.Tags) > 0 {
			x.Tag = e.Entry.Tags[0]
		}
		key := e.Key[len(e.Key)-2:]
		if _, ok := replay.entries[key]; ok != e.Update {
			t.Fatalf("Set of %s: Update %v, want %v", key, e.Update, ok)
		}
		replay.set(key, x)
	})
	root.On(pad.EventDelete, func(e pad.Event) { replay.delete(e.Key[len(e.Key)-2:]) })
}

func TestMergeOfChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, err := pad.New(pad.Options{})
		testkit.Must(t, err)
		p, inP := root, &plainPad{entries: map[string]plain{}}
		if rapid.Bool().Draw(t, "view") {
			p = root.Namespace("v")
			_ = root.Set("other", 1)
		}
		changeBoth(t, p, inP)
		base, inBase := p.Snapshot(), inP.fork()
		theirs, inTheirs := p.Fork(), inP.fork()
		if rapid.Bool().Draw(t, "whole") && p != root {
			theirs = root.Fork().Namespace("v")
		}
		changeBoth(t, p, inP)
		changeBoth(t, theirs, inTheirs)
		checkDiffModel(t, base, theirs.Snapshot(), inBase, inTheirs)

		replay := inP.fork()
		replayed(t, root, replay)
		choices := map[string]string{}
		for i := range 10 {
			choices[fmt.Sprint("k", i)] = rapid.SampledFrom([]string{"ours", "theirs", "use"}).Draw(t, "choice")
		}
		side := func(key string, in *plainPad, e *pad.Entry) {
			if want, ok := in.entries[key]; ok != (e != nil) || ok && e.Value != want.Value {
				t.Fatalf("a side of the conflict of %s is %+v, want %+v, %v", key, e, want, ok)
			}
		}
		conflicts, err := p.Merge(base, theirs, func(c pad.Conflict) pad.Resolution {
			side(c.Key, inBase, c.Base)
			side(c.Key, inP, c.Ours)
			side(c.Key, inTheirs, c.Theirs)
			switch choices[c.Key] {
			case "theirs":
				return pad.Theirs()
			case "use":
				return pad.Use(7)
			}
			return pad.Ours()
		})
		testkit.Must(t, err)
		var keys []string
		for _, c := range conflicts {
			keys = append(keys, c.Key)
		}
		if want := inP.merge(inBase, inTheirs, func(key string) string { return choices[key] }); !slices.Equal(keys, want) {
			t.Fatalf("conflicts %q, want %q", keys, want)
		}
		checkModel(t, "the pad", held(p), inP)
		checkModel(t, "what the events say", replay, inP)
		checkModel(t, "theirs", held(theirs), inTheirs)
	})
}

func checkDiffModel(t *rapid.T, before, after *pad.Snapshot, inBefore, inAfter *plainPad) {
	want := pad.SnapshotDiff{Added: []string{}, Removed: []string{}, Updated: []string{}, Unchanged: []string{}}
	for _, key := range slices.Sorted(maps.Keys(inBefore.entries)) {
		switch e, ok := inAfter.entries[key]; {
		case !ok:
			want.Removed = append(want.Removed, key)
		case e == inBefore.entries[key]:
			want.Unchanged = append(want.Unchanged, key)
		default:
			want.Updated = append(want.Updated, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(inAfter.entries)) {
		if _, ok := inBefore.entries[key]; !ok {
			want.Added = append(want.Added, key)
		}
	}
	if diff := cmp.Diff(want, pad.Diff(before, after)); diff != "" {
		t.Fatalf("Diff() (-want +got):\n%s", diff)
	}
}
