package scratchpad

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
	if n := p.store.get("k").chain(); n > 3 {
		t.Errorf("%d touches of three pads that take turns", n)
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
