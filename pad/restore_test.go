package pad_test

import (
	"errors"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestRestore(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	testkit.Must(t, p.SetWith("a", 1, fixed(time.Minute)))
	testkit.Must(t, p.SetWith("short", 1, fixed(ms)))
	s := p.Snapshot()
	var events []pad.Event
	keep(p, &events)
	c.Advance(ms)
	testkit.Must(t, p.Set("new", 1))
	events = nil
	testkit.Must(t, p.Restore(s))
	wantKeys(t, p, "a")
	if len(events) != 2 || events[0].Kind != pad.EventClear || events[0].Count != 2 || events[1].Key != "a" || events[1].Update {
		t.Errorf("events %+v, want a Clear of 2 and a Set of a", events)
	}
	if e, _ := p.Peek("a"); !e.CreatedAt.Equal(start) || e.TTL != time.Minute {
		t.Errorf("restored %+v", e)
	}
	events = nil
	if err := p.Restore(nil); !errors.Is(err, pad.ErrConfig) || len(events) != 0 || p.Len() != 1 {
		t.Errorf("Restore(nil) = %v with events %+v", err, events)
	}
	if _, err := pad.FromSnapshot(nil, pad.Options{SweepInterval: ms}); !errors.Is(err, pad.ErrConfig) {
		t.Errorf("FromSnapshot(nil) = %v, want ErrConfig", err)
	}
	q, err := pad.FromSnapshot(s, pad.Options{Now: c.Now, DefaultTTL: time.Hour})
	testkit.Must(t, err)
	testkit.Must(t, q.Set("b", 1))
	if e, _ := q.Peek("b"); e.TTL != time.Hour {
		t.Errorf("a pad from a snapshot set %+v, want its own default TTL", e)
	}
	wantKeys(t, p, "a")
}

func TestFork(t *testing.T) {
	saver := new(memorySaver)
	p, c := newPad(t, pad.Options{Saver: saver, AutoSave: ms, SweepInterval: time.Hour, DefaultTTL: time.Hour})
	p.On(pad.EventSet, func(e pad.Event) {
		if e.Key != "a" && e.Key != "mine" {
			t.Errorf("the pad was told of %+v", e)
		}
	})
	testkit.Must(t, p.SetWith("a", 1, sliding(10*ms)))
	f := p.Fork()
	testkit.Must(t, f.Set("theirs", 1))
	testkit.Must(t, p.Set("mine", 1))
	wantKeys(t, p, "a mine")
	wantKeys(t, f, "a theirs")
	if e, _ := f.Peek("theirs"); e.TTL != time.Hour {
		t.Errorf("a fork set %+v, want the pad's default TTL", e)
	}
	c.Advance(9 * ms)
	f.Get("a")
	c.Advance(ms)
	if p.Has("a") || !f.Has("a") {
		t.Error("an access of the fork is one of the pad")
	}
	testkit.Must(t, f.Save(t.Context()))
	testkit.Must(t, f.Close(t.Context()))
	testkit.Must(t, p.Set("mine", 2))
}
