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

// FromSnapshot returns a pad with the content of a snapshot. Errors: [ErrConfig].
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
	setting, err := p.store.setting(o)
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

// find returns the live entry of a key, nil if there is none. It removes one that
// has expired.
func (p *Pad) find(key string) *entry {
	full, err := p.fullKey(key)
	if err != nil {
		return nil
	}
	e := p.store.get(full)
	if e == nil || e.ttl == 0 {
		return e
	}
	if e.expired(*p.store.now.Load(), p.store.o.Now()) {
		return p.store.removeExpired(full)
	}
	return e
}

// access is find for an access, which moves AccessedAt.
func (p *Pad) access(key string) *entry {
	full, err := p.fullKey(key)
	if err != nil {
		return nil
	}
	s := p.store
	e := s.get(full)
	if e == nil {
		return nil
	}
	now := s.o.Now()
	if e.expired(*s.now.Load(), now) {
		if e = s.removeExpired(full); e == nil {
			return nil
		}
	}
	for {
		at := s.now.Load()
		if e.crowded() || e.sliding && e.due <= nanoseconds(now) { // its place in the index is long past
			e = s.renewed(e)
		}
		e.access(*at, now.UnixMilli())
		current := s.get(full)
		if current == nil || current.revision != e.revision || current == e && s.now.Load() == at {
			return e
		}
		e = current // a copy took its place, or the moment is past: the access may be out of sight
	}
}

// Get returns the value of a key, and false if there is none. Of a value that was
// read as JSON it gives the map, slice, string, bool or nil that it is, a number
// as int64 when it is whole and exact, else as float64. It counts as an access.
func (p *Pad) Get(key string) (any, bool) {
	e := p.access(key)
	if e == nil {
		return nil, false
	}
	return untyped(e.value), true
}

// Get returns the value of a key as a T: the value itself where it is one, or what
// was read as JSON decoded into a T. It counts as an access. Errors: [ErrNotFound],
// [*TypeError].
func Get[T any](p *Pad, key string) (T, error) {
	e := p.access(key)
	if e == nil {
		var zero T
		return zero, fmt.Errorf("get %q: %w", key, ErrNotFound)
	}
	return typed[T](key, e.value)
}

// Update replaces the value of a key by what f makes of it, with no change between.
// ok is false where there is none; the new entry then has the pad's defaults, else
// TTL and tags stay. f runs outside of the lock, and again when somebody else
// changed the key meanwhile: it must have no effect but its result, and may read
// the pad. An error of f is returned as it is, and nothing changes. Errors:
// [ErrKey], [ErrClosed], [*TypeError].
func Update[T any](p *Pad, key string, f func(old T, ok bool) (T, error)) error {
	full, err := p.fullKey(key)
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	for {
		e := p.find(key)
		var old T
		if e != nil {
			if old, err = typed[T](key, e.value); err != nil {
				return err
			}
		}
		value, err := f(old, e != nil)
		if err != nil {
			return err
		}
		done, err := p.store.update(full, e, value)
		if err != nil {
			return fmt.Errorf("update %q: %w", key, err)
		}
		if done {
			return nil
		}
	}
}

// update stores a value if the key still has the entry, nil for none.
func (s *store) update(key string, from *entry, value any) (done bool, err error) {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return false, ErrClosed
	}
	now := s.o.Now()
	e := s.look().trie.Get(key)
	if e != nil && e.expired(*s.now.Load(), now) {
		s.expire(e)
		s.noteChange()
		e = nil
	}
	if done = e == nil && from == nil || e != nil && from != nil && e.revision == from.revision; done {
		o, _ := s.setting(SetOptions{})
		if e != nil {
			o = setting{e.ttl, e.sliding, e.tags}
		}
		s.set(key, value, o, now)
		s.noteChange()
	}
	return done, nil
}

// Peek returns the entry of a key without counting as an access.
func (p *Pad) Peek(key string) (Entry, bool) {
	s := p.store
	for {
		at := s.now.Load()
		e := p.find(key)
		if e == nil {
			return Entry{}, false
		}
		entry := e.public(*at, key)
		if s.now.Load() == at && s.get(e.key) == e {
			return entry, true // entry and moment belong together
		}
	}
}

// Has reports whether there is a live entry of a key. It does not count as an
// access.
func (p *Pad) Has(key string) bool { return p.find(key) != nil }

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
