package pad

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// shared is the state that a pad and its views share. One goroutine at a time changes
// it. Reading one key needs no lock. To read many keys, take a view.
type shared struct {
	o      Options
	saving *saving // nil without a Saver

	root atomic.Pointer[entryNode] // the current root of the trie
	now  atomic.Pointer[moment]    // the moment at which accesses happen

	mu     sync.Mutex // guards the following
	edited *content   // the content, if it has changed since it was frozen; else nil
	frozen *content   // the content that views share, which must not change; nil if edited is not
	seq    uint64     // the last place in the order of creation
	closed bool
	events events

	together  bool   // a merge is running: readers must not see part of it
	stopSweep func() // nil without a sweep; set once
}

func newShared(o Options, from view) *shared {
	s := &shared{o: o, frozen: from.content}
	s.root.Store(from.content.trie.Root())
	s.now.Store(&from.at)
	return s
}

// get returns the entry of a full key, expired or not.
func (s *shared) get(key string) *entry { return s.root.Load().Get(key) }

// changed shows a change of the content to readers. The lock must be held.
func (s *shared) changed() {
	if s.together {
		return
	}
	if root := s.look().trie.Root(); s.root.Load() != root {
		s.root.Store(root)
	}
}

// look returns the content to read. The lock must be held.
func (s *shared) look() *content {
	if s.edited != nil {
		return s.edited
	}
	return s.frozen
}

// edit returns the content to change. The lock must be held.
func (s *shared) edit() *content {
	if s.edited == nil {
		s.edited, s.frozen = s.frozen.copied(), nil
	}
	return s.edited
}

// freeze returns the content for a view. The next change makes a copy. The lock must
// be held.
func (s *shared) freeze() *content {
	if s.frozen == nil {
		s.frozen, s.edited = s.edited, nil
		s.frozen.seq = s.seq
	}
	return s.frozen
}

// view returns the current content. Later accesses may show in it.
func (s *shared) view() view {
	s.mu.Lock()
	defer s.mu.Unlock()
	return view{s.freeze(), *s.now.Load()}
}

// snapshot returns what a view holds now. Later accesses do not show in it.
func (s *shared) snapshot(prefix string) *Snapshot {
	now := s.o.Now()
	return &Snapshot{time: now, view: s.seal(), prefix: prefix}
}

func (s *shared) seal() view {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flatten()
	s.reindex()
	v := view{s.freeze(), *s.now.Load()}
	s.now.Store(&moment{v.at.branch, newEpoch()})
	return v
}

// flatten runs when a pad has maxDepth branches, or more touches than entries and
// minTouches. Tests lower both.
var (
	maxDepth   = 32
	minTouches = int64(1024)
)

// flatten stores the accesses of earlier epochs in the entries, and begins a branch
// without a past. It waits until there are enough touches that the cost of an access
// stays constant. The lock must be held.
func (s *shared) flatten() {
	now := *s.now.Load()
	total := int64(0)
	for b := now.branch; b != nil; b = b.parent.Load() {
		total += b.touches.Load()
	}
	if now.branch.depth < maxDepth && total <= minTouches+int64(s.look().order.Len()) {
		return
	}
	next := now.after()
	next.branch.depth = 0
	s.now.Store(&next)
	for b := now.branch; b != nil; b = b.parent.Load() {
		for t := b.touched.Load(); t != nil; t = t.next {
			if e := s.look().trie.Get(t.key); e != nil && e.touches.Load() != nil {
				s.replace(e, now, next)
			}
		}
	}
	next.branch.parent.Store(nil) // not earlier: Gets run meanwhile
}

// replace replaces an entry by a copy that holds its last access. If a Get runs
// meanwhile, its access is in the copy, or the Get finds the copy and tries again.
func (s *shared) replace(e *entry, from, to moment) {
	c := e.copied(from)
	c.epoch = to.epoch
	s.edit().put(c, e)
	s.changed()
	raise(&c.accessed, e.accessedAt(to))
}

// reindex moves entries that are due but were accessed meanwhile to a later place in
// the index of expiry, so that dueBy returns few live entries. An entry moves at most
// once in its TTL. The lock must be held.
func (s *shared) reindex() {
	now, at := s.o.Now(), *s.now.Load()
	for _, e := range s.look().dueBy(now) {
		if !e.expired(at, now) {
			s.replace(e, at, at)
		}
	}
}

