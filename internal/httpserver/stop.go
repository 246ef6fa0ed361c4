package httpserver

import (
	"context"
	"sync"
)

// calls are the calls under way. After stop nobody enters.
type calls struct {
	mu      sync.Mutex // guards the following
	n       int64
	stopped bool
	cancel  map[int64]context.CancelFunc // of streams
	next    int64
	idle    chan struct{} // closed when stopped and n is 0
}

func newCalls() *calls {
	return &calls{cancel: map[int64]context.CancelFunc{}, idle: make(chan struct{})}
}

// enter adds a call until leave. A stream is ended by a stop.
func (q *calls) enter(stream bool, cancel context.CancelFunc) (leave func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped {
		return nil, false
	}
	q.n++
	q.next++
	number := q.next
	if stream {
		q.cancel[number] = cancel
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.cancel, number)
		if q.n--; q.n == 0 && q.stopped {
			close(q.idle)
		}
	}, true
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
