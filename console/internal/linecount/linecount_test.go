package linecount_test

import (
	"crypto/sha256"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console/internal/linecount"
)

// A pair that was compared is found again, the other way round not.
func TestCounts(t *testing.T) {
	var counts linecount.Counts
	old, new := []byte("a\nb\nc\n"), []byte("a\nB\nc\nd\n")
	p := linecount.Pair{Old: sha256.Sum256(old), New: sha256.Sum256(new)}
	if n, ok := counts.Find(p); ok {
		t.Errorf("before: %v", n)
	}
	want := linecount.Count{Removed: 1, Added: 2}
	if n := counts.Count(p, old, new); n != want {
		t.Errorf("%v, want %v", n, want)
	}
	if n, ok := counts.Find(p); !ok || n != want {
		t.Errorf("after: %v, %v, want %v", n, ok, want)
	}
	if n, ok := counts.Find(linecount.Pair{Old: p.New, New: p.Old}); ok {
		t.Errorf("the other way round: %v", n)
	}
}
