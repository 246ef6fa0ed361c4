package pad

import (
	"math/bits"
	"sync/atomic"
)

// trie is the root of a hash trie from key to entry, and who may change it.
type trie struct {
	root  *node
	epoch uint64
	hash  func(key string) uint64
}

func (t *trie) get(key string) *entry { return t.root.get(t.hash(key), key) }
func (t *trie) put(e *entry)          { t.root = t.root.put(t, t.hash(e.key), 0, e) }

// remove removes a key that is there.
func (t *trie) remove(key string) { t.root = t.root.remove(t, t.hash(key), 0, key) }

// node is a node of a hash trie (Bagwell, Ideal hash trees, 2001) whose leaves
// are entries. A node that belongs to the epoch of the store that changes it gets
// its slots changed in place, each by one atomic store, so that readers need no
// lock; any other is copied. What adds or removes a slot always makes a new node.
type node struct {
	epoch             uint64 // only the store in this epoch may change the slots
	entryMap, nodeMap uint32
	entries           []atomic.Pointer[entry] // at the bottom: all whose hash is the same
	nodes             []atomic.Pointer[node]
}

const (
	bitsPerLevel = 5
	bottom       = 65 // the shift at which the hash has no bits left
)

func slotBit(hash uint64, shift uint) uint32 { return 1 << (hash >> shift & (1<<bitsPerLevel - 1)) }

func slot(bitmap, bit uint32) int { return bits.OnesCount32(bitmap & (bit - 1)) }

// get returns the entry of a key, nil if there is none. n may be nil.
func (n *node) get(hash uint64, key string) *entry {
	for shift := uint(0); n != nil; shift += bitsPerLevel {
		if shift >= bottom {
			_, e := n.collided(key)
			return e
		}
		bit := slotBit(hash, shift)
		if n.entryMap&bit != 0 {
			if e := n.entries[slot(n.entryMap, bit)].Load(); e.key == key {
				return e
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

func (n *node) collided(key string) (int, *entry) {
	for i := range n.entries {
		if e := n.entries[i].Load(); e.key == key {
			return i, e
		}
	}
	return -1, nil
}

// put returns the trie with an entry in place of the one that had its key.
func (n *node) put(t *trie, hash uint64, shift uint, e *entry) *node {
	if n == nil {
		n = &node{epoch: t.epoch}
	}
	if shift >= bottom {
		if i, _ := n.collided(e.key); i >= 0 {
			return n.setEntry(t.epoch, i, e)
		}
		return &node{epoch: t.epoch, entries: inserted(n.entries, len(n.entries), e)}
	}
	bit := slotBit(hash, shift)
	switch {
	case n.nodeMap&bit != 0:
		i := slot(n.nodeMap, bit)
		child := n.nodes[i].Load()
		return n.setNode(t.epoch, i, child.put(t, hash, shift+bitsPerLevel, e))
	case n.entryMap&bit == 0:
		return &node{
			epoch: t.epoch, entryMap: n.entryMap | bit, nodeMap: n.nodeMap,
			entries: inserted(n.entries, slot(n.entryMap, bit), e), nodes: ownSlots(n, t.epoch, n.nodes),
		}
	}
	i := slot(n.entryMap, bit)
	have := n.entries[i].Load()
	if have.key == e.key {
		return n.setEntry(t.epoch, i, e)
	}
	var child *node
	child = child.put(t, t.hash(have.key), shift+bitsPerLevel, have)
	child = child.put(t, hash, shift+bitsPerLevel, e)
	return &node{
		epoch: t.epoch, entryMap: n.entryMap &^ bit, nodeMap: n.nodeMap | bit,
		entries: removed(n.entries, i), nodes: inserted(n.nodes, slot(n.nodeMap, bit), child),
	}
}

// remove returns the trie without a key that it has, nil if nothing is left.
func (n *node) remove(t *trie, hash uint64, shift uint, key string) *node {
	if shift >= bottom {
		i, _ := n.collided(key)
		if len(n.entries) == 1 {
			return nil
		}
		return &node{epoch: t.epoch, entries: removed(n.entries, i)}
	}
	bit := slotBit(hash, shift)
	if n.entryMap&bit != 0 {
		if len(n.entries)+len(n.nodes) == 1 {
			return nil
		}
		return &node{
			epoch: t.epoch, entryMap: n.entryMap &^ bit, nodeMap: n.nodeMap,
			entries: removed(n.entries, slot(n.entryMap, bit)), nodes: ownSlots(n, t.epoch, n.nodes),
		}
	}
	i := slot(n.nodeMap, bit)
	child := n.nodes[i].Load().remove(t, hash, shift+bitsPerLevel, key)
	switch {
	case child != nil && len(child.entries) == 1 && len(child.nodes) == 0:
		return &node{ // an entry alone needs no node
			epoch: t.epoch, entryMap: n.entryMap | bit, nodeMap: n.nodeMap &^ bit,
			entries: inserted(n.entries, slot(n.entryMap, bit), child.entries[0].Load()), nodes: removed(n.nodes, i),
		}
	case child != nil:
		return n.setNode(t.epoch, i, child)
	case len(n.entries)+len(n.nodes) == 1:
		return nil
	}
	return &node{
		epoch: t.epoch, entryMap: n.entryMap, nodeMap: n.nodeMap &^ bit,
		entries: ownSlots(n, t.epoch, n.entries), nodes: removed(n.nodes, i),
	}
}

// setEntry changes a slot, in a copy where the node is not the epoch's own.
func (n *node) setEntry(epoch uint64, i int, e *entry) *node {
	n = n.own(epoch)
	n.entries[i].Store(e)
	return n
}

func (n *node) setNode(epoch uint64, i int, child *node) *node {
	if n.nodes[i].Load() == child {
		return n
	}
	n = n.own(epoch)
	n.nodes[i].Store(child)
	return n
}

func (n *node) own(epoch uint64) *node {
	if n.epoch == epoch {
		return n
	}
	return &node{epoch: epoch, entryMap: n.entryMap, nodeMap: n.nodeMap, entries: cloned(n.entries), nodes: cloned(n.nodes)}
}

// ownSlots returns slots of n that a node of the epoch may have: what stands in a
// snapshot must not be changed through them.
func ownSlots[T any](n *node, epoch uint64, s []atomic.Pointer[T]) []atomic.Pointer[T] {
	if n.epoch == epoch {
		return s
	}
	return cloned(s)
}

func cloned[T any](s []atomic.Pointer[T]) []atomic.Pointer[T] {
	c := make([]atomic.Pointer[T], len(s))
	for i := range s {
		c[i].Store(s[i].Load())
	}
	return c
}

func inserted[T any](s []atomic.Pointer[T], at int, v *T) []atomic.Pointer[T] {
	c := make([]atomic.Pointer[T], len(s)+1)
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

func removed[T any](s []atomic.Pointer[T], at int) []atomic.Pointer[T] {
	c := make([]atomic.Pointer[T], 0, len(s)-1)[:len(s)-1]
	for i := range c {
		from := i
		if i >= at {
			from++
		}
		c[i].Store(s[from].Load())
	}
	return c
}
