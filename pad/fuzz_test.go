package pad_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/pad"
)

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
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := new(pad.Snapshot)
		must(t, s.UnmarshalJSON([]byte(fromNPM)))
		if err := s.UnmarshalJSON(text); err != nil {
			if again, err := s.MarshalJSON(); err != nil || string(again) != fromNPM {
				t.Fatalf("after an error the snapshot is %s, %v", again, err)
			}
			return
		}
		once, err := s.MarshalJSON()
		must(t, err)
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
		must(t, err)
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
