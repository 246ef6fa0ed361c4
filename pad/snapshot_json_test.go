package pad_test

import (
	"bytes"
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

// written by the npm package agent-scratchpad 0.1.2
const fromNPM = `{"entries":{"b":{"key":"b","value":{"x":[1,null]},"createdAt":1795253314418,"updatedAt":1795253314418,"accessedAt":1795253314418,"ttl":5000,"slidingTtl":true,"tags":["t"]},` +
	`"a":{"key":"a","value":"<s>","createdAt":1795253314418,"updatedAt":1795253314418,"accessedAt":1795253314418,"ttl":null,"slidingTtl":false,"tags":[]}},"timestamp":1795253314418,"version":1}`

func TestSnapshotBadJSON(t *testing.T) {
	entry := `{"key":"a","value":1,"createdAt":1,"updatedAt":1,"accessedAt":1,"ttl":null,"slidingTtl":false,"tags":[]}`
	wrap := func(entries string) string { return `{"entries":{` + entries + `},"timestamp":1,"version":1}` }
	var s pad.Snapshot
	testkit.Must(t, s.UnmarshalJSON([]byte(wrap(`"a":`+entry))))
	for name, text := range map[string]string{
		"no JSON":    `{`,
		"null":       `null`,
		"no version": `{"entries":{},"timestamp":1}`,
		"no entries": `{"timestamp":1,"version":1}`,
		"twice":      wrap(`"a":` + entry + `,"a":` + entry),
		"other key":  wrap(`"b":` + entry),
		"no time":    wrap(strings.Replace(`"a":`+entry, `"createdAt":1,`, "", 1)),
		"bad ttl":    wrap(strings.Replace(`"a":`+entry, `"ttl":null`, `"ttl":-1`, 1)),
		"bad tags":   wrap(strings.Replace(`"a":`+entry, `"tags":[]`, `"tags":[1]`, 1)),
		"not UTF-8":  wrap("\"\xff\":" + entry),
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

func FuzzSnapshotJSON(f *testing.F) {
	f.Add([]byte(fromNPM))
	f.Add([]byte(`{"version":1,"timestamp":-1.5,"entries":{"\ud800":{"key":"\ufffd","value":1e400,"createdAt":-1,"updatedAt":1.5,"accessedAt":1e3,"ttl":1.5}}}`))
	f.Add([]byte(`{"version":1,"timestamp":5,"entries":{"a":{"key":"b"}}}`))
	files, err := filepath.Glob("testdata/npm/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("testdata/npm: %v, %d files", err, len(files))
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		testkit.Must(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := new(pad.Snapshot)
		testkit.Must(t, s.UnmarshalJSON([]byte(fromNPM)))
		if err := s.UnmarshalJSON(text); err != nil {
			if again, err := s.MarshalJSON(); err != nil || string(again) != fromNPM {
				t.Fatalf("after an error the snapshot is %s, %v", again, err)
			}
			return
		}
		once, err := s.MarshalJSON()
		testkit.Must(t, err)
		second := new(pad.Snapshot)
		if err := second.UnmarshalJSON(once); err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		if second.Len() != s.Len() {
			t.Fatalf("%d entries became %d", s.Len(), second.Len())
		}
		if twice, err := second.MarshalJSON(); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v, written once and twice:\n%s\n%s", err, once, twice)
		}
		if d := pad.Diff(s, second); len(d.Unchanged) != s.Len() {
			t.Fatalf("what was read back differs: %+v\n%s", d, once)
		}
		p, err := pad.FromSnapshot(s, pad.Options{Now: s.Time})
		testkit.Must(t, err)
		if got, want := recordsOf(p.Entries()), slices.Collect(s.All()); len(got) != len(want) || p.Len() != s.Len() {
			t.Fatalf("a pad of %d entries has %d", len(want), len(got))
		}
		for _, key := range p.Keys() {
			p.Get(key)
			pad.Get[string](p, key)
			pad.Get[map[string]any](p, key)
		}
	})
}

func readBack(t testing.TB, s *pad.Snapshot) *pad.Snapshot {
	t.Helper()
	text, err := s.MarshalJSON()
	testkit.Must(t, err)
	again := new(pad.Snapshot)
	testkit.Must(t, again.UnmarshalJSON(text))
	return again
}

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
	if d := pad.Diff(s, readBack(t, p.Snapshot())); len(d.Unchanged) != len(want) {
		t.Errorf("written again: %+v", d)
	}
}

// An entry without a value becomes null, and the pad reports it once.
func TestReadsNPMWithoutValue(t *testing.T) {
	saver := pad.FileSaver("testdata/npm/undefined.json")
	var reports []error
	o := pad.Options{Saver: saver, OnError: func(err error) { reports = append(reports, err) }}
	check := func(what string, p *pad.Pad, want string) {
		t.Helper()
		if got := strings.Join(p.Keys(), " "); got != "before missing function after" {
			t.Errorf("%s: the keys are %s", what, got)
		}
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
	check("Load", p, `pad: load: entries without a value are null now: 2, the first is "missing": persistence`)
	s, err := saver.Load(t.Context())
	testkit.Must(t, err)
	o.Saver = nil
	p, err = pad.FromSnapshot(s, o)
	testkit.Must(t, err)
	check("FromSnapshot", p, `pad: restore: entries without a value are null now: 2, the first is "missing": persistence`)
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
