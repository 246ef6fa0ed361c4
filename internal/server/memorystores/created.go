package memorystores

import (
	"crypto/sha256"
	"strconv"
	"sync"
	"time"
)

// created knows which stores were made a moment ago. A client whose answer was lost sends
// its request again, and that should not make a second store. The SDK marks such a request
// with a header. If it is the same request of the same caller, it gets the store that it has
// made, unless somebody has used the store since. The zero created is empty. It is safe for
// concurrent use.
type created struct {
	mu     sync.Mutex // guards the following
	stores map[[sha256.Size]byte]fresh
}

type fresh struct {
	tenant, agent string
	at            time.Time
}

const (
	freshTime = time.Minute
	maxFresh  = 1024
)

func (c *call) requestHash() [sha256.Size]byte {
	return sha256.Sum256(append([]byte(c.caller.ID+"\x00"), c.body...))
}

// add notes the store that a call has made.
func (q *created) add(c *call, agent string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stores == nil || len(q.stores) >= maxFresh {
		q.stores = map[[sha256.Size]byte]fresh{}
	}
	q.stores[c.requestHash()] = fresh{c.caller.Tenant, agent, time.Now()}
}

// again returns the store that an earlier call made if this one repeats it.
func (q *created) again(c *call) (agent string, ok bool) {
	if n, err := strconv.Atoi(c.r.Header.Get("X-Stainless-Retry-Count")); err != nil || n < 1 {
		return "", false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	s, ok := q.stores[c.requestHash()]
	return s.agent, ok && time.Since(s.at) < freshTime
}

// used forgets the store that a call uses.
func (q *created) used(c *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for hash, s := range q.stores {
		if s.agent == c.agent && s.tenant == c.caller.Tenant {
			delete(q.stores, hash)
		}
	}
}
