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
	if n, ok := counts.Count(p, old, new); !ok || n != want {
		t.Errorf("%v, %v, want %v", n, ok, want)
	}
	if n, ok := counts.Find(p); !ok || n != want {
		t.Errorf("after: %v, %v, want %v", n, ok, want)
	}
	if n, ok := counts.Find(linecount.Pair{Old: p.New, New: p.Old}); ok {
		t.Errorf("the other way round: %v", n)
	}
	if n, ok := counts.Find(linecount.Pair{Of: "others", Old: p.Old, New: p.New}); ok {
		t.Errorf("the same texts of others: %v", n)
	}
}
