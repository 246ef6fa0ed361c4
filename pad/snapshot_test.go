package pad_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/google/go-cmp/cmp"
)

// written by the npm package agent-scratchpad 0.1.2
const fromNPM = `{"entries":{"b":{"key":"b","value":{"x":[1,null]},"createdAt":1795253314418,"updatedAt":1795253314418,"accessedAt":1795253314418,"ttl":5000,"slidingTtl":true,"tags":["t"]},` +
	`"a":{"key":"a","value":"<s>","createdAt":1795253314418,"updatedAt":1795253314418,"accessedAt":1795253314418,"ttl":null,"slidingTtl":false,"tags":[]}},"timestamp":1795253314418,"version":1}`

func TestSnapshotJSON(t *testing.T) {
	var s pad.Snapshot
	if err := json.Unmarshal([]byte(fromNPM), &s); err != nil {
		t.Fatal(err)
	}
	at := time.UnixMilli(1795253314418).UTC()
	want := []pad.Entry{
		{Key: "b", Value: map[string]any{"x": []any{int64(1), nil}}, CreatedAt: at, UpdatedAt: at, AccessedAt: at, TTL: 5 * time.Second, Sliding: true, Tags: []string{"t"}},
		{Key: "a", Value: "<s>", CreatedAt: at, UpdatedAt: at, AccessedAt: at, Tags: []string{}},
	}
	if diff := cmp.Diff(want, slices.Collect(s.All()), cmp.Transformer("tags", func(e []string) string { return strings.Join(e, ",") })); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if s.Len() != 2 || !s.Time().Equal(at) {
		t.Errorf("Len() = %d, Time() = %v, want 2, %v", s.Len(), s.Time(), at)
	}
	got, err := s.MarshalJSON()
	if err != nil || string(got) != fromNPM {
		t.Errorf("MarshalJSON() = %s, %v, want what was read: %s", got, err, fromNPM)
	}
}

func TestSnapshotBadJSON(t *testing.T) {
	entry := `{"key":"a","value":1,"createdAt":1,"updatedAt":1,"accessedAt":1,"ttl":null,"slidingTtl":false,"tags":[]}`
	wrap := func(entries string) string { return `{"entries":{` + entries + `},"timestamp":1,"version":1}` }
	var s pad.Snapshot
	if err := s.UnmarshalJSON([]byte(wrap(`"a":` + entry))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"no JSON":     `{`,
		"null":        `null`,
		"array":       `[]`,
		"no version":  `{"entries":{},"timestamp":1}`,
		"no entries":  `{"timestamp":1,"version":1}`,
		"twice":       wrap(`"a":` + entry + `,"a":` + entry),
		"other key":   wrap(`"b":` + entry),
		"no time":     wrap(strings.Replace(`"a":`+entry, `"createdAt":1,`, "", 1)),
		"far time":    wrap(strings.Replace(`"a":`+entry, `"createdAt":1`, `"createdAt":1e300`, 1)),
		"bad ttl":     wrap(strings.Replace(`"a":`+entry, `"ttl":null`, `"ttl":-1`, 1)),
		"bad tags":    wrap(strings.Replace(`"a":`+entry, `"tags":[]`, `"tags":[1]`, 1)),
		"not UTF-8":   wrap("\"\xff\":" + entry),
		"bad sliding": wrap(strings.Replace(`"a":`+entry, `false`, `1`, 1)),
	} {
		if err := s.UnmarshalJSON([]byte(text)); !errors.Is(err, pad.ErrPersist) {
			t.Errorf("%s: UnmarshalJSON() = %v, want ErrPersist", name, err)
		}
	}
	var newer *pad.VersionError
	if err := s.UnmarshalJSON([]byte(`{"entries":{},"timestamp":1,"version":2}`)); !errors.As(err, &newer) || newer.Version != 2 {
		t.Errorf("UnmarshalJSON() of version 2 = %v, want a VersionError", err)
	}
	if s.Len() != 1 {
		t.Errorf("Len() = %d after errors, want 1 as before", s.Len())
	}
	if err := s.UnmarshalJSON([]byte(wrap(strings.Replace(`"a":`+entry, `"ttl":null`, `"ttl":0`, 1)))); err != nil || s.Len() != 0 {
		t.Errorf("an entry that expired at once: %v, Len() = %d, want it left out", err, s.Len())
	}
}
