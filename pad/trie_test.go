package pad

import (
	"hash/maphash"
	"maps"
	"math/bits"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// hashes are a good one and such as collide: everywhere, at the top of the trie,
// and down to its last level.
var hashes = map[string]func(key string) uint64{
	"good":         hashKey,
	"constant":     func(string) uint64 { return 7 },
	"two values":   func(key string) uint64 { return -(uint64(key[0]) & 1) },
	"top level":    func(key string) uint64 { return hashKey(key) & 31 },
	"bottom level": func(key string) uint64 { return uint64(key[0]&3) << 60 },
	"last bits":    func(key string) uint64 { return maphash.String(seed, key) << 58 },
}

// grown is a trie, what it must hold, and whether it may still change.
type grown struct {
	trie   trie
	want   map[string]*entry
	frozen bool
}

// copied returns a trie to go on from, as content.copied makes one.
func (g *grown) copied() *grown {
	c := &grown{trie: g.trie, want: maps.Clone(g.want)}
	g.trie.epoch, c.trie.epoch = newEpoch(), newEpoch()
	return c
}

func (g *grown) check(t interface{ Fatalf(string, ...any) }) {
	for i := range 20 {
		key := strconv.Itoa(i)
		if got := g.trie.get(key); got != g.want[key] {
			t.Fatalf("get(%q) = %v, want %v", key, got, g.want[key])
		}
	}
	if n := g.trie.root.count(t, 0); n != len(g.want) {
		t.Fatalf("the trie has %d entries, want %d", n, len(g.want))
	}
}

// count counts the entries, and checks that the trie is as flat as it can be.
func (n *node) count(t interface{ Fatalf(string, ...any) }, shift uint) int {
	if n == nil {
		return 0
	}
	if shift < bottom && (bits.OnesCount32(n.entryMap) != len(n.entries) || bits.OnesCount32(n.nodeMap) != len(n.nodes) || n.entryMap&n.nodeMap != 0) {
		t.Fatalf("a node has maps %b and %b for %d entries and %d nodes", n.entryMap, n.nodeMap, len(n.entries), len(n.nodes))
	}
	if len(n.entries)+len(n.nodes) == 0 || shift > 0 && len(n.entries) == 1 && len(n.nodes) == 0 {
		t.Fatalf("a node at shift %d has %d entries and %d nodes", shift, len(n.entries), len(n.nodes))
	}
	total := len(n.entries)
	for i := range n.nodes {
		total += n.nodes[i].Load().count(t, shift+bitsPerLevel)
	}
	return total
}

func TestTrie(t *testing.T) {
	for name, hash := range hashes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				tries := []*grown{{trie: trie{epoch: newEpoch(), hash: hash}, want: map[string]*entry{}}}
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
		c := g.copied()
		c.frozen = rapid.Bool().Draw(t, "frozen")
		*tries = append(*tries, c)
	case g.frozen:
		g.check(t)
	case act < 9:
		e := &entry{key: key}
		g.trie.put(e)
		g.want[key] = e
	case g.want[key] != nil:
		g.trie.remove(key)
		delete(g.want, key)
	}
	if got := g.trie.get(key); got != g.want[key] {
		t.Fatalf("get(%q) = %v, want %v", key, got, g.want[key])
	}
}

// A reader that took the root before needs no lock: it finds what was there all
// the time.
func TestTrieReaders(t *testing.T) {
	for name, hash := range hashes {
		g := &grown{trie: trie{epoch: newEpoch(), hash: hash}, want: map[string]*entry{}}
		for i := range 10 {
			g.trie.put(&entry{key: strconv.Itoa(i)})
		}
		root := g.trie.root
		var readers sync.WaitGroup
		stop := make(chan struct{})
		for range 2 {
			readers.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					if key := strconv.Itoa(i % 10); root.get(hash(key), key) == nil {
						t.Errorf("%s: %q is not found", name, key)
						return
					}
				}
			})
		}
		for i := range 5_000 {
			if i%100 == 0 {
				g.trie.epoch = newEpoch()
			}
			g.trie.put(&entry{key: strconv.Itoa(i % 30)})
			if i%30 >= 10 {
				g.trie.remove(strconv.Itoa(i % 30))
			}
		}
		close(stop)
		readers.Wait()
	}
}
