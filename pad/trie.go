package pad

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// A node is a map from keys to entries: a hash trie (Bagwell, Ideal Hash Trees, 2001). A
// node never changes. A change of an entry makes new nodes on the way to it, and shares
// the others. So readers need no lock, and comparing two tries costs as much as they differ.
// The zero value is empty.
type node struct {
	bitmap uint32
	slots  []slot // one for each bit that is set
}

// A slot has an entry, or a node with two entries at least.
type slot struct {
	entry *entry
	below *node
}

var hashSeed = maphash.MakeSeed()

func hashOf(key string) uint64 { return maphash.String(hashSeed, key) }

// hashBits is how many bits of the hash are used, five at each depth. Below that depth, keys
// with the same hash differ in their bytes.
const hashBits = 60

// bit returns the bit of a key in the bitmap of a node at some depth.
func bit(key string, hash uint64, depth int) uint32 {
	if depth*5 < hashBits {
		return 1 << (hash >> (depth * 5) & 31)
	}
	half := depth - hashBits/5
	if half/2 >= len(key) {
		return 1
	}
	return 2 << (key[half/2] >> (half % 2 * 4) & 15)
}

// find returns where the slot of a bit is, and whether there is one.
func (n *node) find(bit uint32) (i int, found bool) {
	return bits.OnesCount32(n.bitmap & (bit - 1)), n.bitmap&bit != 0
}

// get returns the entry of a key, nil if there is none.
func (n *node) get(key string) *entry { return n.getHashed(key, hashOf(key)) }

func (n *node) getHashed(key string, hash uint64) *entry {
	for depth := 0; ; depth++ {
		i, found := n.find(bit(key, hash, depth))
		if !found {
			return nil
		}
		s := &n.slots[i]
		if s.below == nil {
			if s.entry.key == key {
				return s.entry
			}
			return nil
		}
		n = s.below
	}
}

// with returns the node with an entry in place of the one that had its key.
func (n *node) with(e *entry, depth int) *node {
	bit := bit(e.key, e.hash, depth)
	i, found := n.find(bit)
	if !found {
		return &node{n.bitmap | bit, slices.Concat(n.slots[:i], []slot{{entry: e}}, n.slots[i:])}
	}
	s := n.slots[i]
	switch {
	case s.below != nil:
		s.below = s.below.with(e, depth+1)
	case s.entry.key == e.key:
		s.entry = e
	default:
		s = slot{below: new(node).with(s.entry, depth+1).with(e, depth+1)}
	}
	return n.replaced(i, s)
}

// without returns the node without an entry that it has.
func (n *node) without(e *entry, depth int) *node {
	bit := bit(e.key, e.hash, depth)
	i, _ := n.find(bit)
	below := n.slots[i].below
	if below == nil {
		return &node{n.bitmap &^ bit, slices.Concat(n.slots[:i], n.slots[i+1:])}
	}
	below = below.without(e, depth+1)
	if len(below.slots) == 1 && below.slots[0].below == nil {
		return n.replaced(i, below.slots[0]) // one entry needs no node of its own
	}
	return n.replaced(i, slot{below: below})
}

func (n *node) replaced(i int, s slot) *node {
	c := &node{n.bitmap, slices.Clone(n.slots)}
	c.slots[i] = s
	return c
}

// differences calls yield with the entries of two tries that are not the same in both, and
// with some that are.
func differences(a, b *node, yield func(*entry)) {
	if a == b {
		return
	}
	for used := a.bitmap | b.bitmap; used != 0; used &= used - 1 {
		x, y := a.at(used&-used), b.at(used&-used)
		switch {
		case x == y:
		case x.below != nil && y.below != nil:
			differences(x.below, y.below, yield)
		default:
			x.each(yield)
			y.each(yield)
		}
	}
}

// at returns the slot of a bit, which is empty if there is none.
func (n *node) at(bit uint32) slot {
	if i, found := n.find(bit); found {
		return n.slots[i]
	}
	return slot{}
}

func (s slot) each(yield func(*entry)) {
	if s.entry != nil {
		yield(s.entry)
	}
	if s.below != nil {
		for _, each := range s.below.slots {
			each.each(yield)
		}
	}
}
