package nearest_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/nearest"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 2000, Long: 100_000}.Set()
	m.Run()
}

// A misspelt path is near if few edits lead to it, as counted without a bound.
func TestPathCountsEdits(t *testing.T) {
	path := rapid.StringMatching(`[a-cé記]{1,30}`)
	rapid.Check(t, func(t *rapid.T) {
		wanted := path.Draw(t, "wanted")
		there := rapid.OneOf(path, rapid.Custom(func(t *rapid.T) string { return misspelt(t, wanted) })).Draw(t, "there")
		if there == wanted || there == "" {
			t.Skip("nothing is missing")
		}
		from, to := []rune(wanted), []rune(there)
		n := naiveEdits(from, to)
		near := n <= min((1+min(len(from), len(to)))/4, 5)
		if got := nearest.Path(wanted, []string{there}); (got == there) != near {
			t.Fatalf("%s and %s are %d edits apart: Path = %q; want it found: %v", wanted, there, n, got, near)
		}
	})
}

// misspelt changes a text in a few places.
func misspelt(t *rapid.T, wanted string) string {
	text := []rune(wanted)
	for range rapid.IntRange(1, 7).Draw(t, "edits") {
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		to := rapid.IntRange(at, min(len(text), at+1)).Draw(t, "to")
		text = slices.Concat(text[:at], []rune(rapid.StringMatching(`[a-dé訙]?`).Draw(t, "with")), text[to:])
	}
	return string(text)
}

func naiveEdits(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			n := before
			if a[i] != b[j] {
				n++
			}
			before = row[j+1]
			row[j+1] = min(n, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
