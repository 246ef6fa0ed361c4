package trie

import (
	"hash/maphash"
	"maps"
	"math/bits"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// entry is an item of the tests' tries.
type entry struct{ key string }

func (e *entry) Key() string { return e.key }

type (
	tree = Trie[entry, *entry]
	node = Node[entry, *entry]
)

// hashes are a good hash function, and others that collide: everywhere, at the top
// of the trie, and down to its last level.
var hashes = map[string]func(key string) uint64{
	"good":         nil,
	"constant":     func(string) uint64 { return 7 },
	"two values":   func(key string) uint64 { return -(uint64(key[0]) & 1) },
	"top level":    func(key string) uint64 { return hashOf(key) & 31 },
	"bottom level": func(key string) uint64 { return uint64(key[0]&3) << 60 },
	"last bits":    func(key string) uint64 { return maphash.String(seed, key) << 58 },
}

// grown is a trie, what it must hold, and whether it may still change.
type grown struct {
	trie   tree
	want   map[string]*entry
	frozen bool
}

func (g *grown) check(t interface{ Fatalf(string, ...any) }) {
	for i := range 20 {
		key := strconv.Itoa(i)
		if got := g.trie.Get(key); got != g.want[key] {
			t.Fatalf("Get(%q) = %v, want %v", key, got, g.want[key])
		}
	}
	if n := count(t, g.trie.root, 0); n != len(g.want) {
		t.Fatalf("the trie has %d items, want %d", n, len(g.want))
	}
}

// count counts the items below a node, and checks that the trie is as flat as it can be.
func count(t interface{ Fatalf(string, ...any) }, n *node, shift uint) int {
	if n == nil {
		return 0
	}
	if shift < bottom && (bits.OnesCount32(n.itemMap) != len(n.items) || bits.OnesCount32(n.nodeMap) != len(n.nodes) || n.itemMap&n.nodeMap != 0) {
		t.Fatalf("a node has maps %b and %b for %d items and %d nodes", n.itemMap, n.nodeMap, len(n.items), len(n.nodes))
	}
	if len(n.items)+len(n.nodes) == 0 || shift > 0 && len(n.items) == 1 && len(n.nodes) == 0 {
		t.Fatalf("a node at shift %d has %d items and %d nodes", shift, len(n.items), len(n.nodes))
	}
	total := len(n.items)
	for i := range n.nodes {
		total += count(t, n.nodes[i].Load(), shift+bitsPerLevel)
	}
	return total
}

func TestTrie(t *testing.T) {
	for name, hash := range hashes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				tries := []*grown{{trie: tree{hash: hash}, want: map[string]*entry{}}}
				rt.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) { playTrie(t, &tries) }})
				for _, g := range tries {
					g.check(rt)
				}
			})
		})
	}
}

func playTrie(t *rapid.T, tries *[]*grown) {
	g := rapid.SampledFrom(*tries).Draw(t, "trie")
	key := strconv.Itoa(rapid.IntRange(0, 19).Draw(t, "key"))
	act := rapid.IntRange(0, 15).Draw(t, "act")
	switch {
	case act == 15 && len(*tries) < 12:
		c := &grown{trie: g.trie.Copy(), want: maps.Clone(g.want), frozen: rapid.Bool().Draw(t, "frozen")}
		*tries = append(*tries, c)
	case g.frozen:
		g.check(t)
	case act < 9:
		e := &entry{key: key}
		g.trie.Put(e)
		g.want[key] = e
	case g.want[key] != nil:
		g.trie.Remove(key)
		delete(g.want, key)
	}
	if got := g.trie.Get(key); got != g.want[key] {
		t.Fatalf("Get(%q) = %v, want %v", key, got, g.want[key])
	}
}
