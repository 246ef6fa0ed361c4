package pad

import (
	"fmt"
	"time"
	"unicode/utf8"
)

// Pad is working memory: values under keys, in the order of creation. A value must not
// be changed after it was stored. [Pad.Namespace] returns a view of a pad, which is a
// Pad too. A Pad is safe for concurrent use. Get never waits for another Get.
type Pad struct {
	shared  *shared
	prefix  string // of the full keys; "" for the whole pad
	invalid bool   // the view has no valid name: the prefix is not UTF-8, and no key begins with it
}

// New returns an empty pad. It loads nothing: see [Pad.Load]. A pad with a SweepInterval
// or an AutoSave needs a [Pad.Close]. Errors: [ErrConfig].
func New(o Options) (*Pad, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := newShared(o, emptyView())
	s.startSaving()
	s.startSweep()
	return &Pad{shared: s}, nil
}

// fullKey checks a key and returns it with the prefix of the view.
func (p *Pad) fullKey(key string) (string, error) {
	switch {
	case p.invalid:
		return "", fmt.Errorf("the namespace has no valid name: %w", ErrKey)
	case key == "":
		return "", fmt.Errorf("the key is empty: %w", ErrKey)
	case !utf8.ValidString(key):
		return "", fmt.Errorf("the key %q is not valid UTF-8: %w", key, ErrKey)
	}
	return p.prefix + key, nil
}

// Set stores a value with the pad's default TTL and without tags. It is [Pad.SetWith]
// with zero options.
func (p *Pad) Set(key string, value any) error { return p.SetWith(key, value, SetOptions{}) }

// SetWith stores a value. If the key has a live entry, CreatedAt and the place in the
// order stay the same, and everything else is replaced: options that are not given come
// from the pad's defaults, not from the old entry. If a fixed TTL has already passed
// since CreatedAt, the old entry expires and a new one is created. Errors: [ErrKey],
// [ErrConfig], [ErrClosed].
func (p *Pad) SetWith(key string, value any, o SetOptions) error {
	full, err := p.fullKey(key)
	if err != nil {
		return fmt.Errorf("set: %w", err)
	}
	setting, err := p.shared.o.setting(o)
	if err != nil {
		return fmt.Errorf("set %q: %w", key, err)
	}
	s := p.shared
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return fmt.Errorf("set %q: %w", key, ErrClosed)
	}
	s.set(full, value, setting, s.o.Now())
	s.noteChange()
	return nil
}

// set stores a value. The lock must be held.
func (s *shared) set(key string, value any, o setting, now time.Time) {
	at := s.now.Load()
	e := &entry{
		key: key, value: value, tags: o.tags, created: now, updated: now, ttl: o.ttl, sliding: o.sliding,
		revision: newRevision(), epoch: at.epoch,
	}
	e.accessed.Store(now.UnixMilli())
	old := s.look().trie.Get(key)
	if old != nil && !old.expired(*at, now) {
		e.seq, e.created = old.seq, old.created
		if !e.expired(*at, now) {
			e.due = e.dueAt(*at)
			s.edit().put(e, old)
			s.changed()
			s.event(Event{Kind: EventSet, Key: key, Update: true}, e)
			return
		}
		e.created = now
	}
	if old != nil {
		s.event(Event{Kind: EventExpire, Key: key}, old)
	}
	s.seq++
	e.seq = s.seq
	e.due = e.dueAt(*at)
	s.edit().put(e, old)
	s.changed()
	s.event(Event{Kind: EventSet, Key: key}, e)
}

// Delete removes a key, and reports whether it had a live entry. On a closed pad it
// returns false.
func (p *Pad) Delete(key string) bool {
	full, err := p.fullKey(key)
	if err != nil {
		return false
	}
	s := p.shared
	s.mu.Lock()
	defer s.unlock()
	e := s.look().trie.Get(full)
	if s.closed || e == nil {
		return false
	}
	s.noteChange()
	if e.expired(*s.now.Load(), s.o.Now()) {
		s.expire(e)
		return false
	}
	s.delete(e)
	return true
}

// Clear removes all entries, and returns how many of them were live. On a closed pad it
// returns 0.
func (p *Pad) Clear() int {
	s := p.shared
	s.mu.Lock()
	defer s.unlock()
	if s.closed || p.invalid {
		return 0
	}
	n := s.clear(p.prefix)
	s.changed()
	s.noteChange()
	return n
}

// clear removes the entries of a view. Readers see that when the caller calls changed,
// together with the entries that the caller adds. The lock must be held.
func (s *shared) clear(prefix string) int {
	now, at := s.o.Now(), *s.now.Load()
	n := 0
	if prefix == "" {
		n = s.liveAll()
		s.edited, s.frozen = newContent(), nil
	} else {
		s.edit().trie.Detach()
		for e := range s.look().below(prefix) {
			if !e.expired(at, now) {
				n++
			}
			s.edit().drop(e)
		}
	}
	s.event(Event{Kind: EventClear, Count: n, Prefix: prefix}, nil)
	return n
}

// liveAll counts the live entries of the whole pad. The lock must be held.
func (s *shared) liveAll() int {
	return s.look().order.Len() - view{s.look(), *s.now.Load()}.expiredBy(s.o.Now())
}

// Sweep removes all expired entries of the whole pad, and returns how many. Its cost
// follows the number of entries that are due. With [Options].SweepInterval the pad
// does this on its own.
func (p *Pad) Sweep() int { return p.shared.sweep() }

// Namespace returns a view of the entries whose keys begin with the name and a colon.
// The keys of a view do not have this prefix, except in events. All methods act on the
// entries of the view only, except for Save, Load, Sweep and Close, which act on the
// whole pad. Views can be nested.
//
// If the name is empty or not valid UTF-8, the view is empty, and Set fails with
// [ErrKey]. So a program that lost an agent's name does not open the whole pad.
func (p *Pad) Namespace(name string) *Pad {
	if name == "" {
		name = "\xff"
	}
	prefix := p.prefix + name + ":"
	return &Pad{shared: p.shared, prefix: prefix, invalid: !utf8.ValidString(prefix)}
}

// Snapshot returns the live entries of the pad or the view. The cost does not depend on
// their number.
func (p *Pad) Snapshot() *Snapshot { return p.shared.snapshot(p.prefix) }
