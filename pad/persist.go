package pad

import (
	"context"
	"fmt"
)

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
	found, err := v.load(ctx, p.store.loaded)
	p.store.mu.Lock()
	p.store.unlock() // delivers the events of the load
	if found != nil {
		p.store.reportValueless("load", found)
	}
	return err
}

// loaded takes over what was loaded, which is no change that needs to be saved.
func (s *store) loaded(from *Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("load: %w", ErrClosed)
	}
	s.restore("", from)
	s.saving.forget()
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
