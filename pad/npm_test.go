package pad_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// The files in testdata/npm were written by agent-scratchpad 0.1.2 with make.mjs.
func TestReadsNPM(t *testing.T) {
	at := time.UnixMilli(1767323045000)
	for file, want := range map[string][]record{
		"empty.json": {},
		"pad.json": {
			{key: "step", value: "act", created: 0, updated: 1501, accessed: 1501},
			{key: "user", created: 0, updated: 0, accessed: 0, ttl: time.Minute, tags: "entity,user"},
			{key: "session", created: 1500, updated: 1500, accessed: 1501, ttl: 30 * time.Second, sliding: true},
			{key: "agent1:sub:plan", created: 1501, updated: 1501, accessed: 1501, ttl: time.Minute},
		},
		"ttl.json": {
			{key: "third", value: int64(1), created: 1501, updated: 1501, accessed: 1501, ttl: 333333334},
			{key: "here", value: int64(1), created: 1521, updated: 1521, accessed: 1521, ttl: 10 * time.Millisecond},
		},
	} {
		s, err := pad.FileSaver(filepath.Join("testdata", "npm", file)).Load(t.Context())
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got := recordsOf(slices.Collect(s.All()))
		for i := range got {
			got[i].created = got[i].created/1e6 - at.UnixMilli()
			got[i].updated = got[i].updated/1e6 - at.UnixMilli()
			got[i].accessed -= at.UnixMilli()
			if file == "pad.json" && got[i].key != "step" {
				got[i].value = nil // see below
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", file, got, want)
		}
	}
}

func TestReadsNPMValues(t *testing.T) {
	s, err := pad.FileSaver("testdata/npm/values.json").Load(t.Context())
	testkit.Must(t, err)
	p, err := pad.FromSnapshot(s, pad.Options{})
	testkit.Must(t, err)
	type pair struct {
		Key   string
		Value any
	}
	got := []pair{}
	for _, key := range p.Keys() {
		value, _ := p.Get(key)
		got = append(got, pair{key, value})
	}
	want := []pair{
		{"text", "line\n\"quoted\" <b>&amp; \u2028 \U0001f600 \\ \x00"}, {"nul", nil}, {"yes", true}, {"zero", int64(0)}, {"minus", -1.5},
		{"big", int64(1 << 53)}, {"huge", 1e300}, {"tiny", 5e-324}, {"list", []any{int64(1), []any{int64(2), map[string]any{"x": nil}}}},
		{"nothing", map[string]any{}}, {"a:b:", int64(1)}, {"héllo wörld", "é"}, {":", ":"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	written, err := p.Snapshot().MarshalJSON()
	testkit.Must(t, err)
	var before, after struct {
		Entries map[string]map[string]any `json:"entries"`
	}
	text, err := os.ReadFile("testdata/npm/values.json")
	testkit.Must(t, err)
	testkit.Must(t, json.Unmarshal(text, &before))
	testkit.Must(t, json.Unmarshal(written, &after))
	for _, entries := range []map[string]map[string]any{before.Entries, after.Entries} {
		for _, e := range entries {
			delete(e, "accessedAt") // the Gets above
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("written again (-before +after):\n%s", diff)
	}
}

// An entry without a value becomes null, and the pad reports it once.
func TestReadsNPMWithoutValue(t *testing.T) {
	saver := pad.FileSaver("testdata/npm/undefined.json")
	var reports []error
	o := pad.Options{Saver: saver, OnError: func(err error) { reports = append(reports, err) }}
	check := func(what string, p *pad.Pad, want string) {
		t.Helper()
		wantKeys(t, p, "before missing function after")
		if value, ok := p.Get("missing"); value != nil || !ok {
			t.Errorf("%s: missing = %v, %v, want null", what, value, ok)
		}
		if len(reports) != 1 || !errors.Is(reports[0], pad.ErrPersist) || reports[0].Error() != want {
			t.Errorf("%s: reports %v, want one: %s", what, reports, want)
		}
		reports = nil
	}
	p, err := pad.New(o)
	testkit.Must(t, err)
	testkit.Must(t, p.Load(t.Context()))
	check("Load", p, `pad: load: 2 entries have no value, and are null now; the first is "missing": persistence`)
	s, err := saver.Load(t.Context())
	testkit.Must(t, err)
	o.Saver = nil
	p, err = pad.FromSnapshot(s, o)
	testkit.Must(t, err)
	check("FromSnapshot", p, `pad: restore: 2 entries have no value, and are null now; the first is "missing": persistence`)
	text, err := p.Snapshot().MarshalJSON()
	testkit.Must(t, err)
	if !strings.Contains(string(text), `"key":"missing","value":null,`) {
		t.Errorf("written again: %s", text)
	}
	testkit.Must(t, p.Restore(readBack(t, p.Snapshot())))
	if len(reports) > 0 {
		t.Errorf("a null that was written as one was reported: %v", reports)
	}
}