// renewed replaces an entry by a copy and returns the copy. If the lock is taken, it
// returns the entry itself.
func (s *shared) renewed(e *entry) *entry {
	if !s.mu.TryLock() {
		return e
	}
	defer s.mu.Unlock()
	if s.look().trie.Get(e.key) != e {
		return e
	}
	at := *s.now.Load()
	s.replace(e, at, at)
	return s.look().trie.Get(e.key)
}

// expire removes an expired entry. The lock must be held.
func (s *shared) expire(e *entry) {
	s.edit().drop(e)
	s.changed()
	s.event(Event{Kind: EventExpire, Key: e.key}, e)
}

// delete removes a live entry. The lock must be held.
func (s *shared) delete(e *entry) {
	s.edit().drop(e)
	s.changed()
	s.event(Event{Kind: EventDelete, Key: e.key}, e)
}

// removeExpired removes the entry of a key for a reader that found it expired. If the
// key has a live entry by now, it returns that one.
func (s *shared) removeExpired(key string) *entry {
	s.mu.Lock()
	defer s.unlock()
	e := s.look().trie.Get(key)
	if e != nil && !e.expired(*s.now.Load(), s.o.Now()) {
		return e
	}
	if e != nil && !s.closed {
		s.expire(e)
		s.noteChange()
	}
	return nil
}

// sweep removes all expired entries, and returns how many there were. It also does
// the work of reindex.
func (s *shared) sweep() int {
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return 0
	}
	now, at := s.o.Now(), *s.now.Load()
	removed := 0
	for _, e := range s.look().dueBy(now) {
		if e.expired(at, now) {
			removed++
			s.expire(e)
		} else {
			s.replace(e, at, at)
		}
	}
	if removed > 0 {
		s.noteChange()
	}
	return removed
}

func (s *shared) startSweep() {
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

// event queues an event if there are handlers. e may be nil. The lock must be held.
func (s *shared) event(v Event, e *entry) {
	s.events.seq++
	if !s.events.any() {
		return
	}
	v.Seq = s.events.seq
	if e != nil {
		v.Entry = e.public(*s.now.Load(), e.key)
	}
	s.events.waiting = append(s.events.waiting, v)
}

// unlock ends a change. It releases the lock, and then delivers the events that wait,
// unless another goroutine or an outer call is delivering already.
func (s *shared) unlock() {
	deliver := len(s.events.waiting) > 0 && !s.events.delivering
	if deliver {
		s.events.delivering = true
	}
	s.mu.Unlock()
	if deliver {
		s.deliver()
	}
}

// deliver calls handlers until no event waits. If a handler calls runtime.Goexit, the
// deferred call delivers the rest before the goroutine ends.
func (s *shared) deliver() {
	done := false
	defer func() {
		if !done {
			s.deliver()
		}
	}()
	for h, e, ok := s.nextCall(); ok; h, e, ok = s.nextCall() {
		s.call(h, e)
	}
	done = true
}

func (s *shared) nextCall() (*subscription, Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, e, ok := s.events.next()
	s.events.delivering = ok
	return h, e, ok
}

func (s *shared) call(h *subscription, e Event) {
	defer func() {
		if r := recover(); r != nil {
			s.report(fmt.Errorf("pad: handler of %v events panicked: %v", e.Kind, r))
		}
	}()
	h.call(e)
}

// report calls OnError, which may panic. The lock must not be held.
func (s *shared) report(err error) {
	defer func() { _ = recover() }()
	s.o.OnError(err)
}

func (s *shared) startSaving() {
	if s.o.Saver == nil {
		return
	}
	s.saving = newSaving(s.o.Saver, s.o.AutoSave, func() *Snapshot { return s.snapshot("") }, s.report)
}

// noteChange arms the auto-save, if there is one. The lock must be held, so that a
// Close in a handler of the change saves it.
func (s *shared) noteChange() {
	if v := s.saving; v != nil && v.quiet > 0 {
		v.arm()
	}
}

// stop closes the pad and ends its goroutines. It returns false if the pad was
// closed before.
func (s *shared) stop() bool {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.events.end()
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
