package pad_test

import (
	"errors"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestUpdate(t *testing.T) {
	p, c := newPad(t, pad.Options{DefaultTTL: time.Hour})
	add := func(old int, ok bool) (int, error) { return old + 1, nil }
	testkit.Must(t, pad.Update(p, "n", add))
	if e, _ := p.Peek("n"); e.Value != 1 || e.TTL != time.Hour {
		t.Errorf("Update() of nothing made %+v", e)
	}
	testkit.Must(t, p.SetWith("n", 5, pad.SetOptions{TTL: time.Minute, Expiry: pad.Sliding, Tags: []string{"t"}}))
	c.Advance(time.Second)
	testkit.Must(t, pad.Update(p, "n", add))
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
	mustEnd(t, func() { // f runs outside of the lock
		testkit.Must(t, pad.Update(p, "n", func(old int, _ bool) (int, error) { return old + p.Len() + len(p.Entries()), nil }))
	})
}
