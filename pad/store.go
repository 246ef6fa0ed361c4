package pad

import (
	"sync"
	"sync/atomic"
	"time"
)

// store is the state that a pad and its views share. One goroutine at a time changes
// it. Reading one key needs no lock. To read many keys, take a view.
type store struct {
	o      Options
	saving *saving // nil without a Saver

	root  atomic.Pointer[node] // the entries that readers see
	epoch atomic.Uint64        // begins with each snapshot; accesses are stored in entries of this epoch alone

	mu        sync.Mutex // guards the following
	content   *content
	shared    bool // a view or a snapshot has the content too, which must not change
	closed    bool
	events    events
	stopSweep func() // nil without a sweep; set once
}

func newStore(o Options) *store {
	s := &store{o: o}
	s.adopt(nothing)
	return s
}

// adopt makes a content that is shared that of the store. The lock must be held.
func (s *store) adopt(c *content) {
	s.content, s.shared = c, true
	s.root.Store(c.root)
	s.epoch.Store(newEpoch())
}

// get returns the entry of a full key, expired or not.
func (s *store) get(key string) *entry { return s.root.Load().get(key) }

// edit returns the content to change. The lock must be held. Readers see the change when
// unlock is called.
func (s *store) edit() *content {
	if s.shared {
		s.content, s.shared = s.content.copied(), false
	}
	return s.content
}

// view returns the current content. Later accesses may show in it.
func (s *store) view() *content {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared = true
	return s.content
}

// snapshot returns what a view holds now. Later accesses do not show in it.
func (s *store) snapshot(prefix string) *Snapshot {
	now := s.o.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared = true
	s.epoch.Store(newEpoch())
	return &Snapshot{time: now, content: s.content, prefix: prefix}
}

// renew replaces an entry by a copy of the present epoch, whose place in the index of expiry
// follows from its last access.
func (s *store) renew(e *entry) {
	s.mu.Lock()
	defer s.unlock()
	if s.content.root.get(e.key) == e {
		s.replace(e)
	}
}

// replace is renew, with the lock held. If a Get runs meanwhile, its access is in the copy,
// or the Get finds the copy and tries again.
func (s *store) replace(e *entry) {
	c := e.copied(s.epoch.Load())
	s.edit().put(c, e)
	s.root.Store(s.content.root)
	c.access(e.accessed.Load())
}

// remove removes an entry. The lock must be held.
func (s *store) remove(e *entry, kind EventKind) {
	s.edit().drop(e)
	s.event(Event{Kind: kind, Key: e.key}, e)
}

// removeExpired removes the entry of a key for a reader that found it expired. If the
// key has a live entry by now, it returns that one.
func (s *store) removeExpired(key string) *entry {
	s.mu.Lock()
	defer s.unlock()
	e := s.content.root.get(key)
	if e != nil && !e.expired(s.o.Now()) {
		return e
	}
	if e != nil && !s.closed {
		s.remove(e, EventExpire)
		s.noteChange()
	}
	return nil
}

// sweep removes all expired entries, and returns how many there were. It moves those that
// are due but were accessed meanwhile to a later place in the index of expiry.
func (s *store) sweep() int {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return 0
	}
	now, removed := s.o.Now(), 0
	for _, e := range s.content.dueBy(now) {
		if e.expired(now) {
			removed++
			s.remove(e, EventExpire)
		} else {
			s.replace(e)
		}
	}
	if removed > 0 {
		s.noteChange()
	}
	return removed
}

func (s *store) startSweep() {
	if s.o.SweepInterval <= 0 {
		return
	}
	done := make(chan struct{})
	s.stopSweep = sync.OnceFunc(func() { close(done) })
	go func() {
		ticker := time.NewTicker(s.o.SweepInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.sweep()
			case <-done:
				return
			}
		}
	}()
}

func (s *store) startSaving() {
	if s.o.Saver == nil {
		return
	}
	s.saving = newSaving(s.o.Saver, s.o.AutoSave, func() *Snapshot { return s.snapshot("") }, s.report)
}

// noteChange arms the auto-save, if there is one. The lock must be held, so that a
// Close in a handler of the change saves it.
func (s *store) noteChange() {
	if v := s.saving; v != nil && v.quiet > 0 {
		v.arm()
	}
}

// stop closes the store and ends its goroutines. It returns false if the store was
// closed before.
func (s *store) stop() bool {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.events.handlers, s.events.waiting = nil, nil
	s.mu.Unlock()
	if !first {
		return false
	}
	if s.stopSweep != nil {
		s.stopSweep()
	}
	if s.saving != nil {
		s.saving.end()
	}
	return true
}
