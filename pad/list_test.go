package pad_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestOrder(t *testing.T) {
	p := emptyPad(t)
	tag := pad.SetOptions{Tags: []string{"t"}}
	for _, key := range []string{"d", "b", "c", "a"} {
		testkit.Must(t, p.SetWith(key, 1, tag))
	}
	testkit.Must(t, p.SetWith("b", 2, tag)) // keeps its place
	p.Delete("d")
	testkit.Must(t, p.SetWith("d", 2, tag)) // moves to the end
	const want = "b c a d"
	wantKeys(t, p, want)
	for what, list := range map[string][]pad.Entry{
		"Entries":   p.Entries(),
		"All":       slices.Collect(p.All()),
		"Find":      p.Find(func(pad.Entry) bool { return true }),
		"FindByTag": p.FindByTag("t"),
		"Snapshot":  slices.Collect(p.Snapshot().All()),
		"Fork":      p.Fork().Entries(),
	} {
		var got []string
		for _, e := range list {
			got = append(got, e.Key)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", what, got, want)
		}
	}
	for e := range p.All() { // may change the pad, and end early
		p.Delete(e.Key)
		p.Set("new", 1)
		break
	}
	wantKeys(t, p, "c a d new")
}

func TestStats(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	if diff := cmp.Diff(pad.Stats{Namespaces: []string{}, TagCounts: map[string]int{}}, p.Stats()); diff != "" {
		t.Errorf("Stats() of nothing (-want +got):\n%s", diff)
	}
	testkit.Must(t, p.SetWith("b:x", 1, pad.SetOptions{TTL: time.Hour, Tags: []string{"t", "u"}}))
	c.Advance(ms)
	testkit.Must(t, p.SetWith("a:b:c", 1, pad.SetOptions{Tags: []string{"t"}}))
	testkit.Must(t, p.SetWith("dead:x", 1, pad.SetOptions{TTL: 1, Tags: []string{"t"}}))
	testkit.Must(t, p.Set(":k", 1))
	c.Advance(ms)
	testkit.Must(t, p.Set("k", 1))
	want := pad.Stats{
		Size: 4, RawSize: 5, Expired: 1, Namespaces: []string{"a", "b"}, WithTTL: 1, TagCounts: map[string]int{"t": 2, "u": 1},
		Oldest: start, Newest: start.Add(2 * ms),
	}
	if diff := cmp.Diff(want, p.Stats()); diff != "" {
		t.Errorf("Stats() (-want +got):\n%s", diff)
	}
}
