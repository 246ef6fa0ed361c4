package console

import (
	"crypto/sha256"
	"testing"
	"testing/synctest"
)

// A pair that was compared is found again, the other way round and of another agent not.
// Nobody waits while the texts of others are compared.
func TestCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var counts lineCounts
		old, new := []byte("a\nb\nc\n"), []byte("a\nB\nc\nd\n")
		p := textPair{agent: "a", old: sha256.Sum256(old), new: sha256.Sum256(new)}
		if n, ok := counts.find(p); ok {
			t.Errorf("before: %v", n)
		}
		want := lineCount{Removed: 1, Added: 2}
		if n, ok := counts.count(p, old, new); !ok || n != want {
			t.Errorf("%v, %v, want %v", n, ok, want)
		}
		counts.comparing.Lock() // as a comparison that takes long
		defer counts.comparing.Unlock()
		if n, ok := counts.find(p); !ok || n != want {
			t.Errorf("after: %v, %v, want %v", n, ok, want)
		}
		for _, q := range []textPair{{agent: "a", old: p.new, new: p.old}, {agent: "b", old: p.old, new: p.new}} {
			if n, ok := counts.find(q); ok {
				t.Errorf("%+v: %v", q, n)
			}
			if n, ok := counts.count(q, old, new); ok {
				t.Errorf("while others are compared: %v", n)
			}
		}
	})
}
