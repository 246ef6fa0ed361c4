package trie

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
)

// The difference of two tries is the difference of the maps that they stand for,
// also if some or all bits of the hashes collide.
func TestDiff(t *testing.T) {
	for name, hash := range map[string]func(string) uint64{
		"good": nil, "all the same": func(string) uint64 { return 7 },
		"low bits": func(k string) uint64 { return hashOf(k) & 3 }, "high bits": func(k string) uint64 { return hashOf(k) << 61 },
		"last two": func(k string) uint64 { return hashOf(k) & (1<<63 | 1) },
	} {
		for round := range uint64(300) {
			r := rand.New(rand.NewPCG(1, round))
			a := tree{hash: hash}
			inA := map[string]*entry{}
			change(r, &a, inA, r.IntN(40))
			b, inB := a.Copy(), maps.Clone(inA)
			change(r, &a, inA, r.IntN(10))
			change(r, &b, inB, r.IntN(10))
			checkDiff(t, name, a.root, b.root, inA, inB)
			checkDiff(t, name, nil, b.root, nil, inB)
			checkDiff(t, name, a.root, nil, inA, nil)
		}
	}
}

func change(r *rand.Rand, t *tree, m map[string]*entry, n int) {
	for range n {
		key := fmt.Sprint(r.IntN(30))
		if m[key] != nil && r.IntN(2) == 0 {
			t.Remove(key)
			delete(m, key)
		} else {
			e := &entry{key: key}
			t.Put(e)
			m[key] = e
		}
	}
}

func checkDiff(t *testing.T, name string, a, b *node, inA, inB map[string]*entry) {
	t.Helper()
	want := 0
	for k, e := range inA {
		if inB[k] != e {
			want++
		}
	}
	for k := range inB {
		if inA[k] == nil {
			want++
		}
	}
	seen := map[string]bool{}
	Diff(a, b, func(ea, eb *entry) {
		e := ea
		if e == nil {
			e = eb
		}
		if seen[e.key] || ea == eb || inA[e.key] != ea || inB[e.key] != eb {
			t.Fatalf("%s: %q is %p and %p, want %p and %p once", name, e.key, ea, eb, inA[e.key], inB[e.key])
		}
		seen[e.key] = true
	})
	if len(seen) != want {
		t.Fatalf("%s: %d differences, want %d", name, len(seen), want)
	}
}
