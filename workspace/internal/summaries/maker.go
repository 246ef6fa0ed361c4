// Package summaries makes a summary once, for all callers in one process, and counts the
// tokens that it costs.
//
// A [Work] finds, makes and keeps the summary of one file. A [Maker] decides who calls it:
//
//  1. Callers who want the same summary share a flight.
//  2. The flight looks for a summary that was kept meanwhile.
//  3. It reserves the estimated tokens in the owner's month (budget.go).
//  4. It calls Work.Make. The flight goes on even if all callers leave, because it is paid.
//  5. It corrects the reservation, and calls Work.Keep.
//
// Two processes that are asked for the same summary in the same minutes both pay.
// Afterwards both find the one that is kept. Nothing runs inside a transaction but what
// reads and keeps a summary.
package summaries

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	maxTime   = 10 * time.Minute // that a summary may take
	storeTime = 10 * time.Second // for storing the end of the work after its context has ended
)

// A Maker makes summaries. It is safe for concurrent use.
type Maker struct {
	system func(context.Context) store.Records
	now    func() time.Time
	limit  int64 // tokens that an owner may spend in a month; 0: no limit

	mu      sync.Mutex         // guards the following, and fields of each flight
	flights map[string]*flight // by the ID of the Work
}

// A flight makes one summary for all callers of this process.
type flight struct {
	ctx    context.Context // ends after maxTime, in Close, and after the flight
	cancel context.CancelFunc
	ended  chan struct{} // closed once the next four are set

	result   Result
	err      error
	returned bool // neither a panic nor runtime.Goexit ended the flight
	panicked any

	// Guarded by Maker.mu.
	done, total int           // the progress, in parts of the work
	news        chan struct{} // closed by the next progress
}

// New returns a Maker. An owner may spend tokens in a month, in UTC; 0: no limit.
func New(system func(context.Context) store.Records, now func() time.Time, tokens int64) *Maker {
	return &Maker{system: system, now: now, limit: tokens, flights: map[string]*flight{}}
}

// Summarize returns the summary that is kept, or makes one. If shared, one caller makes
// it for all who want it. When ctx ends, the caller leaves and gets the error of ctx; a
// shared summary is still made. A panic of Work.Text is raised in each caller. progress is
// called in the goroutine of Summarize; parts that come fast are told together.
func (m *Maker) Summarize(
	ctx context.Context, w *Work, shared bool, progress func(done, total int),
) (Result, error) {
	old, err := w.read(ctx)
	switch {
	case err != nil:
		return Result{}, err
	case old != nil:
		return kept(*old), nil
	case shared:
		return m.share(ctx, w, progress)
	}
	spent, err := w.make(ctx, progress)
	if spent > 0 {
		m.countSpent(ctx, w.Owner, m.month(), spent)
	}
	if err != nil {
		return Result{}, cmp.Or(ctx.Err(), err)
	}
	return w.keep(ctx)
}

// Close stops the summaries that are being made, and waits for them until ctx ends. The Maker
// can be used again.
func (m *Maker) Close(ctx context.Context) {
	m.mu.Lock()
	running := slices.Collect(maps.Values(m.flights))
	m.mu.Unlock()
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

// share waits for the flight that makes a summary, and starts it if there is none.
func (m *Maker) share(ctx context.Context, w *Work, progress func(done, total int)) (Result, error) {
	f, first := m.join(ctx, w)
	var told [2]int
	for ended := false; !ended; {
		m.mu.Lock()
		news := f.news
		m.mu.Unlock()
		select {
		case <-news:
		case <-f.ended:
			ended = true
		case <-ctx.Done():
			return Result{}, ctx.Err()
		case <-f.ctx.Done():
			select {
			case <-f.ended:
				ended = true
			default: // the work may not return
				return Result{}, f.cause(nil)
			}
		}
		m.mu.Lock()
		now := [2]int{f.done, f.total}
		m.mu.Unlock()
		if told != now {
			told = now
			progress(now[0], now[1])
		}
	}
	if !f.returned {
		panic(f.panicked)
	}
	r := f.result
	r.Cached = f.err == nil && (r.Cached || !first)
	return r, f.err
}

// join returns the flight of a Work, which it starts if there is none.
func (m *Maker) join(ctx context.Context, w *Work) (f *flight, first bool) {
	id := w.id()
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.flights[id]; f != nil && f.ctx.Err() == nil {
		return f, false
	}
	f = &flight{ended: make(chan struct{}), news: make(chan struct{})}
	f.ctx, f.cancel = context.WithTimeout(context.WithoutCancel(ctx), maxTime)
	m.flights[id] = f
	go func() {
		defer m.end(id, f)
		f.result, f.err = m.run(f, w)
		f.returned = true
	}()
	return f, true
}

// end finishes a flight. The flight's goroutine defers it.
func (m *Maker) end(id string, f *flight) {
	if !f.returned {
		f.panicked = recover()
	}
	m.mu.Lock()
	if m.flights[id] == f {
		delete(m.flights, id)
	}
	m.mu.Unlock()
	close(f.ended)
	f.cancel()
}

// run makes and keeps the summary of a flight, if nobody has kept it since the caller looked.
func (m *Maker) run(f *flight, w *Work) (Result, error) {
	old, err := w.read(f.ctx)
	if err != nil {
		return Result{}, f.cause(err)
	}
	if old != nil {
		return kept(*old), nil
	}
	month, estimate := m.month(), w.estimate()
	if err := m.spend(f.ctx, w.Owner, month, estimate, m.limit); err != nil {
		return Result{}, f.cause(err)
	}
	spent, err := w.make(f.ctx, func(done, total int) {
		m.mu.Lock()
		defer m.mu.Unlock()
		close(f.news)
		f.done, f.total, f.news = done, total, make(chan struct{})
	})
	m.countSpent(f.ctx, w.Owner, month, spent-estimate)
	if err != nil {
		return Result{}, f.cause(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), storeTime)
	defer cancel()
	return w.keep(ctx)
}

// cause returns why a flight cannot go on: the end of its context, or err if the
// context has not ended.
func (f *flight) cause(err error) error {
	switch f.ctx.Err() {
	case nil:
		return err
	case context.Canceled:
		return store.Errorf(store.ErrClosed, "it was stopped")
	}
	return fault.Or(store.Errorf(store.ErrProvider, "there is no summary after %v, ask again later", maxTime),
		store.DoReadFile, 0)
}
