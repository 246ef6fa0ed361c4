package pad

import (
	"context"
	"fmt"
)

// Save saves the whole pad, and replaces what was saved before. Without a Saver it does
// nothing. If JSON cannot hold a value, nothing is saved, and the error names the key.
// After a failed [Pad.Load], Save fails until a Load succeeds. Save also works after
// Close. A Saver must not call it. Errors: [ErrPersist].
func (p *Pad) Save(ctx context.Context) error {
	v := p.shared.saving
	if v == nil {
		return nil
	}
	if err := v.take(ctx); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	defer v.give()
	v.pending() // later changes wait for a save of their own
	return v.save(ctx)
}

// Load replaces the content of the whole pad by the saved one, as [Pad.Restore] does. If
// nothing was saved yet, or without a Saver, it changes nothing. Entries that were saved
// without a value become null, and are reported to [Options].OnError once. After a failed
// Load, nothing is saved until a Load succeeds. Errors: [ErrPersist], [ErrClosed].
func (p *Pad) Load(ctx context.Context) error {
	v := p.shared.saving
	switch {
	case p.shared.isClosed():
		return fmt.Errorf("load: %w", ErrClosed)
	case v == nil:
		return nil
	}
	found, err := v.load(ctx, p.shared.loaded)
	p.shared.mu.Lock()
	p.shared.unlock() // delivers the events of the load
	if found != nil {
		p.shared.reportValueless("load", found)
	}
	return err
}

// loaded restores a loaded snapshot. This is not a change that needs a save.
func (s *shared) loaded(from *Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("load: %w", ErrClosed)
	}
	s.restore("", from)
	s.saving.forget()
	return nil
}

func (s *shared) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Close stops the sweep, removes all handlers, and saves the changes that wait for an
// auto-save. Events that still wait are dropped. Afterwards reads work, and every change
// fails with [ErrClosed]. A second Close returns nil. Errors: [ErrPersist].
func (p *Pad) Close(ctx context.Context) error {
	s := p.shared
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
