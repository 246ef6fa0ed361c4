package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	lookEvery   = 250 * time.Millisecond // a look that is older begins the next one
	lookAge     = 500 * time.Millisecond // a look that is older is not used
	lookTimeout = 10 * time.Second
	cacheAge    = 5 * time.Minute // what is older is read again even if nothing says that it has changed
)

// generationKey is a record that every change of a key or a tenant raises after the change, and
// so does the end of a session. What was read before is not used after.
const generationKey = "auth/generation"

// A moment is when something was read. The zero value is never.
type moment struct {
	generation int64     // the revision of the record before; 0: there is none
	store      time.Time // by the store's clock; never early, and late by as long as the store took to tell
	process    time.Time // by the clock of the process
}

// holds reports whether what was read at m is still so at a later moment.
func (m moment) holds(now moment) bool {
	return !m.process.IsZero() && m.generation == now.generation && elapsed(m.process, now.process) < cacheAge
}

// A look is what the store told.
type look struct {
	moment           // process is when the store had told its time
	at     time.Time // when the look began, by the clock of the process
	err    error     // the look failed: nothing else is known
}

// A watch tells whether anything has changed. It reads the store only when it is asked,
// and at most each 250 ms.
type watch struct {
	store  workspace.Store
	now    func() time.Time   // a clock that goes on, best a monotonic one
	flight singleflight.Group // of looks

	mu     sync.Mutex // guards all below
	last   look
	epoch  int // of this process's own changes
	closed bool
}

// current returns the present moment, for which the store was asked at most 500 ms ago, or
// after the call. Errors: [ErrUnavailable].
func (w *watch) current(ctx context.Context) (moment, error) {
	for called := w.now(); ; {
		var looked <-chan singleflight.Result
		w.mu.Lock()
		last, closed, epoch := w.last, w.closed, w.epoch
		age := elapsed(last.at, w.now())
		if age >= lookEvery && !closed {
			// The look goes on when the caller leaves, because others wait for it too.
			looked = w.flight.DoChan("", func() (any, error) {
				w.look(context.WithoutCancel(ctx), epoch)
				return nil,
					nil
			})
		}
		w.mu.Unlock()
		switch {
		case closed:
			return moment{}, unavailable(workspace.ErrClosed)
		case last.err != nil && age < lookEvery: // do not ask a broken store again at once
			return moment{}, unavailable(last.err)
		case last.err == nil && (age < lookAge || !last.at.Before(called)):
			now := w.now()
			return moment{last.generation, last.store.Add(now.Sub(last.process)), now}, nil
		}
		select {
		case <-looked:
		case <-ctx.Done():
			return moment{}, unavailable(ctx.Err())
		}
	}
}

// look asks the store. What it tells does not count if this process has changed something
// since the epoch.
func (w *watch) look(ctx context.Context, epoch int) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	l := look{at: w.now()}
	system := w.store.System(ctx)
	r, err := records.Get(system, generationKey)
	if l.generation = r.Revision; err == nil {
		l.store, err = system.Now()
	}
	l.process, l.err = w.now(), err
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.epoch == epoch {
		w.last = l
	}
}

// update changes a record, as [records.Update] does, and then tells all processes.
func (w *watch) update(ctx context.Context, key string, change func(workspace.Record) ([]byte, error)) error {
	_, err := records.Update(w.store.System(ctx), key, change)
	if err != nil && !errors.Is(err, workspace.ErrOutcomeUnknown) {
		return err
	}
	if raised := w.raise(ctx); raised != nil {
		err = errors.Join(err, fmt.Errorf("the change is stored, but servers may not notice it for %v; repeat it: %w",
			cacheAge, raised))
	}
	return err
}

// raise tells all processes that something has changed, after the change. It does not
// end with the context, because the change is already stored.
func (w *watch) raise(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	next := func(workspace.Record) ([]byte, error) { return []byte("{}"), nil } // the same, with a new revision
	_, err := records.Update(w.store.System(ctx), generationKey, next)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = look{} // the next call looks
	w.epoch++
	return err
}

// close ends all calls, and waits for the look that runs.
func (w *watch) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	<-w.flight.DoChan("", func() (any, error) { return nil, nil })
}

// elapsed returns how long ago a time was. If the clock was set, or the machine slept,
// it was long ago: then the monotonic clock has not counted what has passed.
func elapsed(since, now time.Time) time.Duration {
	wall := now.Round(0).Sub(since.Round(0))
	return max(now.Sub(since), wall, -wall)
}

func unavailable(err error) error { return fmt.Errorf("%w: %v", ErrUnavailable, err) }
