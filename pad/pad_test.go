package pad_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestKey(t *testing.T) {
	p := emptyPad(t)
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
		testkit.Must(t, p.Set(key, key))
		if got, ok := p.Get(key); !ok || got != key {
			t.Errorf("Get(%.20q) = %v, %v", key, got, ok)
		}
	}
}

func TestSetKeepsCreatedAt(t *testing.T) {
	p, c := newPad(t, pad.Options{DefaultTTL: time.Hour, DefaultExpiry: pad.Sliding})
	testkit.Must(t, p.SetWith("k", 1, pad.SetOptions{TTL: time.Minute, Expiry: pad.Fixed, Tags: []string{"b", "a", "b"}}))
	e, _ := p.Peek("k")
	want := pad.Entry{Key: "k", Value: 1, CreatedAt: start, UpdatedAt: start, AccessedAt: start, TTL: time.Minute, Tags: []string{"b", "a"}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("Peek() (-want +got):\n%s", diff)
	}
	c.Advance(time.Second)
	testkit.Must(t, p.Set("k", 2)) // the pad's defaults, not what the entry had
	e, _ = p.Peek("k")
	want = pad.Entry{Key: "k", Value: 2, CreatedAt: start, UpdatedAt: c.Now(), AccessedAt: c.Now(), TTL: time.Hour, Sliding: true}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("Peek() after a Set (-want +got):\n%s", diff)
	}
	tags := []string{"x"}
	testkit.Must(t, p.SetWith("k", 2, pad.SetOptions{TTL: pad.Forever, Tags: tags}))
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
		testkit.Must(t, p.SetWith("again", 1, o))
		e, _ := p.Peek("again")
		testkit.Must(t, p.SetWith("same", 1, e.Options()))
		if same, _ := p.Peek("same"); same.TTL != e.TTL || same.Sliding != e.Sliding {
			t.Errorf("set with Options() of %+v: %+v", e, same)
		}
	}
}

func TestClear(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	var events []pad.Event
	keep(p, &events)
	var told []string
	view := p.Namespace("v")
	view.On(pad.EventClear, func(e pad.Event) { told = append(told, e.Prefix) })
	for _, key := range []string{"a", "v:a", "v:b", "v:w:c"} {
		testkit.Must(t, p.Set(key, 1))
	}
	testkit.Must(t, p.SetWith("v:dead", 1, fixed(ms)))
	c.Advance(ms)
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
