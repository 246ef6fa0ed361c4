package pad

import (
	"context"
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
	snapshot func() *Snapshot // of the whole pad
	report   func(error)
	saver    Saver
	quiet    time.Duration // 0: no auto-save

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

func newSaving(saver Saver, quiet time.Duration, snapshot func() *Snapshot, report func(error)) *saving {
	v := &saving{
		snapshot: snapshot, report: report, saver: saver,
		quiet: min(max(0, quiet), math.MaxInt64/maxDelay), turn: make(chan struct{}, 1),
	}
	v.turn <- struct{}{}
	v.timer = time.AfterFunc(time.Hour, v.auto)
	v.timer.Stop()
	return v
}

// forget drops what an auto-save owes: a Load replaced those changes.
func (v *saving) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dirty, v.first = false, time.Time{}
	v.timer.Stop()
}

// end ends the auto-save.
func (v *saving) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended = true
	v.timer.Stop()
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
			v.report(fmt.Errorf("pad: auto-save: the Saver panicked: %v: %w", r, ErrPersist))
		}
	}()
	if !v.tryTake() {
		return
	}
	defer v.give()
	if err := v.flush(context.Background()); err != nil {
		v.report(fmt.Errorf("pad: auto-%w", err))
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
	snapshot := v.snapshot()
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

// load keeps the turn until what was loaded is there: no save may come between.
// What it found is nil where nothing was saved yet.
func (v *saving) load(ctx context.Context, take func(*Snapshot) error) (found *Snapshot, err error) {
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
	if err = take(found); err != nil {
		v.read = before
		return nil, err
	}
	v.read = readWell
	return found, nil
}
