package memorystores

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/lru"
)

// created knows which stores were made a moment ago. A client whose answer was lost sends
// its request again, and that should not make a second store. The SDK marks such a request
// with a header. If it is the same request of the same caller, it gets the store that it has
// made. It is safe for concurrent use.
type created struct {
	mu     sync.Mutex // guards stores
	stores *lru.Map[[sha256.Size]byte, fresh]
}

// A fresh store has an agent.
type fresh struct {
	agent string
	at    time.Time
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
	q.stores.Put(c.requestHash(), fresh{agent, time.Now()})
}

// again returns the store that an earlier call made if this one repeats it.
func (q *created) again(c *call) (agent string, ok bool) {
	if count := c.r.Header.Get("X-Stainless-Retry-Count"); count == "" || count == "0" {
		return "", false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	s, ok := q.stores.Get(c.requestHash())
	return s.agent, ok && time.Since(s.at) < freshTime
}
