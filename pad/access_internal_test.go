package pad

import (
	"fmt"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func quietPad(t *testing.T, o Options) *Pad {
	t.Helper()
	p, err := New(o)
	testkit.Must(t, err)
	return p
}

func (e *entry) chain() int {
	n := 0
	for t := e.touches.Load(); t != nil; t = t.before {
		n++
	}
	return n
}

// Pads that share an entry store few of each other's accesses in it.
func TestTouchesStayFew(t *testing.T) {
	now := time.UnixMilli(1000)
	p := quietPad(t, Options{Now: func() time.Time { return now }})
	testkit.Must(t, p.Set("k", 1))
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

// A sweep moves an entry that was accessed to a later place in the index of expiry, and
// the next sweep does not visit it again.
func TestSweepLooksOnce(t *testing.T) {
	now := time.UnixMilli(1000)
	p := quietPad(t, Options{Now: func() time.Time { return now }})
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

// Len moves entries that accesses keep alive to a later place in the index of expiry.
func TestSlidingIndexIsMended(t *testing.T) {
	clock := time.UnixMilli(1e12)
	p := quietPad(t, Options{DefaultTTL: time.Minute, DefaultExpiry: Sliding, Now: func() time.Time { return clock }})
	for i := range 100 {
		_ = p.Set(fmt.Sprint(i), i)
	}
	clock = clock.Add(50 * time.Second)
	for i := range 100 {
		p.Get(fmt.Sprint(i))
	}
	clock = clock.Add(30 * time.Second)
	if n := p.Len(); n != 100 {
		t.Fatalf("Len() = %d, want 100", n)
	}
	if due := p.store.look().dueBy(clock); len(due) != 0 {
		t.Errorf("%d entries stand in the index as due, want none", len(due))
	}
}
