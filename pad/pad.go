package pad

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Pad is working memory: values under keys, in the order of creation. A value must not
// be changed after it was stored. [Pad.Namespace] returns a view of a pad, which is a
// Pad too. A Pad is safe for concurrent use. Get waits for nobody, except that the first Get
// of an entry after a Snapshot, a Fork or a Restore copies the entry, as a Set does.
type Pad struct {
	store  *store
	prefix string // of the full keys; "" for the whole pad, noView for none
}

// New returns an empty pad. It loads nothing: see [Pad.Load]. A pad with a SweepInterval
// or an AutoSave needs a [Pad.Close]. Errors: [ErrConfig].
func New(o Options) (*Pad, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := newStore(o)
	s.startSaving()
	s.startSweep()
	return &Pad{store: s}, nil
}

// fullKey checks a key and returns it with the prefix of the view.
func (p *Pad) fullKey(key string) (string, error) {
	switch {
	case p.invalid():
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
	setting, err := p.store.o.setting(o)
	if err != nil {
		return fmt.Errorf("set %q: %w", key, err)
	}
	s := p.store
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
func (s *store) set(key string, value any, o setting, now time.Time) {
	e := &entry{
		key: key, value: value, tags: o.tags, created: now, updated: now, ttl: o.ttl, sliding: o.sliding,
		revision: newRevision(), epoch: s.epoch.Load(),
	}
	e.accessed.Store(now.UnixMilli())
	old := s.content.root.get(key)
	if old != nil && !old.expired(now) {
		if e.created = old.created; e.expired(now) {
			e.created = now
		} else {
			e.seq = old.seq
		}
	}
	s.put(e, old)
}

// put stores an entry, with the events. If it has the place of old, which may be nil, it
// replaces that one, else old has expired. The lock must be held.
func (s *store) put(e, old *entry) {
	update := old != nil && e.seq == old.seq
	if old != nil && !update {
		s.event(Event{Kind: EventExpire, Key: e.key}, old)
	}
	s.edit().put(e, old)
	s.event(Event{Kind: EventSet, Key: e.key, Update: update}, e)
}

// Delete removes a key, and reports whether it had a live entry. On a closed pad it
// returns false.
func (p *Pad) Delete(key string) bool {
	full, err := p.fullKey(key)
	if err != nil {
		return false
	}
	s := p.store
	s.mu.Lock()
	defer s.unlock()
	e := s.content.root.get(full)
	if s.closed || e == nil {
		return false
	}
	s.noteChange()
	if e.expired(s.o.Now()) {
		s.remove(e, EventExpire)
		return false
	}
	s.remove(e, EventDelete)
	return true
}

// Clear removes all entries, and returns how many of them were live. On a closed pad it
// returns 0.
func (p *Pad) Clear() int {
	s := p.store
	s.mu.Lock()
	defer s.unlock()
	if s.closed || p.invalid() {
		return 0
	}
	n := s.clear(p.prefix)
	s.noteChange()
	return n
}

// clear removes the entries of a view, and returns how many of them were live. The lock must
// be held.
func (s *store) clear(prefix string) (n int) {
	now := s.o.Now()
	if prefix == "" {
		n = s.content.size("", now)
		s.content, s.shared = nothing, true
	} else {
		for e := range s.content.below(prefix) {
			if !e.expired(now) {
				n++
			}
			s.edit().drop(e)
		}
	}
	s.event(Event{Kind: EventClear, Count: n, Prefix: prefix}, nil)
	return n
}

// Sweep removes all expired entries of the whole pad, and returns how many. Its cost
// follows the number of entries that are due. With [Options].SweepInterval the pad
// does this on its own.
func (p *Pad) Sweep() int { return p.store.sweep() }

// Namespace returns a view of the entries whose keys begin with the name and a colon.
// The keys of a view do not have this prefix, except in events. All methods act on the
// entries of the view only, except for Save, Load, Sweep and Close, which act on the
// whole pad. Views can be nested.
//
// If the name is empty or not valid UTF-8, the view is empty, and Set fails with
// [ErrKey]. So a program that lost an agent's name does not open the whole pad.
func (p *Pad) Namespace(name string) *Pad {
	prefix := p.prefix + name + ":"
	if name == "" || !utf8.ValidString(name) {
		prefix = noView
	}
	return &Pad{store: p.store, prefix: prefix}
}

// noView is the prefix of a view without a valid name. It is not UTF-8, so no key has it.
const noView = "\xff"

func (p *Pad) invalid() bool { return strings.HasPrefix(p.prefix, noView) }

// Snapshot returns the live entries of the pad or the view. The cost does not depend on
// their number.
func (p *Pad) Snapshot() *Snapshot {
	return p.store.snapshot(p.prefix)
}
