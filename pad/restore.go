package pad

import "fmt"

// FromSnapshot returns a pad with the content of a snapshot. Errors: [ErrConfig], also for
// a nil snapshot.
func FromSnapshot(from *Snapshot, o Options) (*Pad, error) {
	p, err := New(o)
	if err != nil {
		return nil, err
	}
	if err := p.Restore(from); err != nil {
		p.store.stop()
		return nil, err
	}
	return p, nil
}

// Restore replaces the content of the pad or the view by that of a snapshot, which may
// come from any pad or view. Entries keep their times. Entries that have expired by now
// are not visible. The events are a Clear, and a Set for each entry. Entries that had no
// value in the JSON become null, and are reported to [Options].OnError once.
//
// On an error nothing changes. Errors: [ErrConfig] for a nil snapshot, [ErrKey] for a
// view without a valid name, [ErrClosed].
func (p *Pad) Restore(from *Snapshot) error {
	switch {
	case from == nil:
		return fmt.Errorf("restore: the snapshot is nil: %w", ErrConfig)
	case p.invalid():
		return fmt.Errorf("restore: the namespace has no valid name: %w", ErrKey)
	}
	s := p.store
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return fmt.Errorf("restore: %w", ErrClosed)
	}
	s.restore(p.prefix, from)
	s.noteChange()
	s.unlock()
	s.reportValueless("restore", from)
	return nil
}

// reportValueless reports the entries of a snapshot that had no value in the JSON. The
// lock must not be held.
func (s *store) reportValueless(what string, from *Snapshot) {
	switch n := len(from.valueless); n {
	case 0:
	case 1:
		s.report(fmt.Errorf("pad: %s: the entry %q has no value, and is null now: %w", what, from.valueless[0],
			ErrPersist))
	default:
		s.report(fmt.Errorf("pad: %s: %d entries have no value, and are null now; the first is %q: %w", what, n,
			from.valueless[0], ErrPersist))
	}
}

// restore replaces the content of a view. The lock must be held.
func (s *store) restore(prefix string, from *Snapshot) {
	s.clear(prefix)
	s.copyIn(prefix, from)
	if len(s.events.handlers) == 0 {
		return
	}
	for e := range s.content.live(prefix, s.o.Now()) {
		s.event(Event{Kind: EventSet, Key: e.key}, e)
	}
}

// copyIn adds the entries of a snapshot below a prefix where there are none. If it is the
// whole pad, and the snapshot is of a whole pad, the two share everything until the first
// change.
func (s *store) copyIn(prefix string, from *Snapshot) {
	if prefix == "" && from.prefix == "" {
		s.adopt(orEmpty(from).content)
		for _, e := range s.content.dueBy(from.time) {
			if e.expired(from.time) {
				s.edit().drop(e) // a snapshot has only live entries
			}
		}
	} else {
		for e := range from.live() {
			c := e.copied(s.epoch.Load())
			c.key, c.seq, c.revision = prefix+e.key[len(from.prefix):], 0, newRevision()
			s.edit().put(c, nil)
		}
	}
	s.root.Store(s.content.root)
}

// Fork returns an independent pad with the same content and options, but without Saver,
// handlers and sweep. It needs no Close. The cost does not depend on the size, except
// for a view. A fork of a view has the keys of the view.
func (p *Pad) Fork() *Pad {
	o := p.store.o
	o.Saver, o.AutoSave, o.SweepInterval = nil, 0, 0
	fork := &Pad{store: newStore(o)}
	fork.store.copyIn("", p.Snapshot())
	return fork
}
