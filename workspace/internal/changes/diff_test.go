package changes_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A difference from or to a version that was redacted since the paths were read is left out.
func TestDiffsOfRedacted(t *testing.T) {
	version := func(n int64, text string) store.Version {
		return store.Version{Number: n, Size: int64(len(text)), SHA256: sha256.Sum256([]byte(text)), Content: []byte(text)}
	}
	redacted := func(n int64) store.Version { return store.Version{Number: n, Redacted: new(store.Redaction)} }
	text := strings.Repeat("a line that stays\nanother\nand one more\nand another\n", 9)
	for _, c := range []struct {
		what     string
		old, new store.Version
		omitted  int
	}{
		{"two sound versions", version(1, text), version(2, text+"x\n"), 0},
		{"from a redacted one", redacted(1), version(2, text), 1},
		{"to a redacted one", version(1, "x\n"), redacted(2), 1},
		{"two redacted ones", redacted(1), redacted(2), 1},
	} {
		paths := []store.Change{{Op: store.OpEdit, Kind: store.KindFile, Path: "f", Before: 1, After: 2}}
		d := changes.Differ{Most: 1000, Load: func(store.Query) (store.Loaded, error) {
			return store.Loaded{Version: c.new, Old: c.old}, nil
		}}
		diffs, omitted, err := d.Diffs(paths, false)
		if err != nil || omitted != c.omitted || len(diffs) != 1 || (diffs[0].LeftOut == "") != (omitted == 0) {
			t.Errorf("%s: %v, omitted %d, %v, want %d omitted", c.what, diffs, omitted, err, c.omitted)
		}
	}
}
