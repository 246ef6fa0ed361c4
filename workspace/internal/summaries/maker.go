package summaries

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
)

// MaxTime is how long a summary may take.
const MaxTime = 10 * time.Minute

const (
	storeTime = 10 * time.Second // for storing the end of the work after its context has ended
	firstWait = 50 * time.Millisecond
	maxWait   = time.Second // between two looks at another process's lease
)

// A Job finds, makes and keeps one summary. Its methods are called outside of
// transactions, by one goroutine at a time. R is the result that callers get.
type Job[R any] interface {
	// Find returns the summary if somebody has kept it meanwhile.
	Find(ctx context.Context) (r R, found bool, err error)

	// Estimate returns the tokens that Make will spend, about.
	Estimate() int64

	// Make makes the summary, and returns the tokens that it has spent, also with an
	// error. It calls report after each part of the work, and extend before each call
	// of the model. An error of extend says to stop.
	Make(ctx context.Context, report func(done, total int), extend func(context.Context) error) (spent int64, err error)

	// Keep stores what Make has made.
	Keep(ctx context.Context) (R, error)
}

// A Request asks for a summary.
type Request[R any] struct {
	ID       string // callers with the same ID, in any process, share one summary
	Account  string // who pays
	Job      Job[R]
	Progress func(done, total int) // called in the goroutine of Do; parts that come fast are reported together
}

// Options of [New]. All but Tokens are required.
type Options struct {
	System      records.System
	Now         func() time.Time
	Tokens      int64              // that an account may spend in a month, in UTC; 0: no limit
	FailureText func(error) string // what a failure of Make tells callers in other processes; "": nothing
}

// A Maker makes summaries. It is safe for concurrent use.
type Maker[R any] struct {
	system  records.System
	now     func() time.Time
	failure func(error) string
	budget  budget
	flights flights[R]
}

// New returns a Maker.
func New[R any](o Options) *Maker[R] {
	return &Maker[R]{
		system: o.System, now: o.Now, failure: o.FailureText,
		budget: budget{system: o.System, now: o.Now, limit: o.Tokens},
	}
}

// Spend counts tokens that an account has spent without a Request.
func (m *Maker[R]) Spend(ctx context.Context, account string, tokens int64) {
	m.budget.record(ctx, m.budget.key(account), tokens)
}

// Forget removes what an account has spent.
func (m *Maker[R]) Forget(ctx context.Context, account string) error {
	return records.DeleteIf(m.system(ctx), accountPrefix(account), func(records.Record) bool { return true })
}

// Close stops the summaries that this process is making, and waits until ctx ends for
// their leases to be given back, so that no other process waits for them. The Maker
// can be used again.
func (m *Maker[R]) Close(ctx context.Context) { m.flights.stop(ctx) }

// Do returns a summary. Of many callers at once, in any process, one makes it and the
// others wait; joined: this caller has waited for another one of its process. When ctx
// ends, the caller leaves and gets the error of ctx; a summary that is paid for is
// still made.
//
// If the Job panics, or calls runtime.Goexit, so does Do, for each caller of this
// process.
//
// Errors: those of the Job and the records, [FailedError], [BudgetError],
// [DamagedError], [ErrStopped] and [ErrLate].
func (m *Maker[R]) Do(ctx context.Context, q Request[R]) (r R, joined bool, err error) {
	key := leaseKey(q.ID)
	news := make(chan struct{}, 1)
	f, first := m.flights.join(ctx, key, news)
	defer m.flights.leave(key, f, news)
	if first {
		go func() {
			defer m.flights.end(key, f)
			f.result, f.err = m.run(f, key, q)
			f.returned = true
		}()
	}
	if err := m.wait(ctx, key, f, news, q.Progress); err != nil {
		return r, !first, err
	}
	r, err = f.answer()
	return r, !first, err
}

// wait waits for the end of a flight, and tells the caller of its progress.
func (m *Maker[R]) wait(ctx context.Context, key string, f *flight[R], news <-chan struct{}, progress func(done, total int)) error {
	var last [2]int
	tell := func() {
		if done, total := m.flights.progress(f); last != [2]int{done, total} {
			last = [2]int{done, total}
			progress(done, total)
		}
	}
	var late <-chan time.Time
	for expired := f.ctx.Done(); ; {
		select {
		case <-news:
			tell()
		case <-f.ended:
			select {
			case <-news:
				tell()
			default:
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-expired:
			expired, late = nil, time.After(4*storeTime)
		case <-late: // the Job does not return: its callers go, and the next one starts anew
			m.flights.remove(key, f)
			return ErrLate
		}
	}
}

// run makes the summary of a flight, or waits for the process that does.
func (m *Maker[R]) run(f *flight[R], key string, q Request[R]) (none R, err error) {
	waited := false
	for pause := firstWait; ; pause = min(2*pause, maxWait) {
		l, other, err := m.acquire(f.ctx, key, waited)
		if err != nil {
			return none, f.cause(err)
		}
		// Another process may have kept it just before the lease was free.
		r, found, err := q.Job.Find(f.ctx)
		if l != nil && (err != nil || found) {
			l.end(f.ctx, "", false)
		}
		switch {
		case err != nil:
			return none, f.cause(err)
		case found:
			return r, nil
		case l != nil:
			if r, err := m.makeWithLease(f, l, q); err != ErrLost {
				return r, err
			}
		case other.Failed != "":
			return none, other.failure(m.now())
		}
		waited = true
		select {
		case <-f.ctx.Done():
			return none, f.cause(nil)
		case <-time.After(pause):
		}
	}
}

// makeWithLease makes and keeps the summary, and gives the lease back. The error is
// [ErrLost] if another process has taken the lease and makes the summary now.
func (m *Maker[R]) makeWithLease(f *flight[R], l *lease, q Request[R]) (none R, err error) {
	failed, paid := "the summarizer panicked", false
	defer func() { l.end(f.ctx, failed, paid) }()
	m.sweepLeases(f.ctx)
	reserved, err := m.budget.reserve(f.ctx, q.Account, q.Job.Estimate())
	if err != nil {
		failed = ""
		return none, f.cause(err)
	}
	if !m.flights.pay(f) {
		failed = ""
		reserved.settle(f.ctx, 0)
		return none, ErrStopped // nobody receives it
	}
	spent, err := m.makeRenewing(f, l, q.Job)
	reserved.settle(f.ctx, spent)
	switch {
	case err != nil && l.isLost():
		return none, ErrLost
	case err != nil:
		err = f.cause(err)
		failed, paid = m.failure(err), spent > 0
		return none, err
	}
	failed = ""
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), storeTime)
	defer cancel()
	return q.Job.Keep(ctx)
}

// makeRenewing calls Make, and renews the lease until it returns.
func (m *Maker[R]) makeRenewing(f *flight[R], l *lease, job Job[R]) (spent int64, err error) {
	ctx, cancel := context.WithCancel(f.ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { l.keepRenewed(ctx, cancel) })
	defer renewing.Wait()
	defer cancel()
	extend := func(ctx context.Context) error {
		if err := l.renew(ctx); err == ErrLost {
			return err // any other trouble of the store passes, or the lease runs out
		}
		return ctx.Err()
	}
	return job.Make(ctx, func(done, total int) { m.flights.report(f, done, total) }, extend)
}

// cause returns why a flight cannot go on: the end of its context, or err if the
// context has not ended.
func (f *flight[R]) cause(err error) error {
	switch {
	case f.ctx.Err() == nil:
		return err
	case errors.Is(f.ctx.Err(), context.Canceled):
		return ErrStopped
	}
	return ErrLate
}
