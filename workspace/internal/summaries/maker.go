package summaries

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// MaxTime is how long a summary may take.
const MaxTime = 10 * time.Minute

const (
	storeTime = 10 * time.Second // for storing the end of the work after its context has ended
	paidTime  = 30 * time.Second // for which a failure that used tokens is the answer to all
)

// A Job finds, makes and keeps one summary. Its methods are called outside of
// transactions, by one goroutine at a time. R is the result that callers get.
type Job[R any] interface {
	// Find returns the summary if somebody has kept it meanwhile.
	Find(ctx context.Context) (r R, found bool, err error)

	// Estimate returns the tokens that Make will spend, about.
	Estimate() int64

	// Make makes the summary, and returns the tokens that it has spent, also with an
	// error. It calls report after each part of the work.
	Make(ctx context.Context, report func(done, total int)) (spent int64, err error)

	// Keep stores what Make has made.
	Keep(ctx context.Context) (R, error)
}

// A Request asks for a summary.
type Request[R any] struct {
	ID       string // callers with the same ID share one summary
	Account  string // who pays
	Job      Job[R]
	Progress func(done, total int) // called in the goroutine of Do; parts that come fast are reported together
}

// A Maker makes summaries. It is safe for concurrent use.
type Maker[R any] struct {
	system  func(context.Context) store.Records
	now     func() time.Time
	budget  budget
	flights flights[R]

	mu     sync.Mutex         // guards failed
	failed map[string]failure // those of the last half a minute that used tokens, by ID
}

// A failure is the answer to those who ask again.
type failure struct {
	text  string
	until time.Time
}

// New returns a Maker. tokens may be spent for an account in a month, in UTC; 0: no limit.
func New[R any](system func(context.Context) store.Records, now func() time.Time, tokens int64) *Maker[R] {
	return &Maker[R]{system: system, now: now, budget: budget{system: system, now: now, limit: tokens},
		failed: map[string]failure{}}
}

// Spend counts tokens that an account has spent without a Request.
func (m *Maker[R]) Spend(ctx context.Context, account string, tokens int64) {
	m.budget.record(ctx, m.budget.key(account), tokens)
}

// Forget removes what an account has spent.
func (m *Maker[R]) Forget(ctx context.Context, account string) error {
	return records.DeleteAll(m.system(ctx), accountPrefix(account))
}

// Close stops the summaries that are being made, and waits for them until ctx ends. The Maker
// can be used again.
func (m *Maker[R]) Close(ctx context.Context) { m.flights.stop(ctx) }

// Do returns a summary. Of many callers at once, one makes it and the others wait; joined:
// this caller has waited for another one. When ctx ends, the caller leaves and gets the error
// of ctx; a summary that is paid for is still made.
//
// If the Job panics, or calls runtime.Goexit, so does Do, for each caller.
//
// Errors: those of the Job and the records, [FailedError], [BudgetError],
// [DamagedError], [ErrStopped] and [ErrLate].
func (m *Maker[R]) Do(ctx context.Context, q Request[R]) (r R, joined bool, err error) {
	if err := m.lately(q.ID); err != nil {
		return r, false, err
	}
	key := q.ID
	news := make(chan struct{}, 1)
	f, first := m.flights.join(ctx, key, news)
	defer m.flights.leave(key, f, news)
	if first {
		go func() {
			defer m.flights.end(key, f)
			f.result, f.err = m.run(f, q)
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
func (m *Maker[R]) wait(ctx context.Context, key string, f *flight[R], news <-chan struct{},
	progress func(done, total int)) error {
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

// run makes and keeps the summary of a flight, if nobody has kept it since the caller looked.
func (m *Maker[R]) run(f *flight[R], q Request[R]) (none R, err error) {
	switch r, found, err := q.Job.Find(f.ctx); {
	case err != nil:
		return none, f.cause(err)
	case found:
		return r, nil
	}
	reserved, err := m.budget.reserve(f.ctx, q.Account, q.Job.Estimate())
	if err != nil {
		return none, f.cause(err)
	}
	if !m.flights.pay(f) {
		reserved.settle(f.ctx, 0)
		return none, ErrStopped // nobody receives it
	}
	spent, err := q.Job.Make(f.ctx, func(done, total int) { m.flights.report(f, done, total) })
	reserved.settle(f.ctx, spent)
	if err != nil {
		if err = f.cause(err); spent > 0 {
			m.keepFailure(q.ID, failureText(err))
		}
		return none, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), storeTime)
	defer cancel()
	return q.Job.Keep(ctx)
}

// keepFailure makes a failure that has used tokens the answer to all who ask for the summary
// in the next half a minute. "" is not kept.
func (m *Maker[R]) keepFailure(id, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	maps.DeleteFunc(m.failed, func(_ string, f failure) bool { return !now.Before(f.until) })
	if text != "" {
		m.failed[id] = failure{text, now.Add(paidTime)}
	}
}

// lately returns a [FailedError] if the summary failed moments ago. A failure that would last
// longer than any comes from a clock that was set back since.
func (m *Maker[R]) lately(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, ok := m.failed[id]
	if left := f.until.Sub(m.now()); ok && 0 < left && left <= paidTime {
		return &FailedError{Text: f.text, RetryIn: max(time.Second, left.Round(time.Second))}
	}
	return nil
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
