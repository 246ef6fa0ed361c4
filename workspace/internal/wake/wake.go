// Package wake shares one subscription among all who wait for changes.
package wake

import (
	"context"
	"sync"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Hub wakes those who wait for changes of an owner. It subscribes while anybody waits. It
// is safe for concurrent use.
type Hub struct {
	subscribe func(context.Context) (<-chan store.Owner, error)

	mu      sync.Mutex    // guards the following
	current *subscription // nil: nobody waits
}

// A subscription is guarded by the mutex of its hub.
type subscription struct {
	cancel  context.CancelFunc
	waiting map[store.Owner]map[chan struct{}]struct{}
	feeds   map[chan string]func(store.Owner) (string, bool)
	users   int
	ready   chan struct{} // closed when it has begun, or err is set
	err     error
}

// NewHub returns a Hub. subscribe returns a channel that tells owners until its
// context ends. The zero Owner stands for all of them.
func NewHub(subscribe func(context.Context) (<-chan store.Owner, error)) *Hub {
	return &Hub{subscribe: subscribe}
}

// Join returns a channel that has a value after a change of an owner, until leave is called.
// Several changes may be one value. The channel is closed if the subscription ends before.
// The error is that of subscribe, or of ctx, which holds for Join alone.
func (h *Hub) Join(ctx context.Context, k store.Owner) (woken <-chan struct{}, leave func(), err error) {
	c := make(chan struct{}, 1)
	leave, err = h.join(ctx, func(s *subscription) {
		if s.waiting[k] == nil {
			s.waiting[k] = map[chan struct{}]struct{}{}
		}
		s.waiting[k][c] = struct{}{}
	}, func(s *subscription) {
		if delete(s.waiting[k], c); len(s.waiting[k]) == 0 {
			delete(s.waiting, k)
		}
	})
	return c, leave, err
}

// feedRoom is how many names wait for the reader of a feed. The last place is for "".
const feedRoom = 64

// Feed returns a channel that tells the name of each owner after a change, until ctx
// ends. name returns it, or false for an owner who is not to be told; it must not block. The
// zero Owner is told as "", and so are those for whom there is no room, because the reader is
// slow. The channel is closed when ctx ends, or the subscription. The error is that of
// subscribe, or of ctx.
func (h *Hub) Feed(ctx context.Context, name func(store.Owner) (string, bool)) (<-chan string, error) {
	c := make(chan string, feedRoom)
	leave, err := h.join(ctx, func(s *subscription) { s.feeds[c] = name }, func(s *subscription) {
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
func (h *Hub) join(ctx context.Context, add, remove func(*subscription)) (leave func(), err error) {
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
func (h *Hub) begin() *subscription {
	ctx, cancel := context.WithCancel(context.Background())
	s := &subscription{cancel: cancel, waiting: map[store.Owner]map[chan struct{}]struct{}{},
		feeds: map[chan string]func(store.Owner) (string, bool){}, ready: make(chan struct{})}
	h.current = s
	go h.run(ctx, s)
	return s
}

// run wakes those who wait until the subscription ends.
func (h *Hub) run(ctx context.Context, s *subscription) {
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

func (h *Hub) wake(s *subscription, k store.Owner) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all store.Owner
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
func (h *Hub) end(s *subscription) {
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

func (h *Hub) leave(s *subscription, remove func(*subscription)) {
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
