package pad

import (
	"maps"
	"math/bits"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// hashes are a good hash function, and others that collide: everywhere, at the top of the
// trie, and down to its last level.
var hashes = map[string]func(key string) uint64{
	"good":         hashOf,
	"constant":     func(string) uint64 { return 7 },
	"two values":   func(key string) uint64 { return -(uint64(key[0]) & 1) },
	"top level":    func(key string) uint64 { return hashOf(key) & 31 },
	"bottom level": func(key string) uint64 { return uint64(key[0]&3) << 57 },
	"last bits":    func(key string) uint64 { return hashOf(key) << 58 },
}

// grown is a trie and what it must hold.
type grown struct {
	root *node
	want map[string]*entry
}

func (g *grown) check(t *rapid.T, hash func(string) uint64) {
	for i := range 20 {
		key := strconv.Itoa(i)
		if got := g.root.getHashed(key, hash(key)); got != g.want[key] {
			t.Fatalf("get(%q) = %v, want %v", key, got, g.want[key])
		}
	}
	if n := count(t, g.root, 0); n != len(g.want) {
		t.Fatalf("the trie has %d entries, want %d", n, len(g.want))
	}
}

// count counts the entries below a node, and checks that the trie is as flat as it can be.
func count(t *rapid.T, n *node, depth int) (total int) {
	if bits.OnesCount32(n.bitmap) != len(n.slots) {
		t.Fatalf("a node has the bitmap %b for %d slots", n.bitmap, len(n.slots))
	}
	if depth > 0 && (len(n.slots) == 0 || len(n.slots) == 1 && n.slots[0].below == nil) {
		t.Fatalf("a node at depth %d has %d slots", depth, len(n.slots))
	}
	for _, s := range n.slots {
		if s.below != nil {
			total += count(t, s.below, depth+1)
		} else {
			total++
		}
	}
	return total
}

func TestTrie(t *testing.T) {
	for name, hash := range hashes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				tries := []*grown{{new(node), map[string]*entry{}}}
				rt.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) { playTrie(t, &tries, hash) }})
				for _, g := range tries {
					g.check(rt, hash)
					checkDifferences(rt, tries[0], g)
				}
			})
		})
	}
}

func playTrie(t *rapid.T, tries *[]*grown, hash func(string) uint64) {
	g := rapid.SampledFrom(*tries).Draw(t, "trie")
	key := strconv.Itoa(rapid.IntRange(0, 19).Draw(t, "key"))
	act := rapid.IntRange(0, 15).Draw(t, "act")
	switch {
	case act == 15 && len(*tries) < 12:
		*tries = append(*tries, &grown{g.root, maps.Clone(g.want)})
	case act < 9:
		e := &entry{key: key, hash: hash(key)}
		g.root = g.root.with(e, 0)
		g.want[key] = e
	case g.want[key] != nil:
		g.root = g.root.without(g.want[key], 0)
		delete(g.want, key)
	}
}

// checkDifferences checks that no entry is missing that only one of two tries has.
func checkDifferences(t *rapid.T, a, b *grown) {
	differ := map[*entry]bool{}
	differences(a.root, b.root, func(e *entry) { differ[e] = true })
	for i := range 20 {
		key := strconv.Itoa(i)
		if x, y := a.want[key], b.want[key]; x != y && (x != nil && !differ[x] || y != nil && !differ[y]) {
			t.Fatalf("the difference of %q was not found", key)
		}
	}
}
