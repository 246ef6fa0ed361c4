package store

import (
	"context"
	"sync"
)

// Watchers implement [Store.Watch] for a backend that calls Tell after each write. The zero
// value has no watchers and is ready for use. Watchers are safe for concurrent use.
type Watchers struct {
	// Poll looks for writes of other processes and calls Tell for each, until ctx ends. Poll
	// runs in a goroutine while there are watchers. Set Poll before the first call of Watch.
	// nil: there are no other processes.
	Poll func(ctx context.Context)

	mu     sync.Mutex // guards the following
	all    map[chan Owner]struct{}
	closed bool
	stop   context.CancelFunc // ends Poll
	polls  sync.WaitGroup
}

// watchRoom is how many owners wait for a watcher. The last place is for the zero Owner.
const watchRoom = 64

// Watch returns a channel that receives the owners that Tell is called with. The channel is
// closed when ctx ends or Close is called. A slow receiver gets the zero Owner in place of the
// owners for which the channel has no room. Errors: [ErrClosed] after Close.
func (w *Watchers) Watch(ctx context.Context) (<-chan Owner, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, ErrClosed
	}
	if w.all == nil {
		w.all = map[chan Owner]struct{}{}
	}
	if len(w.all) == 0 && w.Poll != nil {
		var poll context.Context
		poll, w.stop = context.WithCancel(context.Background())
		w.polls.Go(func() { w.Poll(poll) })
	}
	c := make(chan Owner, watchRoom)
	w.all[c] = struct{}{}
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.remove(c)
	})
	return c, nil
}

// Tell sends o to all watchers. The zero Owner means that any owner may have written. Tell
// never waits for a watcher.
func (w *Watchers) Tell(o Owner) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.all {
		switch len(c) {
		case watchRoom: // the last one that waits is the zero Owner
		case watchRoom - 1:
			c <- Owner{}
		default:
			c <- o
		}
	}
}

// TellName calls Tell with the owner whose [Owner.String] is name. If there is none, it calls
// Tell with the zero Owner.
func (w *Watchers) TellName(name string) {
	o, _ := ParseOwner(name)
	w.Tell(o)
}

// Close closes all channels and waits for the end of Poll. After Close, Watch returns
// [ErrClosed].
func (w *Watchers) Close() {
	w.mu.Lock()
	w.closed = true
	for c := range w.all {
		w.remove(c)
	}
	w.mu.Unlock()
	w.polls.Wait()
}

// remove closes a channel that is still there. The caller holds w.mu.
func (w *Watchers) remove(c chan Owner) {
	if _, there := w.all[c]; !there {
		return
	}
	delete(w.all, c)
	close(c)
	if len(w.all) == 0 && w.Poll != nil {
		w.stop()
	}
}
