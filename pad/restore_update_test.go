package pad_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/pad"
)

// A change that replaces an entry by one of another pad is a change to Update.
func TestUpdateSeesARestore(t *testing.T) {
	snapshot := func(value int) *pad.Snapshot {
		p := freshPad(t)
		put(t, p, "n", value)
		return p.Snapshot()
	}
	parsed := func(value int) *pad.Snapshot {
		text, err := json.Marshal(snapshot(value))
		if err != nil {
			t.Fatal(err)
		}
		var s pad.Snapshot
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		return &s
	}
	for name, take := range map[string]func(int) *pad.Snapshot{"of a pad": snapshot, "of JSON": parsed} {
		p := freshPad(t)
		if err := p.Restore(take(1)); err != nil {
			t.Fatal(err)
		}
		calls := 0
		if err := pad.Update(p, "n", func(old int, ok bool) (int, error) {
			if calls++; calls == 1 {
				return old + 1, p.Restore(take(10))
			}
			return old + 1, nil
		}); err != nil {
			t.Fatal(err)
		}
		if n, err := pad.Get[int](p, "n"); n != 11 || err != nil {
			t.Errorf("%s: Update made %d, %v of what a Restore had replaced, want 11", name, n, err)
		}
	}
}

// The key "a:" is no key of the view "a": it would have none there.
func TestViewWithoutTheEmptyKey(t *testing.T) {
	p := freshPad(t)
	var events []string
	p.Namespace("a").On(pad.EventSet, func(e pad.Event) { events = append(events, e.Key) })
	put(t, p, "a:", 1, "t")
	put(t, p, "a:b", 2, "t")
	v := p.Namespace("a")
	if got := v.Keys(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("Keys() = %q, want b alone", got)
	}
	if got := v.FindByTag("t"); len(got) != 1 {
		t.Errorf("FindByTag() = %v, want b alone", got)
	}
	if !slices.Equal(events, []string{"a:b"}) {
		t.Errorf("events of the view = %q, want that of a:b", events)
	}
	text, err := json.Marshal(v.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var s pad.Snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		t.Errorf("reading the view's snapshot back: %v", err)
	}
	if v.Clear(); !p.Has("a:") {
		t.Error("Clear of the view removed a key outside of it")
	}
}
