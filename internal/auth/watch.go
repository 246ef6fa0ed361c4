package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	lookEvery   = 250 * time.Millisecond // a look that is older begins the next one
	lookAge     = 500 * time.Millisecond // a look that is older is not used
	lookTimeout = 10 * time.Second
)

// A generation is a record that every change of some other records raises after the
// change. What was read before is not used after.
const (
	generationKey     = "auth/generation"         // of keys and tenants
	sessionGeneration = "auth/session-generation" // of sessions that have ended
)

// A look is what a process knows of the store at a moment.
type look struct {
	generation int64     // the revision of the record; 0: there is none
	store      time.Time // of the store's clock
	told       time.Time // when the store had told it, by the clock of the process
	at         time.Time // when the look began, by the clock of the process
	err        error     // the look failed: nothing else is known
}

// now returns the time of the store's clock. It may be late by as long as the store took
// to tell the time, and is not early.
func (l look) now(process time.Time) time.Time { return l.store.Add(process.Sub(l.told)) }

// A watch tells whether anything has changed. It reads the store only when it is asked,
// and at most each 250 ms.
type watch struct {
	store workspace.Store
	key   string           // of the generation
	now   func() time.Time // a clock that goes on, best a monotonic one

	mu     sync.Mutex // guards all below
	last   look
	flight chan struct{} // closed when the look that runs has ended; nil: none runs
	epoch  int           // of this process's own changes
	closed bool
	looks  sync.WaitGroup
}

// current returns a look that is at most 500 ms old, or began after the call. Errors:
// [ErrUnavailable].
func (w *watch) current(ctx context.Context) (look, error) {
	called := w.now()
	for {
		w.mu.Lock()
		if w.closed {
			w.mu.Unlock()
			return look{}, unavailable(workspace.ErrClosed)
		}
		age := elapsed(w.last.at, w.now())
		if w.last.err != nil && age < lookEvery { // do not ask a broken store again at once
			defer w.mu.Unlock()
			return look{}, unavailable(w.last.err)
		}
		if age >= lookEvery && w.flight == nil {
			w.begin(ctx)
		}
		if w.last.err == nil && (age < lookAge || !w.last.at.Before(called)) {
			defer w.mu.Unlock()
			return w.last, nil
		}
		flight := w.flight
		w.mu.Unlock()
		select {
		case <-flight:
		case <-ctx.Done():
			return look{}, unavailable(ctx.Err())
		}
	}
}

// begin starts a look. It goes on when the caller leaves, because others wait for it
// too. The caller holds mu.
func (w *watch) begin(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	flight, epoch := make(chan struct{}), w.epoch
	w.flight = flight
	w.looks.Go(func() {
		defer cancel()
		l := w.look(ctx)
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.flight = nil; w.epoch == epoch {
			w.last = l
		}
		close(flight)
	})
}

func (w *watch) look(ctx context.Context) (l look) {
	l.at = w.now()
	records := w.store.System(ctx)
	r, err := records.Get(w.key)
	if err == nil || errors.Is(err, workspace.ErrNotFound) {
		l.generation = r.Revision
		l.store, err = records.Now()
	}
	l.told, l.err = w.now(), err
	return l
}

// raise tells all processes that something has changed, after the change. It does not
// end with the context, because the change is already stored.
func (w *watch) raise(ctx context.Context) error {
	defer w.forget()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	records := w.store.System(ctx)
	r, err := records.Get(w.key)
	if err == nil || errors.Is(err, workspace.ErrNotFound) {
		_, err = records.Put(w.key, []byte("{}"), r.Revision)
	}
	if errors.Is(err, workspace.ErrConflict) {
		return nil // another process has raised it after the change
	}
	return err
}

// raiseAfter is raise after a change that can be repeated.
func (w *watch) raiseAfter(ctx context.Context) error {
	if err := w.raise(ctx); err != nil {
		return fmt.Errorf("the change is stored, but servers may not notice it for %v; repeat it: %w", cacheAge, err)
	}
	return nil
}

// forget makes the next call look.
func (w *watch) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = look{}
	w.epoch++
}

// close ends all calls, and waits for the look that runs.
func (w *watch) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.looks.Wait()
}

// elapsed returns how long ago a time was. If the clock was set, or the machine slept,
// it was long ago: then the monotonic clock has not counted what has passed.
func elapsed(since, now time.Time) time.Duration {
	wall := now.Round(0).Sub(since.Round(0))
	return max(now.Sub(since), wall, -wall)
}

func unavailable(err error) error { return fmt.Errorf("%w: %v", ErrUnavailable, err) }
