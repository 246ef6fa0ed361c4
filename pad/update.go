package pad

import "fmt"

// Update replaces the value of a key by the result of f, as one atomic change. TTL and
// tags stay the same. If the key has no live entry, ok is false, and the new entry gets
// the pad's defaults.
//
// No lock is held while f runs, so f may read the pad. If the key changes meanwhile, f
// is called again. So f must have no effect but its result. An error of f is returned
// as it is, and nothing changes. Errors: [ErrKey], [ErrClosed], [*TypeError].
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
		done, err := p.shared.update(full, e, value)
		if err != nil {
			return fmt.Errorf("update %q: %w", key, err)
		}
		if done {
			return nil
		}
	}
}

// update stores a value if the key still has the same entry. A nil entry means none.
func (s *shared) update(key string, from *entry, value any) (done bool, err error) {
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
		o, _ := s.o.setting(SetOptions{})
		if e != nil {
			o = setting{e.ttl, e.sliding, e.tags}
		}
		s.set(key, value, o, now)
		s.noteChange()
	}
	return done, nil
}
