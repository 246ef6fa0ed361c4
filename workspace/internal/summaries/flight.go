package summaries

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
)

// flights are the summaries that this process is making, by ID. The zero
// value has none.
type flights[R any] struct {
	mu  sync.Mutex // guards all, and the fields of each flight that say so
	all map[string]*flight[R]
}

// A flight makes one summary for all callers of this process.
type flight[R any] struct {
	ctx    context.Context // ends after MaxTime, in Close, or when all have left an unpaid flight
	cancel context.CancelFunc
	ended  chan struct{} // closed once outcome is set
	outcome[R]

	// Guarded by flights.mu.
	waiting     map[chan struct{}]bool // one channel a caller, for news of progress
	paid        bool
	done, total int // the progress, in parts of the work
}

// outcome is how a flight ended.
type outcome[R any] struct {
	result   R
	err      error
	returned bool // neither a panic nor runtime.Goexit ended the flight
	panicked bool
	value    any // of the panic
}

// answer returns the result, or ends the caller's goroutine as the flight's ended.
func (o *outcome[R]) answer() (R, error) {
	switch {
	case o.returned:
		return o.result, o.err
	case o.panicked:
		panic(o.value)
	}
	runtime.Goexit()
	return o.result, nil
}

// join adds a caller to the flight under a key, and makes the flight if there is
// none; first: the caller has to start it.
func (fs *flights[R]) join(ctx context.Context, key string, news chan struct{}) (f *flight[R], first bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f, ok := fs.all[key]
	if !ok {
		f = &flight[R]{ended: make(chan struct{}), waiting: make(map[chan struct{}]bool)}
		f.ctx, f.cancel = context.WithTimeout(context.WithoutCancel(ctx), MaxTime)
		if fs.all == nil {
			fs.all = make(map[string]*flight[R])
		}
		fs.all[key] = f
	}
	f.waiting[news] = true
	if f.total > 0 {
		news <- struct{}{}
	}
	return f, !ok
}

// leave removes a caller. It ends a flight that nobody waits for and nobody has paid
// for.
func (fs *flights[R]) leave(key string, f *flight[R], news chan struct{}) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	delete(f.waiting, news)
	if len(f.waiting) == 0 && !f.paid {
		f.cancel()
		fs.removeLocked(key, f)
	}
}

// pay marks a flight as paid, so that it goes on without callers. It reports false,
// and does nothing, if nobody waits any more.
func (fs *flights[R]) pay(f *flight[R]) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.paid = len(f.waiting) > 0
	return f.paid
}

// progress returns how many parts of the work are done.
func (fs *flights[R]) progress(f *flight[R]) (done, total int) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return f.done, f.total
}

// report sets the progress and wakes the callers.
func (fs *flights[R]) report(f *flight[R], done, total int) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.done, f.total = done, total
	for news := range f.waiting {
		select {
		case news <- struct{}{}:
		default:
		}
	}
}

// remove lets the next caller start a new flight.
func (fs *flights[R]) remove(key string, f *flight[R]) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.removeLocked(key, f)
}

// removeLocked is remove for a caller that holds fs.mu.
func (fs *flights[R]) removeLocked(key string, f *flight[R]) {
	if fs.all[key] == f {
		delete(fs.all, key)
	}
}

// end finishes a flight. The flight's goroutine defers it.
func (fs *flights[R]) end(key string, f *flight[R]) {
	if !f.returned {
		f.value = recover()
		f.panicked = f.value != nil
	}
	fs.remove(key, f)
	f.cancel()
	close(f.ended)
}

// stop ends all flights, and waits until each has ended or ctx ends.
func (fs *flights[R]) stop(ctx context.Context) {
	fs.mu.Lock()
	running := slices.Collect(maps.Values(fs.all))
	fs.mu.Unlock()
	for _, f := range running {
		f.cancel()
	}
	for _, f := range running {
		select {
		case <-f.ended:
		case <-ctx.Done():
			return
		}
	}
}
