package pad_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

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
