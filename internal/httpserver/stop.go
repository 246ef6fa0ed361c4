package httpserver

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// calls are the calls under way. After stop nobody enters.
type calls struct {
	most, mostTenant int // of a caller, and of all callers of a tenant

	mu      sync.Mutex     // guards the following
	by      map[string]int // by caller
	tenants map[string]int // by tenant
	n       int64
	stopped bool
	cancel  map[int64]context.CancelFunc // of streams
	next    int64
	idle    chan struct{} // closed when stopped and n is 0
}

// newCalls leaves half of the connections to others than a caller, and a quarter to others
// than a tenant, which may have many keys.
func newCalls(connections int) *calls {
	return &calls{most: max(1, connections/2), mostTenant: max(1, connections-connections/4), by: map[string]int{}, tenants: map[string]int{}, cancel: map[int64]context.CancelFunc{}, idle: make(chan struct{})}
}

// enter adds a call until leave. A stream is ended by a stop.
func (q *calls) enter(caller, tenant string, stream bool, cancel context.CancelFunc) (leave func(), f *refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.stopped:
		return nil, refused(http.StatusServiceUnavailable, "the server is stopping; try again").retry(time.Second).with("Connection", "close")
	case q.by[caller] >= q.most:
		return nil, refused(http.StatusTooManyRequests, "%d calls of yours are under way, which is the limit; try again when one has ended", q.most).retry(time.Second)
	case q.tenants[tenant] >= q.mostTenant:
		return nil, refused(http.StatusTooManyRequests, "%d calls of your tenant are under way, which is the limit; try again when one has ended", q.mostTenant).retry(time.Second)
	}
	q.n++
	q.by[caller]++
	q.tenants[tenant]++
	q.next++
	number := q.next
	if stream {
		q.cancel[number] = cancel
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.cancel, number)
		if q.by[caller]--; q.by[caller] == 0 {
			delete(q.by, caller)
		}
		if q.tenants[tenant]--; q.tenants[tenant] == 0 {
			delete(q.tenants, tenant)
		}
		if q.n--; q.n == 0 && q.stopped {
			close(q.idle)
		}
	}, nil
}

// stop lets nobody enter any more, and ends the streams. The channel is closed when all
// have left.
func (q *calls) stop() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.stopped {
		q.stopped = true
		for _, cancel := range q.cancel {
			cancel()
		}
		if q.n == 0 {
			close(q.idle)
		}
	}
	return q.idle
}

func (q *calls) stopping() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stopped
}

func (q *calls) count() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}
