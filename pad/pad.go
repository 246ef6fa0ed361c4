package pad

import (
	"fmt"
	"time"
	"unicode/utf8"
)

// Pad is working memory: values under keys, in the order of their creation. A
// value that was stored must not be changed afterwards. A Pad is safe for
// concurrent use; Get never waits for another Get.
//
// A view that [Pad.Namespace] returns is a Pad too.
type Pad struct {
	store   *store
	prefix  string // of the full keys, "" for the whole pad
	invalid bool   // the view of a name that is none
}

// New returns an empty pad. Nothing is loaded: see [Pad.Load]. Errors: [ErrConfig].
func New(o Options) (*Pad, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := newStore(o, emptyView())
	s.startSaving()
	s.startSweep()
	return &Pad{store: s}, nil
}

// fullKey checks a key and returns it as the store knows it.
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

// Set stores a value with the pad's default TTL and without tags. It is
// [Pad.SetWith] with no options.
func (p *Pad) Set(key string, value any) error { return p.SetWith(key, value, SetOptions{}) }

// SetWith stores a value. An entry that is there keeps its CreatedAt and its place
// in the order; what the options do not say falls back to the pad's defaults, not
// to what the entry had. Where a fixed TTL, counted from CreatedAt, has already
// passed, the entry expires and the value begins a new one. Errors: [ErrKey],
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

// set stores a value under the lock.
func (s *store) set(key string, value any, o setting, now time.Time) {
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

// Delete removes a key, and reports whether it had a live entry.
func (p *Pad) Delete(key string) bool {
	full, err := p.fullKey(key)
	if err != nil {
		return false
	}
	s := p.store
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

// Clear removes all entries and returns how many live ones it removed.
func (p *Pad) Clear() int {
	s := p.store
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

// clear empties a view under the lock. Readers see it, and what the caller adds,
// all at once when the caller calls changed.
func (s *store) clear(prefix string) int {
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

// liveAll counts the live entries under the lock.
func (s *store) liveAll() int {
	return s.look().order.Len() - view{s.look(), *s.now.Load()}.expiredBy(s.o.Now())
}

// Sweep removes all entries that have expired, of the whole pad, and returns how
// many. Its cost follows what is due. It is what [Options].SweepInterval repeats.
func (p *Pad) Sweep() int { return p.store.sweep() }

// Namespace returns a view of the entries whose key begins with the name and a
// colon. Everything a view does is about those alone, and speaks of keys without
// that beginning, but for events; Save, Load, Sweep and Close act on the whole pad.
// Views nest. A view of an empty or invalid name holds nothing and refuses Set
// with [ErrKey]: an agent's name that went missing must not open the whole pad.
func (p *Pad) Namespace(name string) *Pad {
	return &Pad{
		store: p.store, prefix: p.prefix + name + ":",
		invalid: p.invalid || name == "" || !utf8.ValidString(name),
	}
}

// Snapshot returns what the pad or the view holds.
func (p *Pad) Snapshot() *Snapshot {
	if p.invalid {
		return &Snapshot{time: p.store.o.Now()}
	}
	return p.store.snapshot(p.prefix)
}
