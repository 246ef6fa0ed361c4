package pad

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// store is what a pad and its views share. One goroutine changes it at a time;
// readers of one key need no lock, and those of many take a view.
type store struct {
	o      Options
	events events
	saving *saving // nil: there is no Saver

	root atomic.Pointer[entryNode] // of the trie as it is now
	now  atomic.Pointer[moment]    // for accesses

	mu     sync.Mutex // guards the following
	edited *content   // what is there, nil when nothing has changed since frozen was
	frozen *content   // what is there, shared with views and not to be changed; nil when edited is not
	seq    uint64     // the highest order of creation
	closed bool

	together bool // readers see the changes under way when all are made

	stopSweep func()
}

func newStore(o Options, from view) *store {
	s := &store{o: o, frozen: from.content}
	s.root.Store(from.content.trie.Root())
	s.now.Store(&from.at)
	return s
}

// get returns the entry of a full key, expired or not.
func (s *store) get(key string) *entry { return s.root.Load().Get(key) }

// changed is called under the lock after a change of the content.
func (s *store) changed() {
	if s.together {
		return
	}
	if root := s.look().trie.Root(); s.root.Load() != root {
		s.root.Store(root)
	}
}

// look returns the content to read, under the lock.
func (s *store) look() *content {
	if s.edited != nil {
		return s.edited
	}
	return s.frozen
}

// edit returns the content to change, under the lock.
func (s *store) edit() *content {
	if s.edited == nil {
		s.edited, s.frozen = s.frozen.copied(), nil
	}
	return s.edited
}

// freeze returns the content as it is, under the lock. The next change pays for it.
func (s *store) freeze() *content {
	if s.frozen == nil {
		s.frozen, s.edited = s.edited, nil
		s.frozen.seq = s.seq
	}
	return s.frozen
}

// view returns what is there now. Accesses after it show in it.
func (s *store) view() view {
	s.mu.Lock()
	defer s.mu.Unlock()
	return view{s.freeze(), *s.now.Load()}
}

// snapshot returns what a view holds now. Later accesses do not show in it.
func (s *store) snapshot(prefix string) *Snapshot {
	now := s.o.Now()
	return &Snapshot{time: now, view: s.seal(), prefix: prefix}
}

func (s *store) seal() view {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fold()
	s.reindex()
	v := view{s.freeze(), *s.now.Load()}
	s.now.Store(&moment{v.at.branch, newEpoch()})
	return v
}

// maxDepth bounds the branches that a look at an access may have to go through, and
// minTouches says how many accesses are too few to be written into entries. Tests
// lower them.
var (
	maxDepth   = 32
	minTouches = int64(1024)
)

// fold writes the accesses of earlier epochs into the entries, when there are so
// many that each Get pays for its share, and begins a branch without a past. It is
// called under the lock.
func (s *store) fold() {
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
	next.branch.parent.Store(nil) // only now: Gets go on meanwhile
}

// replace puts a copy of an entry in its place that has its accesses in it. One
// that comes while this is done is in the copy, or its Get finds that there is one.
func (s *store) replace(e *entry, from, to moment) {
	c := e.copied(from)
	c.epoch = to.epoch
	s.edit().put(c, e)
	s.changed()
	raise(&c.accessed, e.accessedAt(to))
}

// reindex gives entries that were accessed since their place in the index of expiry
// was made a new one, so that what asks for what is due finds little else. Each
// pays for it once in its TTL. It is called under the lock.
func (s *store) reindex() {
	now, at := s.o.Now(), *s.now.Load()
	for _, e := range s.look().dueBy(now) {
		if !e.expired(at, now) {
			s.replace(e, at, at)
		}
	}
}

// renewed returns a copy of an entry that took its place, or the entry where that
// would have to wait.
func (s *store) renewed(e *entry) *entry {
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

// expire removes an entry that has expired, if it is still there. It is called
// under the lock.
func (s *store) expire(e *entry) {
	s.edit().drop(e)
	s.changed()
	s.event(Event{Kind: EventExpire, Key: e.key}, e)
}

// delete removes a live entry. It is called under the lock.
func (s *store) delete(e *entry) {
	s.edit().drop(e)
	s.changed()
	s.event(Event{Kind: EventDelete, Key: e.key}, e)
}

// removeExpired is what a reader does that meets an entry that has expired. It
// returns the one that is live, where the reader met what is there no more.
func (s *store) removeExpired(key string) *entry {
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

// sweep removes what has expired, and gives entries that were accessed since
// their place in the index was made a new one.
func (s *store) sweep() int {
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

// event queues an event, under the lock. e may be nil.
func (s *store) event(v Event, e *entry) {
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

// unlock ends a change: it releases the lock, and then delivers all events that
// wait, unless another goroutine or an outer call is doing so.
func (s *store) unlock() {
	deliver := len(s.events.waiting) > 0 && !s.events.delivering
	if deliver {
		s.events.delivering = true
	}
	s.mu.Unlock()
	if deliver {
		s.deliver()
	}
}

// deliver calls handlers until no event waits. If a handler ends the goroutine, it
// goes on while the goroutine ends.
func (s *store) deliver() {
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

func (s *store) nextCall() (*subscription, Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, e, ok := s.events.next()
	s.events.delivering = ok
	return h, e, ok
}

func (s *store) call(h *subscription, e Event) {
	defer func() {
		if r := recover(); r != nil {
			s.report(fmt.Errorf("pad: handler of %v events panicked: %v", e.Kind, r))
		}
	}()
	h.call(e)
}

// report tells OnError, which may panic itself. The lock must not be held.
func (s *store) report(err error) {
	defer func() { _ = recover() }()
	s.o.OnError(err)
}

func (s *store) startSaving() {
	if s.o.Saver == nil {
		return
	}
	s.saving = newSaving(s.o.Saver, s.o.AutoSave, func() *Snapshot { return s.snapshot("") }, s.report)
}

// noteChange arms the auto-save, where there is one. It is called under the lock,
// so that a Close after the change knows of it, and before the handlers.
func (s *store) noteChange() {
	if v := s.saving; v != nil && v.quiet > 0 {
		v.arm()
	}
}

// stop ends everything but a save, and reports whether this call did.
func (s *store) stop() bool {
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
