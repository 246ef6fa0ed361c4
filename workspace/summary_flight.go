package workspace

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	flightTime = 10 * time.Minute
	landTime   = 10 * time.Second // to store what was made, or how it failed, after the end of ctx
)

// flights are the summaries that this process is making, by their keys. The
// zero value has none.
type flights struct {
	mu  sync.Mutex // guards all, and of each flight what it says
	all map[string]*flight
}

// A flight makes one summary for all who wait for it.
type flight struct {
	ctx    context.Context // ends with the flight's time, or when all have left an unpaid one
	cancel context.CancelFunc
	landed chan struct{} // closed once the next five are set

	result   SummaryResult
	err      error
	returned bool // it did not panic, nor end its goroutine
	panicked bool
	value    any

	waiting     map[chan struct{}]bool // told of progress; guarded by flights.mu, as the next three
	paid        bool
	done, total int
}

// share has one caller of this process make the summary, and the others wait.
func (j summaryJob) share(ctx context.Context, progress func(done, total int)) (SummaryResult, error) {
	fs, key := &j.w.svc.flights, j.leaseKey()
	news := make(chan struct{}, 1)
	f, first := fs.board(ctx, key, news)
	defer fs.leave(key, f, news)
	if first {
		go func() {
			defer fs.land(key, f)
			f.result, f.err = j.lead(f.ctx, f, key)
			if f.err != nil && Kind(f.err) == nil && f.ctx.Err() != nil {
				f.err = ended(f.ctx)
			}
			f.returned = true
		}()
	}
	var last [2]int
	tell := func() {
		if done, total := fs.progress(f); last != [2]int{done, total} {
			last = [2]int{done, total}
			progress(done, total)
		}
	}
	var late <-chan time.Time
	for expired := f.ctx.Done(); ; {
		select {
		case <-news:
			tell()
		case <-f.landed:
			select {
			case <-news:
				tell()
			default:
			}
			r, err := f.answer()
			r.Cached = err == nil && (r.Cached || !first)
			return r, err
		case <-ctx.Done():
			return SummaryResult{}, ctx.Err()
		case <-expired:
			expired, late = nil, time.After(4*landTime)
		case <-late:
			fs.forget(key, f) // a summarizer that does not return holds nobody up
			return SummaryResult{}, errLate
		}
	}
}

var errLate = fmt.Errorf("there is no summary after %v; ask again later, or use read_file: %w", flightTime, ErrProvider)

// board joins the flight of a summary; first: it is to be started.
func (fs *flights) board(ctx context.Context, key string, news chan struct{}) (f *flight, first bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f, ok := fs.all[key]
	if !ok {
		f = &flight{landed: make(chan struct{}), waiting: make(map[chan struct{}]bool)}
		f.ctx, f.cancel = context.WithTimeout(context.WithoutCancel(ctx), flightTime)
		if fs.all == nil {
			fs.all = make(map[string]*flight)
		}
		fs.all[key] = f
	}
	f.waiting[news] = true
	if f.total > 0 {
		news <- struct{}{}
	}
	return f, !ok
}

// leave ends a flight that nobody waits for and nobody has paid for.
func (fs *flights) leave(key string, f *flight, news chan struct{}) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	delete(f.waiting, news)
	if len(f.waiting) == 0 && !f.paid {
		f.cancel()
		fs.drop(key, f)
	}
}

// pay reports whether somebody waits; from then on the flight goes on without.
func (fs *flights) pay(f *flight) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.paid = len(f.waiting) > 0
	return f.paid
}

func (fs *flights) progress(f *flight) (done, total int) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return f.done, f.total
}

func (fs *flights) report(f *flight, done, total int) {
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

func (fs *flights) forget(key string, f *flight) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.drop(key, f)
}

// end stops the flights under way, and waits until each has given its lease back,
// so that no other process waits for it.
func (fs *flights) end(ctx context.Context) {
	fs.mu.Lock()
	under := slices.Collect(maps.Values(fs.all))
	fs.mu.Unlock()
	for _, f := range under {
		f.cancel()
	}
	for _, f := range under {
		select {
		case <-f.landed:
		case <-ctx.Done():
			return
		}
	}
}

// drop is called under the lock.
func (fs *flights) drop(key string, f *flight) {
	if fs.all[key] == f {
		delete(fs.all, key)
	}
}

// land is deferred by the goroutine of the flight.
func (fs *flights) land(key string, f *flight) {
	if !f.returned {
		f.value = recover()
		f.panicked = f.value != nil
	}
	fs.forget(key, f)
	f.cancel()
	close(f.landed)
}

// answer is what a caller gets of a flight that has landed.
func (f *flight) answer() (SummaryResult, error) {
	switch {
	case f.returned:
		return f.result, f.err
	case f.panicked:
		panic(f.value)
	}
	runtime.Goexit()
	return SummaryResult{}, nil
}
