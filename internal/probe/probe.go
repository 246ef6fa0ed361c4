// Package probe looks whether a store is well. One look serves everybody who asks at the
// same time, and nobody waits long for it.
package probe

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// wait is the longest that Do takes.
const wait = time.Second

// A Probe runs looks, one at a time. The zero Probe is ready for use. It is safe for
// concurrent use.
type Probe struct {
	flight singleflight.Group

	mu     sync.Mutex // guards the following; a look holds it
	closed bool
	said   string // the error that was logged last
}

// Do returns the error of a look. It returns [store.ErrBusy] if the look takes more
// than a second or ctx ends first; the look goes on. The first of equal errors is logged
// with its cause, and so is the end of the trouble.
func (p *Probe) Do(ctx context.Context, log *slog.Logger, look func() error) error {
	looked := p.flight.DoChan("", func() (any, error) { return nil, p.look(log, look) })
	late := time.NewTimer(wait)
	defer late.Stop()
	select {
	case r := <-looked:
		return r.Err
	case <-ctx.Done():
	case <-late.C:
	}
	return store.Errorf(store.ErrBusy, "the database does not answer")
}

func (p *Probe) look(log *slog.Logger, look func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return store.ErrClosed
	}
	err := look()
	said := ""
	if err != nil {
		said = err.Error()
	}
	switch {
	case said == p.said:
	case err == nil:
		log.Info("the store is ready again")
	default:
		log.Warn("the store is not ready", "err", err, "cause", causeOf(err))
	}
	p.said = said
	return err
}

// causeOf returns what an error does not tell everybody, and nil if that is nothing.
func causeOf(err error) error {
	if e, ok := errors.AsType[*store.Error](err); ok {
		return e.Err
	}
	return nil
}

// Close waits for the look that runs, and calls end. Looks after it return
// [store.ErrClosed].
func (p *Probe) Close(end func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return end()
}
