// Package lru keeps the values that were used last. The usual libraries for it either have
// a licence that a release may not contain, or take the memory of a full cache at once.
package lru

import "container/list"

// A Cache keeps at most so many values, under keys. When it is full, a new value takes the
// place of the one that was used longest ago. It is not safe for concurrent use.
type Cache[K comparable, V any] struct {
	most  int
	byKey map[K]*list.Element // of *entry[K, V]
	used  list.List           // the one that was used last first
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns a Cache of at most so many values, one at least.
func New[K comparable, V any](most int) *Cache[K, V] {
	return &Cache[K, V]{most: max(1, most), byKey: map[K]*list.Element{}}
}

// Get returns the value of a key, and counts as a use of it.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	e := c.byKey[key]
	if e == nil {
		return value, false
	}
	c.used.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// Add sets the value of a key, and counts as a use of it.
func (c *Cache[K, V]) Add(key K, value V) {
	if e := c.byKey[key]; e != nil {
		e.Value.(*entry[K, V]).value = value
		c.used.MoveToFront(e)
		return
	}
	if len(c.byKey) >= c.most {
		c.remove(c.used.Back())
	}
	c.byKey[key] = c.used.PushFront(&entry[K, V]{key, value})
}

// Remove forgets a key.
func (c *Cache[K, V]) Remove(key K) {
	if e := c.byKey[key]; e != nil {
		c.remove(e)
	}
}

func (c *Cache[K, V]) remove(e *list.Element) {
	delete(c.byKey, e.Value.(*entry[K, V]).key)
	c.used.Remove(e)
}

// Len returns how many values there are.
func (c *Cache[K, V]) Len() int { return len(c.byKey) }
