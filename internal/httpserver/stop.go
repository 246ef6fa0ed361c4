package httpserver

import (
	"net/http"
	"sync"
	"time"
)

// calls are the calls under way. After stop nobody enters.
type calls struct {
	most   int   // of all callers, with their streams
	caller share // of those who call with a key or a token
	person share // of the addresses of people

	mu      sync.Mutex     // guards the following
	by      map[string]int // by caller
	tenants map[string]int // by tenant
	n       int64
	streams int64 // of them
	stopped bool
	under   map[int64]running // that are under way
	next    int64
	idle    chan struct{} // closed when stopped and n is 0
}

// A share is how many calls may be under way.
type share struct {
	one int // of a caller
	all int // of the callers of a tenant, which may have many keys
}

// A running is a call that is under way.
type running struct {
	stream bool
	end    func() // makes the call end soon; it must not wait
}

// newCalls divides the connections. An eighth of them is for those who connect, for health
// and for metrics. Two tenants leave a quarter to others.
func newCalls(connections int) *calls {
	part := func(eighths int) int { return max(1, connections*eighths/8) }
	return &calls{
		most: part(7), caller: share{part(1), part(3)}, person: share{part(4), part(6)},
		by: map[string]int{}, tenants: map[string]int{}, under: map[int64]running{}, idle: make(chan struct{}),
	}
}

// enter adds a call until leave.
func (q *calls) enter(caller, tenant string, limit share, c running) (leave func(), f *refusal) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.stopped:
		return nil, refused(http.StatusServiceUnavailable, "the server is stopping; try again").retry(time.Second).with("Connection", "close")
	case q.by[caller] >= limit.one:
		return nil, refused(http.StatusTooManyRequests, "%d calls of yours are under way, which is the limit; try again when one has ended", limit.one).retry(time.Second)
	case q.tenants[tenant] >= limit.all:
		return nil, refused(http.StatusTooManyRequests, "%d calls of your tenant are under way, which is the limit; try again when one has ended", limit.all).retry(time.Second)
	case q.n >= int64(q.most):
		return nil, refused(http.StatusServiceUnavailable, "%d calls are under way, which is the limit of this server; try again when one has ended", q.most).retry(time.Second)
	}
	q.n++
	if c.stream {
		q.streams++
	}
	q.by[caller]++
	q.tenants[tenant]++
	q.next++
	number := q.next
	q.under[number] = c
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.under, number)
		if c.stream {
			q.streams--
		}
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

// stop lets nobody enter any more, and ends the streams. It returns how many other calls are
// under way. The channel is closed when all have left.
func (q *calls) stop() (idle <-chan struct{}, others int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.stopped {
		q.stopped = true
		for _, c := range q.under {
			if c.stream {
				c.end()
			}
		}
		if q.n == 0 {
			close(q.idle)
		}
	}
	return q.idle, q.n - q.streams
}

// cut ends all calls that are under way, and returns how many there are.
func (q *calls) cut() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.under {
		c.end()
	}
	return q.n
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
