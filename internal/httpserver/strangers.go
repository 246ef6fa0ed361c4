package httpserver

import (
	"net/http"
	"sync"
	"time"
)

const (
	maxStrangers  = 1024 // forms of people who are not known yet, at a time
	maxOfStranger = 64   // of them, from an address
)

// strangers are the forms that arrive from people who are not known yet. Each takes the
// memory of a request for as long as it likes to arrive, so there are fewer of them than of
// connections. They are safe for concurrent use.
type strangers struct {
	mu sync.Mutex     // guards the following
	by map[string]int // by address
	n  int
}

// enter adds a form until leave.
func (q *strangers) enter(from string) (leave func(), f *refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n >= maxStrangers || q.by[from] >= maxOfStranger {
		return nil, refused(http.StatusTooManyRequests, "too many forms arrive at once; try again").retry(time.Second)
	}
	if q.by == nil {
		q.by = map[string]int{}
	}
	q.n++
	q.by[from]++
	return sync.OnceFunc(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.n--
		if q.by[from]--; q.by[from] == 0 {
			delete(q.by, from)
		}
	}), nil
}
