package pad

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// maxDelay is how many quiet times a change may wait for its save.
const maxDelay = 10

// saving calls the Saver of a pad, one call at a time.
type saving struct {
	snapshot func() *Snapshot // of the whole pad
	report   func(error)
	saver    Saver
	quiet    time.Duration // 0: no auto-save

	turn chan struct{} // holds one token: its owner may call the Saver
	read reading       // guarded by the turn

	mu     sync.Mutex // guards the following
	dirty  bool       // there are changes that were not saved
	first  time.Time  // when the first of them was made; zero after a save was tried
	timer  *time.Timer
	queued bool // an auto-save waits for the turn
	ended  bool
}

// reading tells whether the pad knows what the Saver has stored.
type reading int

const (
	unread    reading = iota // not yet
	readWell                 // the pad has loaded or saved it
	readBadly                // Load failed: nothing may be saved until it succeeds
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

// forget drops the changes that an auto-save would save: a Load has replaced them.
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

// arm delays the save by the quiet time, up to maxDelay times in all.
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

// auto runs an auto-save.
func (v *saving) auto() {
	defer func() {
		if r := recover(); r != nil {
			v.report(fmt.Errorf("pad: auto-save: the Saver panicked: %v: %w", r, ErrPersist))
		}
	}()
	if !v.queue() {
		return
	}
	defer v.give()
	if err := v.flush(context.Background()); err != nil {
		v.report(fmt.Errorf("pad: auto-%w", err))
	}
}

// queue waits for the turn. It returns false if another auto-save does so already, which will
// save everything.
func (v *saving) queue() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.queued {
		return false
	}
	v.queued = true
	v.mu.Unlock()
	<-v.turn
	v.mu.Lock()
	v.queued = false
	if v.ended {
		v.give()
	}
	return !v.ended
}

// flush saves the changes that were not saved. It never replaces data that the pad has
// not read. The caller must have the turn.
func (v *saving) flush(ctx context.Context) error {
	if !v.pending() {
		return nil
	}
	if v.read != readWell {
		found, err := v.saver.Load(ctx)
		switch {
		case err != nil:
			v.read = readBadly
			return fmt.Errorf("save: cannot read the saved pad: %w: %w", ErrPersist, err)
		case found != nil:
			return fmt.Errorf("save: a saved pad exists that was not loaded; call Load first, or Save to replace "+
				"it: %w", ErrPersist)
		}
		v.read = readWell
	}
	return v.save(ctx)
}

// pending reports whether there are changes to save.
func (v *saving) pending() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.first = time.Time{}
	return v.dirty
}

// save encodes all values, and then calls the Saver. The caller must have the turn.
func (v *saving) save(ctx context.Context) error {
	if v.read == readBadly {
		return fmt.Errorf("save: the saved pad could not be loaded, so it is not replaced; call Load until it "+
			"succeeds: %w", ErrPersist)
	}
	v.setDirty(false) // a change after the snapshot sets it again
	saved := false
	defer func() {
		if !saved {
			v.setDirty(true) // also if the Saver panics
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
		return fmt.Errorf("another save or load is running: %w: %w", ErrPersist, ctx.Err())
	}
}

func (v *saving) give() { v.turn <- struct{}{} }

// load calls the Saver, and passes the snapshot that it found to take. It returns nil
// if nothing was saved yet. It keeps the turn to the end: no save may come between.
func (v *saving) load(ctx context.Context, take func(*Snapshot) error) (found *Snapshot, err error) {
	if err := v.take(ctx); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	defer v.give()
	before := v.read
	v.read = readBadly // also if the Saver panics
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
