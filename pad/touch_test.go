package pad

import (
	"testing"
	"time"
)

func (e *entry) chain() int {
	n := 0
	for t := e.touches.Load(); t != nil; t = t.before {
		n++
	}
	return n
}

// Pads that share an entry keep few of each other's accesses.
func TestTouchesStayFew(t *testing.T) {
	now := time.UnixMilli(1000)
	p, err := New(Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Set("k", 1); err != nil {
		t.Fatal(err)
	}
	one, other := p.Fork(), p.Fork()
	for range 1000 {
		for _, f := range []*Pad{p, one, other} {
			now = now.Add(time.Millisecond)
			f.Get("k")
			if e, _ := f.Peek("k"); !e.AccessedAt.Equal(now) {
				t.Fatalf("AccessedAt is %v, want %v", e.AccessedAt, now)
			}
		}
	}
	for _, f := range []*Pad{p, one, other} {
		if n := f.store.get("k").chain(); n > maxTouches+3 {
			t.Errorf("%d touches of three pads that take turns", n)
		}
	}
	for range 1000 {
		now = now.Add(time.Millisecond)
		f := p.Fork()
		before, _ := f.Peek("k")
		f.Get("k")
		if e, _ := f.Peek("k"); !e.AccessedAt.Equal(now) {
			t.Fatalf("AccessedAt in a fork is %v, want %v", e.AccessedAt, now)
		}
		if e, _ := p.Peek("k"); !e.AccessedAt.Equal(before.AccessedAt) {
			t.Fatalf("AccessedAt moved from %v to %v by a Get of a fork", before.AccessedAt, e.AccessedAt)
		}
	}
	if n := p.store.get("k").chain(); n > maxTouches {
		t.Errorf("%d touches of forks that are gone, want at most %d", n, maxTouches)
	}
}

// What was accessed gets a later place in the index of expiry, so that no sweep
// looks at it again before.
func TestSweepLooksOnce(t *testing.T) {
	now := time.UnixMilli(1000)
	p, err := New(Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetWith("k", 1, SetOptions{TTL: 10 * time.Millisecond, Expiry: Sliding}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(9 * time.Millisecond)
	p.Get("k")
	now = now.Add(5 * time.Millisecond)
	if n := len(p.store.view().content.dueBy(now)); n != 1 {
		t.Fatalf("%d entries are to be looked at before the sweep, want 1", n)
	}
	if n := p.Sweep(); n != 0 {
		t.Fatalf("Sweep() = %d", n)
	}
	if n := len(p.store.view().content.dueBy(now)); n != 0 {
		t.Errorf("%d entries are to be looked at after the sweep", n)
	}
}
