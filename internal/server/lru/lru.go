// Package lru has a map of bounded size. It forgets the key that was used least
// recently.
package lru

import "container/list"

// A Map holds at most a number of keys. It is not safe for concurrent use.
type Map[K comparable, V any] struct {
	most  int
	items map[K]*list.Element // of entry[K, V]
	order list.List           // the key that was used last is at the front
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns an empty map for at most the given number of keys, which is above 0. It
// takes no memory for them yet.
func New[K comparable, V any](most int) *Map[K, V] {
	return &Map[K, V]{most: most, items: map[K]*list.Element{}}
}

// Get returns the value of a key, and counts as a use of the key.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	e, ok := m.items[key]
	if !ok {
		return value, false
	}
	m.order.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// Put sets the value of a key, and counts as a use of the key. If the map is full, it
// forgets another key.
func (m *Map[K, V]) Put(key K, value V) {
	if e, ok := m.items[key]; ok {
		e.Value.(*entry[K, V]).value = value
		m.order.MoveToFront(e)
		return
	}
	if len(m.items) >= m.most {
		m.Delete(m.order.Back().Value.(*entry[K, V]).key)
	}
	m.items[key] = m.order.PushFront(&entry[K, V]{key, value})
}

// Delete forgets a key.
func (m *Map[K, V]) Delete(key K) {
	if e, ok := m.items[key]; ok {
		m.order.Remove(e)
		delete(m.items, key)
	}
}

// Len returns the number of keys.
func (m *Map[K, V]) Len() int { return len(m.items) }
