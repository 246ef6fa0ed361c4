package trie

import (
	"math/bits"
	"sync/atomic"
)

// Node is a node of a trie with everything below it. It is safe for concurrent use.
//
// A trie changes the slots of its own nodes in place, each by one atomic store, so
// that readers need no lock. It copies any other node before it changes one of its
// slots. Adding or removing a slot always makes a new node.
type Node[T any, P Item[T]] struct {
	owner            uint64 // only the trie with this owner may change the slots
	itemMap, nodeMap uint32
	items            []atomic.Pointer[T] // at the bottom: all items with the same hash
	nodes            []atomic.Pointer[Node[T, P]]
}

const (
	bitsPerLevel = 5
	bottom       = 65 // the shift at which the hash has no bits left
)

func slotBit(hash uint64, shift uint) uint32 { return 1 << (hash >> shift & (1<<bitsPerLevel - 1)) }

func slot(bitmap, bit uint32) int { return bits.OnesCount32(bitmap & (bit - 1)) }

// Get returns the item of a key, nil if there is none. n may be nil.
func (n *Node[T, P]) Get(key string) P { return n.get(hashOf(key), key) }

func (n *Node[T, P]) get(hash uint64, key string) P {
	for shift := uint(0); n != nil; shift += bitsPerLevel {
		if shift >= bottom {
			_, item := n.collided(key)
			return item
		}
		bit := slotBit(hash, shift)
		if n.itemMap&bit != 0 {
			if item := P(n.items[slot(n.itemMap, bit)].Load()); item.Key() == key {
				return item
			}
			return nil
		}
		if n.nodeMap&bit == 0 {
			return nil
		}
		n = n.nodes[slot(n.nodeMap, bit)].Load()
	}
	return nil
}

// collided finds a key at the bottom.
func (n *Node[T, P]) collided(key string) (int, P) {
	for i := range n.items {
		if item := P(n.items[i].Load()); item.Key() == key {
			return i, item
		}
	}
	return -1, nil
}

// put returns the node with an item in place of the one that had its key. n may be nil.
func (n *Node[T, P]) put(t *Trie[T, P], hash uint64, shift uint, item P) *Node[T, P] {
	if n == nil {
		n = &Node[T, P]{owner: t.owner}
	}
	if shift >= bottom {
		if i, _ := n.collided(item.Key()); i >= 0 {
			return n.setItem(t.owner, i, item)
		}
		return &Node[T, P]{owner: t.owner, items: inserted(n.items, len(n.items), item)}
	}
	bit := slotBit(hash, shift)
	switch {
	case n.nodeMap&bit != 0:
		i := slot(n.nodeMap, bit)
		child := n.nodes[i].Load()
		return n.setNode(t.owner, i, child.put(t, hash, shift+bitsPerLevel, item))
	case n.itemMap&bit == 0:
		return &Node[T, P]{
			owner: t.owner, itemMap: n.itemMap | bit, nodeMap: n.nodeMap,
			items: inserted(n.items, slot(n.itemMap, bit), item), nodes: slotsFor(t.owner, n.owner, n.nodes),
		}
	}
	i := slot(n.itemMap, bit)
	have := P(n.items[i].Load())
	if have.Key() == item.Key() {
		return n.setItem(t.owner, i, item)
	}
	var child *Node[T, P]
	child = child.put(t, t.hashed(have.Key()), shift+bitsPerLevel, have)
	child = child.put(t, hash, shift+bitsPerLevel, item)
	return &Node[T, P]{
		owner: t.owner, itemMap: n.itemMap &^ bit, nodeMap: n.nodeMap | bit,
		items: removed(n.items, i), nodes: inserted(n.nodes, slot(n.nodeMap, bit), child),
	}
}

// remove returns the node without a key that it has, nil if nothing is left.
func (n *Node[T, P]) remove(owner uint64, hash uint64, shift uint, key string) *Node[T, P] {
	if shift >= bottom {
		i, _ := n.collided(key)
		if len(n.items) == 1 {
			return nil
		}
		return &Node[T, P]{owner: owner, items: removed(n.items, i)}
	}
	bit := slotBit(hash, shift)
	if n.itemMap&bit != 0 {
		if len(n.items)+len(n.nodes) == 1 {
			return nil
		}
		return &Node[T, P]{
			owner: owner, itemMap: n.itemMap &^ bit, nodeMap: n.nodeMap,
			items: removed(n.items, slot(n.itemMap, bit)), nodes: slotsFor(owner, n.owner, n.nodes),
		}
	}
	i := slot(n.nodeMap, bit)
	child := n.nodes[i].Load().remove(owner, hash, shift+bitsPerLevel, key)
	switch {
	case child != nil && len(child.items) == 1 && len(child.nodes) == 0:
		return &Node[T, P]{ // one item needs no node of its own
			owner: owner, itemMap: n.itemMap | bit, nodeMap: n.nodeMap &^ bit,
			items: inserted(n.items, slot(n.itemMap, bit), child.items[0].Load()), nodes: removed(n.nodes, i),
		}
	case child != nil:
		return n.setNode(owner, i, child)
	case len(n.items)+len(n.nodes) == 1:
		return nil
	}
	return &Node[T, P]{
		owner: owner, itemMap: n.itemMap, nodeMap: n.nodeMap &^ bit,
		items: slotsFor(owner, n.owner, n.items), nodes: removed(n.nodes, i),
	}
}

// setItem replaces the item in a slot. It returns n, or a copy if n is not the owner's.
func (n *Node[T, P]) setItem(owner uint64, i int, item P) *Node[T, P] {
	n = n.own(owner)
	n.items[i].Store(item)
	return n
}

func (n *Node[T, P]) setNode(owner uint64, i int, child *Node[T, P]) *Node[T, P] {
	if n.nodes[i].Load() == child {
		return n
	}
	n = n.own(owner)
	n.nodes[i].Store(child)
	return n
}

// own returns n, or a copy that the owner may change.
func (n *Node[T, P]) own(owner uint64) *Node[T, P] {
	if n.owner == owner {
		return n
	}
	return &Node[T, P]{owner: owner, itemMap: n.itemMap, nodeMap: n.nodeMap, items: cloned(n.items),
		nodes: cloned(n.nodes)}
}

// slotsFor returns the slots for a new node of the owner. It copies the slots of a
// node that the owner may not change.
func slotsFor[S any](owner, had uint64, s []atomic.Pointer[S]) []atomic.Pointer[S] {
	if had == owner {
		return s
	}
	return cloned(s)
}

func cloned[S any](s []atomic.Pointer[S]) []atomic.Pointer[S] {
	c := make([]atomic.Pointer[S], len(s))
	for i := range s {
		c[i].Store(s[i].Load())
	}
	return c
}

// inserted returns a copy of the slots with one more.
func inserted[S any](s []atomic.Pointer[S], at int, v *S) []atomic.Pointer[S] {
	c := make([]atomic.Pointer[S], len(s)+1)
	for i := range s {
		to := i
		if i >= at {
			to++
		}
		c[to].Store(s[i].Load())
	}
	c[at].Store(v)
	return c
}

// removed returns a copy of the slots without one.
func removed[S any](s []atomic.Pointer[S], at int) []atomic.Pointer[S] {
	c := make([]atomic.Pointer[S], 0, len(s)-1)[:len(s)-1]
	for i := range c {
		from := i
		if i >= at {
			from++
		}
		c[i].Store(s[from].Load())
	}
	return c
}
