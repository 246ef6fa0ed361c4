package auth

import (
	"sync"

	"github.com/agent-scratchpad/scratchpad/internal/server/lru"
)

// maxKnown is how many keys, tenants and refused credentials a process remembers, of each.
const maxKnown = 8192

// A cache remembers values of the store, and when they were read. It is safe for concurrent
// use.
type cache[K comparable, V any] struct {
	mu    sync.Mutex // guards table
	table *lru.Map[K, known[V]]
}

// known is a value that was read at a moment. The zero value is none.
type known[V any] struct {
	moment
	value V
}

func newCache[K comparable, V any]() *cache[K, V] {
	return &cache[K, V]{table: lru.New[K, known[V]](maxKnown)}
}

// get returns what was known at last of a key, which may not hold any more.
func (c *cache[K, V]) get(k K) known[V] {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, _ := c.table.Get(k)
	return found
}

func (c *cache[K, V]) put(k K, at moment, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.table.Put(k, known[V]{at, v})
}

// load returns the value of a key, which it reads unless it is known at this moment. Errors
// are those of read.
func (c *cache[K, V]) load(k K, now moment, read func() (V, error)) (V, error) {
	if found := c.get(k); found.holds(now) {
		return found.value, nil
	}
	v, err := read()
	if err == nil {
		c.put(k, now, v)
	}
	return v, err
}
