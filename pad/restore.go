package pad

import (
	"fmt"
	"time"
)

// FromSnapshot returns a pad with the content of a snapshot. Errors: [ErrConfig], also for
// a nil snapshot.
func FromSnapshot(from *Snapshot, o Options) (*Pad, error) {
	p, err := New(o)
	if err != nil {
		return nil, err
	}
	if err := p.Restore(from); err != nil {
		p.shared.stop()
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
	case p.invalid:
		return fmt.Errorf("restore: the namespace has no valid name: %w", ErrKey)
	}
	s := p.shared
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
func (s *shared) reportValueless(what string, from *Snapshot) {
	if n := len(from.valueless); n > 0 {
		s.report(fmt.Errorf("pad: %s: entries without a value are null now: %d, the first is %q: %w", what, n,
			from.valueless[0], ErrPersist))
	}
}

// restore replaces the content of a view. The lock must be held.
func (s *shared) restore(prefix string, from *Snapshot) {
	if prefix == "" && from.prefix == "" && from.view.content != nil {
		if s.events.any() {
			s.event(Event{Kind: EventClear, Count: s.liveAll()}, nil)
		}
		s.adopt(from.view, from.time)
	} else {
		s.clear(prefix)
		s.copyIn(prefix, from)
	}
	if !s.events.any() {
		return
	}
	for e := range (view{s.look(), *s.now.Load()}).live(prefix, s.o.Now()) {
		s.event(Event{Kind: EventSet, Key: e.key}, e)
	}
}

// adopt makes a view the content of the pad. The two share everything until the first
// change.
func (s *shared) adopt(from view, taken time.Time) {
	at := from.at.after()
	s.edited, s.frozen, s.seq = nil, from.content, max(s.seq, from.content.seq)
	for _, e := range from.content.dueBy(taken) {
		if e.expired(from.at, taken) {
			s.edit().drop(e) // a snapshot has only live entries
		}
	}
	s.now.Store(&at)
	s.changed()
	s.flatten()
}

// copyIn adds the entries of a snapshot below a prefix.
func (s *shared) copyIn(prefix string, from *Snapshot) {
	at := *s.now.Load()
	for e := range from.live() {
		c := e.copied(from.view.at)
		s.seq++
		c.key, c.seq, c.revision, c.epoch = prefix+e.key[len(from.prefix):], s.seq, newRevision(), at.epoch
		s.edit().put(c, nil)
	}
	s.changed()
}

// Fork returns an independent pad with the same content and options, but without Saver,
// handlers and sweep. It needs no Close. The cost does not depend on the size, except
// for a view. A fork of a view has the keys of the view.
func (p *Pad) Fork() *Pad {
	o := p.shared.o
	o.Saver, o.AutoSave, o.SweepInterval = nil, 0, 0
	from := p.Snapshot()
	if p.prefix != "" {
		fork := &Pad{shared: newShared(o, emptyView())}
		fork.shared.copyIn("", from)
		return fork
	}
	fork := &Pad{shared: newShared(o, from.view)}
	fork.shared.adopt(from.view, from.time)
	return fork
}
