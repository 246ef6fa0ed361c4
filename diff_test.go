package scratchpad_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad"
	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	p := freshPad(t)
	put(t, p, "same", map[string]any{"a": 1})
	put(t, p, "value", 1)
	put(t, p, "tags", 1, "a", "b")
	put(t, p, "ttl", 1)
	put(t, p, "gone", 1)
	put(t, p, "again", []int{1})
	put(t, p, "read", 1)
	before := p.Snapshot()
	put(t, p, "value", 2)
	put(t, p, "tags", 1, "b", "a")
	if err := p.SetWith("ttl", 1, scratchpad.SetOptions{TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	p.Delete("gone")
	put(t, p, "again", []int{1})
	put(t, p, "z", 1)
	put(t, p, "new", 1)
	p.Get("read")
	want := scratchpad.SnapshotDiff{
		Added: []string{"new", "z"}, Removed: []string{"gone"},
		Updated: []string{"tags", "ttl", "value"}, Unchanged: []string{"again", "read", "same"},
	}
	if diff := cmp.Diff(want, scratchpad.Diff(before, p.Snapshot())); diff != "" {
		t.Errorf("Diff() (-want +got):\n%s", diff)
	}
	none, all := []string{}, []string{"again", "gone", "read", "same", "tags", "ttl", "value"}
	for name, c := range map[string]struct {
		before, after *scratchpad.Snapshot
		want          scratchpad.SnapshotDiff
	}{
		"from nil":  {nil, before, scratchpad.SnapshotDiff{Added: all, Removed: none, Updated: none, Unchanged: none}},
		"to nil":    {before, nil, scratchpad.SnapshotDiff{Added: none, Removed: all, Updated: none, Unchanged: none}},
		"from zero": {new(scratchpad.Snapshot), before, scratchpad.SnapshotDiff{Added: all, Removed: none, Updated: none, Unchanged: none}},
		"of nil":    {nil, nil, scratchpad.SnapshotDiff{Added: none, Removed: none, Updated: none, Unchanged: none}},
		"of itself": {before, before, scratchpad.SnapshotDiff{Added: none, Removed: none, Updated: none, Unchanged: all}},
	} {
		if diff := cmp.Diff(c.want, scratchpad.Diff(c.before, c.after)); diff != "" {
			t.Errorf("%s: Diff() (-want +got):\n%s", name, diff)
		}
	}
}

// Keys are those of the views, and a value that was read from JSON is the one it
// gives.
func TestDiffOfViewsAndJSON(t *testing.T) {
	p := freshPad(t)
	put(t, p, "v:a", map[string]any{"x": []any{"y", nil}})
	put(t, p, "v:b", "1")
	put(t, p, "other", 1)
	snapshot := p.Namespace("v").Snapshot()
	text, err := json.Marshal(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	parse := func(text string) *scratchpad.Snapshot {
		var s scratchpad.Snapshot
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		return &s
	}
	read := parse(string(text))
	spaced := parse(strings.ReplaceAll(string(text), `{"x":[`, `{ "x" : [ `))
	want := scratchpad.SnapshotDiff{Added: []string{}, Removed: []string{}, Updated: []string{}, Unchanged: []string{"a", "b"}}
	for name, after := range map[string]*scratchpad.Snapshot{"read": read, "spaced": spaced, "forked": p.Namespace("v").Fork().Snapshot()} {
		for _, from := range []*scratchpad.Snapshot{snapshot, read} {
			if diff := cmp.Diff(want, scratchpad.Diff(from, after)); diff != "" {
				t.Errorf("%s: Diff() (-want +got):\n%s", name, diff)
			}
		}
	}
}

// A snapshot has what was live when it was taken.
func TestDiffExpired(t *testing.T) {
	now := time.Unix(0, 0)
	p := freshPadWith(t, scratchpad.Options{Now: func() time.Time { return now }, DefaultTTL: time.Minute})
	put(t, p, "a", 1)
	before := p.Snapshot()
	now = now.Add(time.Minute)
	put(t, p, "b", 1)
	want := scratchpad.SnapshotDiff{Added: []string{"b"}, Removed: []string{"a"}, Updated: []string{}, Unchanged: []string{}}
	if diff := cmp.Diff(want, scratchpad.Diff(before, p.Snapshot())); diff != "" {
		t.Errorf("Diff() (-want +got):\n%s", diff)
	}
}
