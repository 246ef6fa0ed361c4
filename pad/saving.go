package pad

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// maxDelay is how many quiet times a change may wait for its save where changes
// never pause.
const maxDelay = 10

// saving takes a pad to its Saver and back, one call at a time.
type saving struct {
	s     *store
	saver Saver
	quiet time.Duration // 0: no auto-save

	turn chan struct{} // holds one token: who has it may call the Saver
	read reading       // guarded by the turn

	mu     sync.Mutex // guards the following
	dirty  bool       // there are changes that no save holds
	first  time.Time  // of those changes; zero once a save of them was tried
	timer  *time.Timer
	missed bool // the timer went off while somebody had the turn
	ended  bool
}

// reading is what is known of what the Saver has.
type reading int

const (
	unread     reading = iota // nobody looked
	askedBadly                // an auto-save looked and failed: the next one looks again
	readWell                  // it was loaded, or is ours
	readBadly                 // loading failed: nothing may be saved over it
)

func (s *store) startSaving() {
	if s.o.Saver == nil {
		return
	}
	v := &saving{s: s, saver: s.o.Saver, quiet: min(max(0, s.o.AutoSave), math.MaxInt64/maxDelay), turn: make(chan struct{}, 1)}
	v.turn <- struct{}{}
	v.timer = time.AfterFunc(time.Hour, v.auto)
	v.timer.Stop()
	s.saving = v
}

// noteChange arms the auto-save, where there is one. It is called under the lock,
// so that a Close after the change knows of it, and before the handlers.
func (s *store) noteChange() {
	if v := s.saving; v != nil && v.quiet > 0 {
		v.arm()
	}
}

// arm puts the save off until it is quiet, but not for ever.
func (v *saving) arm() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dirty = true; v.ended {
		return
	}
	now := time.Now()
	if v.first.IsZero() {
		v.first = now
	}
	v.timer.Reset(min(v.quiet, v.first.Add(maxDelay*v.quiet).Sub(now)))
}

// auto is a save that nobody waits for.
func (v *saving) auto() {
	defer func() {
		if r := recover(); r != nil {
			v.s.report(fmt.Errorf("pad: auto-save: the Saver panicked: %v: %w", r, ErrPersist))
		}
	}()
	if !v.tryTake() {
		return
	}
	defer v.give()
	if err := v.flush(context.Background()); err != nil {
		v.s.report(fmt.Errorf("pad: auto-%w", err))
	}
}

// tryTake takes the turn, or leaves word for who has it to try again afterwards.
func (v *saving) tryTake() bool {
	for range 2 { // it may be given back before there is word
		select {
		case <-v.turn:
			return true
		default:
		}
		v.mu.Lock()
		v.missed = true
		v.mu.Unlock()
	}
	return false
}

// flush saves what no save holds. It never saves over what nobody has read. The
// caller has the turn.
func (v *saving) flush(ctx context.Context) error {
	if !v.pending() {
		return nil
	}
	if v.read == unread || v.read == askedBadly {
		found, err := v.saver.Load(ctx)
		switch {
		case err != nil:
			v.read = askedBadly
			return fmt.Errorf("save: what is there cannot be read: %w: %w", ErrPersist, err)
		case found != nil:
			return fmt.Errorf("save: something is there that was not loaded; call Load first, or Save to replace it: %w", ErrPersist)
		}
		v.read = readWell
	}
	return v.save(ctx)
}

func (v *saving) pending() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.first = time.Time{}
	return v.dirty
}

// save encodes all values, and then calls the Saver. The caller has the turn.
func (v *saving) save(ctx context.Context) error {
	if v.read == readBadly || v.read == askedBadly {
		return fmt.Errorf("save: what is there could not be loaded, and is not replaced; call Load until it succeeds: %w", ErrPersist)
	}
	v.setDirty(false) // of what the snapshot does not have, arm tells again
	saved := false
	defer func() {
		if !saved {
			v.setDirty(true) // also where the Saver panics
		}
	}()
	snapshot := (&Pad{store: v.s}).Snapshot()
	text, err := snapshot.MarshalJSON()
	if err == nil {
		snapshot.json = text
		err = v.saver.Save(ctx, snapshot)
	}
	if err != nil {
		return fmt.Errorf("save: %w", persist(err))
	}
	saved, v.read = true, readWell
	return nil
}

