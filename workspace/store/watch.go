package store

import (
	"context"
	"sync"
)

// Watchers are the channels of [Store.Watch], for a store that learns of writes itself. The
// zero value has none. It is safe for concurrent use.
type Watchers struct {
	mu     sync.Mutex
	all    map[chan Owner]struct{}
	closed bool
}

// watchRoom is how many owners wait for a watcher. The last place is for the zero Owner.
const watchRoom = 64

// Add returns a channel that is told of owners until ctx ends. A slow watcher is told the
// zero Owner in place of those for whom there is no room. first reports whether there was
// no other watcher. Errors: [ErrClosed].
func (w *Watchers) Add(ctx context.Context) (told <-chan Owner, first bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, false, ErrClosed
	}
	c := make(chan Owner, watchRoom)
	if w.all == nil {
		w.all = map[chan Owner]struct{}{}
	}
	first = len(w.all) == 0
	w.all[c] = struct{}{}
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.remove(c)
	})
	return c, first, nil
}

// Tell tells all watchers of an owner, or that any may have written if o is the zero Owner.
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

// Len returns how many watchers there are.
func (w *Watchers) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

// Close closes all channels. Add then returns [ErrClosed].
func (w *Watchers) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for c := range w.all {
		w.remove(c)
	}
}

// remove closes a channel that is still there. The caller holds w.mu.
func (w *Watchers) remove(c chan Owner) {
	if _, there := w.all[c]; there {
		delete(w.all, c)
		close(c)
	}
}
