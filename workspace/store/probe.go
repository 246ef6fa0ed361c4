package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// probeWait is the longest that [Probe.Do] takes.
const probeWait = time.Second

// A Probe checks the health of a backend. It runs one check at a time, and calls at the same
// time share that check. The zero Probe is ready for use. A Probe is safe for concurrent use.
type Probe struct {
	flight singleflight.Group

	mu     sync.Mutex // guards the following; a look holds it
	closed bool
	said   string // the error that was logged last
}

// Do runs the check look, or waits for a check that runs, and returns the error of the check.
// If ctx ends or a second passes first, Do returns [ErrBusy], and the check goes on. Do logs an
// error with its cause if the check before did not have the same error. It also logs the first
// check without an error after that.
func (p *Probe) Do(ctx context.Context, log *slog.Logger, look func() error) error {
	looked := p.flight.DoChan("", func() (any, error) { return nil, p.look(log, look) })
	late := time.NewTimer(probeWait)
	defer late.Stop()
	select {
	case r := <-looked:
		return r.Err
	case <-ctx.Done():
	case <-late.C:
	}
	return Errorf(ErrBusy, "the database does not answer")
}

func (p *Probe) look(log *slog.Logger, look func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
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
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Err
	}
	return nil
}

// Close waits for the check that runs. After Close, checks return [ErrClosed].
func (p *Probe) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}