func (v *saving) setDirty(dirty bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dirty = dirty
}

// persist makes sure that an error wraps ErrPersist.
func persist(err error) error {
	if errors.Is(err, ErrPersist) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrPersist, err)
}

func (v *saving) take(ctx context.Context) error {
	select {
	case <-v.turn:
		return nil
	default:
	}
	select {
	case <-v.turn:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("save: another one is under way: %w: %w", ErrPersist, ctx.Err())
	}
}

func (v *saving) give() {
	v.turn <- struct{}{}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.missed && !v.ended {
		v.timer.Reset(v.quiet)
	}
	v.missed = false
}

// Save saves the whole pad, also where nobody has loaded what was saved before.
// Without a Saver it does nothing. Errors: [ErrPersist], which names the key of a
// value that JSON cannot hold; then nothing is saved. It works after a Close too,
// whose own save may have failed. A Saver must not call it.
func (p *Pad) Save(ctx context.Context) error {
	v := p.store.saving
	if v == nil {
		return nil
	}
	if err := v.take(ctx); err != nil {
		return err
	}
	defer v.give()
	v.pending() // what comes from now on waits for a save of its own
	return v.save(ctx)
}

// Load replaces what the pad holds by what was saved, as [Pad.Restore] does. Where
// nothing was saved yet, or without a Saver, it changes nothing. Entries that were
// saved without a value are null, and are reported to [Options].OnError once. After a
// Load that failed nothing is saved until one succeeds. Errors: [ErrPersist],
// [ErrClosed].
func (p *Pad) Load(ctx context.Context) error {
	v := p.store.saving
	switch {
	case p.store.isClosed():
		return fmt.Errorf("load: %w", ErrClosed)
	case v == nil:
		return nil
	}
	found, err := v.load(ctx)
	p.store.mu.Lock()
	p.store.unlock() // delivers the events of the load
	if found != nil {
		p.store.reportValueless("load", found)
	}
	return err
}

// load keeps the turn until what was loaded is there: no save may come between.
// What it found is nil where nothing was saved yet.
func (v *saving) load(ctx context.Context) (found *Snapshot, err error) {
	if err := v.take(ctx); err != nil {
		return nil, err
	}
	defer v.give()
	before := v.read
	v.read = readBadly // also where the Saver panics
	found, err = v.saver.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load: %w", persist(err))
	}
	if found == nil {
		v.read = readWell
		return nil, nil
	}
	if err = v.s.loaded(found); err != nil {
		v.read = before
		return nil, err
	}
	v.read = readWell
	return found, nil
}

// loaded takes over what was loaded, which is no change that needs to be saved.
func (s *store) loaded(from *Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("load: %w", ErrClosed)
	}
	s.restore("", from)
	v := s.saving
	v.mu.Lock()
	v.dirty, v.first = false, time.Time{}
	v.timer.Stop()
	v.mu.Unlock()
	return nil
}

func (s *store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close ends the sweep and the handlers, and saves what an auto-save still owes.
// Afterwards reads work, and every change is refused with [ErrClosed]. A second
// Close returns nil. Errors: [ErrPersist].
func (p *Pad) Close(ctx context.Context) error {
	s := p.store
	if !s.stop() {
		return nil
	}
	v := s.saving
	if v == nil || v.quiet == 0 {
		return nil
	}
	err := v.take(ctx)
	if err == nil {
		defer v.give()
		err = v.flush(ctx)
	}
	if err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// stop ends everything but a save, and reports whether this call did.
func (s *store) stop() bool {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.events.end()
	s.mu.Unlock()
	if !first {
		return false
	}
	if s.stopSweep != nil {
		s.stopSweep()
	}
	if v := s.saving; v != nil {
		v.mu.Lock()
		v.ended = true
		v.timer.Stop()
		v.mu.Unlock()
	}
	return true
}
