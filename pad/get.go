package pad

import "fmt"

// find returns the live entry of a key, nil if there is none. It removes an expired one.
func (p *Pad) find(key string) *entry {
	full, err := p.fullKey(key)
	if err != nil {
		return nil
	}
	e := p.shared.get(full)
	if e == nil || e.ttl == 0 {
		return e
	}
	if e.expired(*p.shared.now.Load(), p.shared.o.Now()) {
		return p.shared.removeExpired(full)
	}
	return e
}

// access is find, and moves AccessedAt.
func (p *Pad) access(key string) *entry {
	full, err := p.fullKey(key)
	if err != nil {
		return nil
	}
	s := p.shared
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
		if e.crowded() || e.sliding && e.due <= nanoseconds(now) { // its place in the index has passed
			e = s.renewed(e)
		}
		e.access(*at, now.UnixMilli())
		current := s.get(full)
		if current == nil || current.revision != e.revision || current == e && s.now.Load() == at {
			return e
		}
		e = current // the entry was replaced, or an epoch has begun: the access may be lost
	}
}

// Get returns the value of a key, and false if there is none. A value that was loaded
// from JSON is a map[string]any, []any, string, bool or nil. A number is an int64 if it
// is whole and exact, else a float64. Get counts as an access.
func (p *Pad) Get(key string) (any, bool) {
	e := p.access(key)
	if e == nil {
		return nil, false
	}
	return untyped(e.value), true
}

// Get returns the value of a key as a T. A value that was loaded from JSON is decoded
// into a T. Get counts as an access. Errors: [ErrNotFound], [*TypeError].
func Get[T any](p *Pad, key string) (T, error) {
	e := p.access(key)
	if e == nil {
		var zero T
		return zero, fmt.Errorf("get %q: %w", key, ErrNotFound)
	}
	return typed[T](key, e.value)
}

// Peek returns the entry of a key, and false if there is none. It does not count as an
// access.
func (p *Pad) Peek(key string) (Entry, bool) {
	s := p.shared
	for {
		at := s.now.Load()
		e := p.find(key)
		if e == nil {
			return Entry{}, false
		}
		entry := e.public(*at, key)
		if s.now.Load() == at && s.get(e.key) == e {
			return entry, true // no epoch began between the two
		}
	}
}

// Has reports whether a key has a live entry. It does not count as an access.
func (p *Pad) Has(key string) bool { return p.find(key) != nil }
