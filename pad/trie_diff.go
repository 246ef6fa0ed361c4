package pad

import "sync/atomic"

// diffTries calls yield with each pair of entries of one key that are not the
// same in two tries, nil where one has none. It passes over what they share, so
// that the cost follows the changes between them. Both hash alike, and neither
// changes meanwhile; a and b may be nil.
func diffTries(a, b *node, yield func(a, b *entry)) { diffNodes(a, b, 0, yield) }

func diffNodes(a, b *node, shift uint, yield func(a, b *entry)) {
	switch {
	case a == b:
		return
	case a == nil:
		b.each(func(e *entry) { yield(nil, e) })
		return
	case b == nil:
		a.each(func(e *entry) { yield(e, nil) })
		return
	case shift >= bottom:
		diffCollided(a, b, yield)
		return
	}
	for used := a.entryMap | a.nodeMap | b.entryMap | b.nodeMap; used != 0; used &= used - 1 {
		bit := used & -used
		ea, eb := slotted(a.entries, a.entryMap, bit), slotted(b.entries, b.entryMap, bit)
		na, nb := slotted(a.nodes, a.nodeMap, bit), slotted(b.nodes, b.nodeMap, bit)
		switch {
		case ea != nil && nb != nil:
			diffEntry(ea, nb, yield)
		case na != nil && eb != nil:
			diffEntry(eb, na, func(b, a *entry) { yield(a, b) })
		case na != nil || nb != nil:
			diffNodes(na, nb, shift+bitsPerLevel, yield)
		default:
			diffPair(ea, eb, yield)
		}
	}
}

func slotted[T any](slots []atomic.Pointer[T], bitmap, bit uint32) *T {
	if bitmap&bit == 0 {
		return nil
	}
	return slots[slot(bitmap, bit)].Load()
}

// diffPair compares two entries in the same place, of which one may be nil.
func diffPair(a, b *entry, yield func(a, b *entry)) {
	switch {
	case a == b:
	case a != nil && b != nil && a.key != b.key:
		yield(a, nil)
		yield(nil, b)
	default:
		yield(a, b)
	}
}

// diffEntry compares an entry with a node that stands in its place.
func diffEntry(a *entry, b *node, yield func(a, b *entry)) {
	var same *entry
	b.each(func(e *entry) {
		if e.key == a.key {
			same = e
		} else {
			yield(nil, e)
		}
	})
	if a != same {
		yield(a, same)
	}
}

// diffCollided compares nodes whose entries all have the same hash.
func diffCollided(a, b *node, yield func(a, b *entry)) {
	a.each(func(e *entry) {
		if _, other := b.collided(e.key); e != other {
			yield(e, other)
		}
	})
	b.each(func(e *entry) {
		if _, other := a.collided(e.key); other == nil {
			yield(nil, e)
		}
	})
}

func (n *node) each(yield func(*entry)) {
	for i := range n.entries {
		yield(n.entries[i].Load())
	}
	for i := range n.nodes {
		n.nodes[i].Load().each(yield)
	}
}
