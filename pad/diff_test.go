package pad_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestDiff(t *testing.T) {
	p := emptyPad(t)
	put(t, p, "again", []int{1})
	put(t, p, "value", 1)
	before := p.Snapshot()
	put(t, p, "again", []int{1})
	put(t, p, "value", 2)
	if d := pad.Diff(before, p.Snapshot()); !slices.Equal(d.Unchanged, []string{"again"}) || !slices.Equal(d.Updated, []string{"value"}) {
		t.Errorf("Diff() = %+v", d)
	}
	none, all := []string{}, []string{"again", "value"}
	for name, c := range map[string]struct {
		before, after *pad.Snapshot
		want          pad.SnapshotDiff
	}{
		"from nil":  {nil, before, pad.SnapshotDiff{Added: all, Removed: none, Updated: none, Unchanged: none}},
		"to nil":    {before, nil, pad.SnapshotDiff{Added: none, Removed: all, Updated: none, Unchanged: none}},
		"from zero": {new(pad.Snapshot), before, pad.SnapshotDiff{Added: all, Removed: none, Updated: none, Unchanged: none}},
		"of nil":    {nil, nil, pad.SnapshotDiff{Added: none, Removed: none, Updated: none, Unchanged: none}},
		"of itself": {before, before, pad.SnapshotDiff{Added: none, Removed: none, Updated: none, Unchanged: all}},
	} {
		if diff := cmp.Diff(c.want, pad.Diff(c.before, c.after)); diff != "" {
			t.Errorf("%s: Diff() (-want +got):\n%s", name, diff)
		}
	}
}

// Values that were read from JSON are compared as JSON, numbers by their value.
func TestDiffOfEncoded(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"1", "1.0", true}, {"1", "10e-1", true}, {"100", "1E+2", true}, {"0", "-0.0e7", true}, {"0.10", "1e-1", true}, {"-1", "1", false},
		{"1", `"1"`, false}, {"0", "null", false}, {"0", "false", false}, {"12", "120", false}, {"1.2", "12", false},
		{"9007199254740993", "9007199254740992", false}, {"18446744073709551615", "18446744073709551614", false},
		{"123456789012345678901234567890", "1.2345678901234567890123456789e29", true},
		{"1e400", "10e399", true}, {"1e400", "1e401", false}, {"1e99999999999999999999", "1e99999999999999999999", true},
		{"1e99999999999999999999", "2e99999999999999999999", false}, {"0.1e-999", "1e-1000", true},
		{`{"a":1,"b":[1.0]}`, `{"b": [1], "a": 1e0}`, true}, {`{"a":1}`, `{"a":1,"b":null}`, false}, {"[1,2]", "[2,1]", false},
		{`"é"`, `"\u00e9"`, true}, {"{}", "[]", false},
	} {
		entry := func(value string) *pad.Snapshot {
			s := new(pad.Snapshot)
			testkit.Must(t, s.UnmarshalJSON([]byte(`{"entries":{"k":{"key":"k","value":`+value+`,"createdAt":1,"updatedAt":1,"accessedAt":1}},"timestamp":1,"version":1}`)))
			return s
		}
		p := emptyPad(t)
		put(t, p, "k", json.RawMessage(c.b))
		for name, after := range map[string]*pad.Snapshot{"read": entry(c.b), "set": p.Snapshot()} {
			if d := pad.Diff(entry(c.a), after); (len(d.Unchanged) == 1) != c.same || len(d.Unchanged)+len(d.Updated) != 1 {
				t.Errorf("%s and %s, %s: Diff() = %+v, want the same: %v", c.a, c.b, name, d, c.same)
			}
		}
	}
	p, q := emptyPad(t), emptyPad(t)
	put(t, p, "k", 1)
	put(t, q, "k", 1.0)
	if d := pad.Diff(p.Snapshot(), q.Snapshot()); len(d.Updated) != 1 {
		t.Errorf("an int and a float64: Diff() = %+v, want updated: neither was read from JSON", d)
	}
}
