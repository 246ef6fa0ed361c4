// Package wake shares one subscription among all who wait for changes.
package wake

import (
	"context"
	"sync"
)

// A Hub wakes those who wait for changes of a key. It subscribes while anybody waits. It
// is safe for concurrent use.
type Hub[K comparable] struct {
	subscribe func(context.Context) (<-chan K, error)

	mu      sync.Mutex       // guards the following
	current *subscription[K] // nil: nobody waits
}

// A subscription is guarded by the mutex of its hub.
type subscription[K comparable] struct {
	cancel  context.CancelFunc
	waiting map[K]map[chan struct{}]struct{}
	users   int
	ready   chan struct{} // closed when it has begun, or err is set
	err     error
}

// NewHub returns a Hub. subscribe returns a channel that tells keys until its context
// ends. The zero key stands for all keys.
func NewHub[K comparable](subscribe func(context.Context) (<-chan K, error)) *Hub[K] {
	return &Hub[K]{subscribe: subscribe}
}

// Join returns a channel that has a value after a change of a key, until leave is called.
// Several changes may be one value. The channel is closed if the subscription ends before.
// The error is that of subscribe, or of ctx, which holds for Join alone.
func (h *Hub[K]) Join(ctx context.Context, k K) (woken <-chan struct{}, leave func(), err error) {
	h.mu.Lock()
	s := h.current
	if s == nil {
		s = h.begin()
	}
	c := make(chan struct{}, 1)
	if s.waiting[k] == nil {
		s.waiting[k] = map[chan struct{}]struct{}{}
	}
	s.waiting[k][c] = struct{}{}
	s.users++
	h.mu.Unlock()
	leave = sync.OnceFunc(func() { h.leave(s, k, c) })
	select {
	case <-s.ready:
		err = s.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		leave()
		return nil, nil, err
	}
	return c, leave, nil
}

// begin begins a subscription. The caller holds h.mu.
func (h *Hub[K]) begin() *subscription[K] {
	ctx, cancel := context.WithCancel(context.Background())
	s := &subscription[K]{cancel: cancel, waiting: map[K]map[chan struct{}]struct{}{}, ready: make(chan struct{})}
	h.current = s
	go h.run(ctx, s)
	return s
}

// run wakes those who wait until the subscription ends.
func (h *Hub[K]) run(ctx context.Context, s *subscription[K]) {
	told, err := h.subscribe(ctx)
	s.err = err
	close(s.ready)
	if err == nil {
		for k := range told {
			h.wake(s, k)
		}
	}
	h.end(s)
}

func (h *Hub[K]) wake(s *subscription[K], k K) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all K
	if k != all {
		wakeEach(s.waiting[k])
		return
	}
	for _, waiting := range s.waiting {
		wakeEach(waiting)
	}
}

func wakeEach(waiting map[chan struct{}]struct{}) {
	for c := range waiting {
		select {
		case c <- struct{}{}:
		default: // it has not taken the last value yet
		}
	}
}

// end closes the channels of those who still wait.
func (h *Hub[K]) end(s *subscription[K]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current == s {
		h.current = nil
	}
	for _, waiting := range s.waiting {
		for c := range waiting {
			close(c)
		}
	}
	s.waiting = nil
	s.cancel()
}

func (h *Hub[K]) leave(s *subscription[K], k K, c chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if delete(s.waiting[k], c); len(s.waiting[k]) == 0 {
		delete(s.waiting, k)
	}
	if s.users--; s.users > 0 {
		return
	}
	s.cancel()
	if h.current == s {
		h.current = nil
	}
}
