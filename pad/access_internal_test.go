package pad

import (
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
