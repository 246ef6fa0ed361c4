// Package trie is a map from strings to items that can be copied in constant time.
// It is a hash trie (Bagwell, Ideal Hash Trees, 2001): the hash of a key, five bits
// a level, leads from node to node down to the item.
//
// A [Trie] and its copies share all nodes that neither has changed. [Diff] passes
// over shared nodes, so comparing two copies costs as much as they differ.
//
// One goroutine at a time may change a Trie. Reading needs no lock: take the
// [Trie.Root] after a change, hand it to the readers through an atomic pointer, and
// look keys up in it.
package trie

import (
	"hash/maphash"
	"sync/atomic"
)

// Item is a pointer to a T that knows its key. The key of an item in a trie must
// not change.
type Item[T any] interface {
	*T
	Key() string
}

// Trie maps the key of each item to the item. The zero value is empty.
type Trie[T any, P Item[T]] struct {
	root  *Node[T, P]
	owner uint64                  // 0 in a new trie, which has no nodes yet
	hash  func(key string) uint64 // nil: hashOf. Tests set others
}

var (
	owners atomic.Uint64
	seed   = maphash.MakeSeed()
)

func hashOf(key string) uint64 { return maphash.String(seed, key) }

// Get returns the item of a key, nil if there is none.
func (t *Trie[T, P]) Get(key string) P { return t.root.get(t.hashed(key), key) }

// Put stores an item in place of the one with the same key.
func (t *Trie[T, P]) Put(item P) {
	if t.owner == 0 {
		t.Detach()
	}
	t.root = t.root.put(t, t.hashed(item.Key()), 0, item)
}

// Remove removes the item of a key, which must be there.
func (t *Trie[T, P]) Remove(key string) { t.root = t.root.remove(t.owner, t.hashed(key), 0, key) }

// Root returns the trie as it is now, for readers. Put may replace items below a
// root that was taken earlier, until the next [Trie.Detach] or [Trie.Copy]. An item
// that was in the trie all the time is found in any root. An empty trie may have
// the root nil.
func (t *Trie[T, P]) Root() *Node[T, P] { return t.root }

// Detach makes later changes go into new nodes. No root that was taken before it
// shows them.
func (t *Trie[T, P]) Detach() { t.owner = owners.Add(1) }

// Copy returns a trie with the same items. Changes of one do not show in the other.
func (t *Trie[T, P]) Copy() Trie[T, P] {
	c := *t
	t.Detach()
	c.Detach()
	return c
}

func (t *Trie[T, P]) hashed(key string) uint64 {
	if t.hash != nil {
		return t.hash(key)
	}
	return hashOf(key)
}
