package trie

import "sync/atomic"

// Diff calls yield for each key whose item is not the same pointer in two tries. a or
// b is nil if that trie does not have the key. The order is not specified. The cost
// follows the changes between the two, as Diff passes over the nodes that they share.
//
// The tries must not change meanwhile. A root may be nil.
func Diff[T any, P Item[T]](a, b *Node[T, P], yield func(a, b P)) { diffNodes(a, b, 0, yield) }

func diffNodes[T any, P Item[T]](a, b *Node[T, P], shift uint, yield func(a, b P)) {
	switch {
	case a == b:
		return
	case a == nil:
		b.each(func(item P) { yield(nil, item) })
		return
	case b == nil:
		a.each(func(item P) { yield(item, nil) })
		return
	case shift >= bottom:
		diffCollided(a, b, yield)
		return
	}
	for used := a.itemMap | a.nodeMap | b.itemMap | b.nodeMap; used != 0; used &= used - 1 {
		bit := used & -used
		itemA, itemB := P(slotted(a.items, a.itemMap, bit)), P(slotted(b.items, b.itemMap, bit))
		nodeA, nodeB := slotted(a.nodes, a.nodeMap, bit), slotted(b.nodes, b.nodeMap, bit)
		switch {
		case itemA != nil && nodeB != nil:
			diffItem(itemA, nodeB, yield)
		case nodeA != nil && itemB != nil:
			diffItem(itemB, nodeA, func(b, a P) { yield(a, b) })
		case nodeA != nil || nodeB != nil:
			diffNodes(nodeA, nodeB, shift+bitsPerLevel, yield)
		default:
			diffPair(itemA, itemB, yield)
		}
	}
}

// slotted returns what is in the slot of a bit, nil if there is no such slot.
func slotted[S any](slots []atomic.Pointer[S], bitmap, bit uint32) *S {
	if bitmap&bit == 0 {
		return nil
	}
	return slots[slot(bitmap, bit)].Load()
}

// diffPair compares the items of one slot. One of them may be nil.
func diffPair[T any, P Item[T]](a, b P, yield func(a, b P)) {
	switch {
	case a == b:
	case a != nil && b != nil && a.Key() != b.Key():
		yield(a, nil)
		yield(nil, b)
	default:
		yield(a, b)
	}
}

// diffItem compares an item with the node in the same slot of the other trie.
func diffItem[T any, P Item[T]](a P, b *Node[T, P], yield func(a, b P)) {
	var same P
	b.each(func(item P) {
		if item.Key() == a.Key() {
			same = item
		} else {
			yield(nil, item)
		}
	})
	if a != same {
		yield(a, same)
	}
}

// diffCollided compares two nodes at the bottom.
func diffCollided[T any, P Item[T]](a, b *Node[T, P], yield func(a, b P)) {
	a.each(func(item P) {
		if _, other := b.collided(item.Key()); item != other {
			yield(item, other)
		}
	})
	b.each(func(item P) {
		if _, other := a.collided(item.Key()); other == nil {
			yield(nil, item)
		}
	})
}

// each calls yield for every item below the node.
func (n *Node[T, P]) each(yield func(P)) {
	for i := range n.items {
		yield(n.items[i].Load())
	}
	for i := range n.nodes {
		n.nodes[i].Load().each(yield)
	}
}
