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
	feeds   map[chan string]func(K) (string, bool)
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
	c := make(chan struct{}, 1)
	leave, err = h.join(ctx, func(s *subscription[K]) {
		if s.waiting[k] == nil {
			s.waiting[k] = map[chan struct{}]struct{}{}
		}
		s.waiting[k][c] = struct{}{}
	}, func(s *subscription[K]) {
		if delete(s.waiting[k], c); len(s.waiting[k]) == 0 {
			delete(s.waiting, k)
		}
	})
	return c, leave, err
}

// feedRoom is how many names wait for the reader of a feed. The last place is for "".
const feedRoom = 64

// Feed returns a channel that tells the name of each key after a change of it, until ctx
// ends. name returns it, or false for a key that is not to be told; it must not block. The
// zero key is told as "", and so are those for whom there is no room, because the reader is
// slow. The channel is closed when ctx ends, or the subscription. The error is that of
// subscribe, or of ctx.
func (h *Hub[K]) Feed(ctx context.Context, name func(K) (string, bool)) (<-chan string, error) {
	c := make(chan string, feedRoom)
	leave, err := h.join(ctx, func(s *subscription[K]) { s.feeds[c] = name }, func(s *subscription[K]) {
		if _, there := s.feeds[c]; there {
			delete(s.feeds, c)
			close(c)
		}
	})
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, leave)
	return c, nil
}

// join adds somebody who waits to the subscription, and waits until it has begun. leave
// removes them.
func (h *Hub[K]) join(ctx context.Context, add, remove func(*subscription[K])) (leave func(), err error) {
	h.mu.Lock()
	s := h.current
	if s == nil {
		s = h.begin()
	}
	add(s)
	s.users++
	h.mu.Unlock()
	leave = sync.OnceFunc(func() { h.leave(s, remove) })
	select {
	case <-s.ready:
		err = s.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// begin begins a subscription. The caller holds h.mu.
func (h *Hub[K]) begin() *subscription[K] {
	ctx, cancel := context.WithCancel(context.Background())
	s := &subscription[K]{cancel: cancel, waiting: map[K]map[chan struct{}]struct{}{},
		feeds: map[chan string]func(K) (string, bool){}, ready: make(chan struct{})}
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
	for c, name := range s.feeds {
		if k == all {
			tell(c, "")
		} else if told, ok := name(k); ok {
			tell(c, told)
		}
	}
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

// tell tells a feed a name.
func tell(c chan string, name string) {
	switch len(c) {
	case feedRoom: // the last one that waits is ""
	case feedRoom - 1:
		c <- ""
	default:
		c <- name
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
	for c := range s.feeds {
		close(c)
	}
	s.waiting, s.feeds = nil, nil
	s.cancel()
}

func (h *Hub[K]) leave(s *subscription[K], remove func(*subscription[K])) {
	h.mu.Lock()
	defer h.mu.Unlock()
	remove(s)
	if s.users--; s.users > 0 {
		return
	}
	s.cancel()
	if h.current == s {
		h.current = nil
	}
}
