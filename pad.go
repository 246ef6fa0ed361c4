package scratchpad

import (
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Options of [New]. The zero value works: entries that do not expire, in memory.
type Options struct {
	DefaultTTL    time.Duration    // of an entry that is set without one; 0 or Forever: it does not expire
	DefaultExpiry Expiry           // what a TTL counts from; InheritExpiry: Fixed
	SweepInterval time.Duration    // how often expired entries are removed; 0: when somebody meets them. Close ends it
	Now           func() time.Time // nil: time.Now
	Saver         Saver            // where Save and Load go; nil: nowhere
	AutoSave      time.Duration    // the quiet time after a change before it is saved; 0 or negative: Save alone saves
	OnError       func(error)      // trouble that no caller sees: of auto-save, and panics of handlers; nil: slog.Default
}

// SetOptions of [Pad.SetWith]. The zero value takes the pad's defaults.
type SetOptions struct {
	TTL    time.Duration // 0: the pad's default; Forever: never expires; Sliding: at least 1 ms
	Expiry Expiry        // InheritExpiry: the pad's default
	Tags   []string      // copied; duplicates are dropped, the order is kept
}

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

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.DefaultTTL < 0 && o.DefaultTTL != Forever:
		return o, fmt.Errorf("Options.DefaultTTL is %v; give a time, 0 or Forever: %w", o.DefaultTTL, ErrConfig)
	case !o.DefaultExpiry.known():
		return o, fmt.Errorf("Options.DefaultExpiry is %d; give Fixed or Sliding: %w", o.DefaultExpiry, ErrConfig)
	case o.SweepInterval < 0:
		return o, fmt.Errorf("Options.SweepInterval is %v; give a time or 0: %w", o.SweepInterval, ErrConfig)
	}
	if o.DefaultTTL == Forever {
		o.DefaultTTL = 0
	}
	if o.DefaultExpiry == InheritExpiry {
		o.DefaultExpiry = Fixed
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnError == nil {
		o.OnError = func(err error) { slog.Default().Error("scratchpad", "err", err) }
	}
	return o, nil
}

func (x Expiry) known() bool { return x == InheritExpiry || x == Fixed || x == Sliding }

// setting is SetOptions with the pad's defaults in them.
type setting struct {
	ttl     time.Duration
	sliding bool
	tags    []string
}

func (s *store) setting(o SetOptions) (setting, error) {
	if o.TTL < 0 && o.TTL != Forever {
		return setting{}, fmt.Errorf("SetOptions.TTL is %v; give a time, 0 or Forever: %w", o.TTL, ErrConfig)
	}
	if !o.Expiry.known() {
		return setting{}, fmt.Errorf("SetOptions.Expiry is %d; give Fixed or Sliding: %w", o.Expiry, ErrConfig)
	}
	for _, tag := range o.Tags {
		if !utf8.ValidString(tag) {
			return setting{}, fmt.Errorf("SetOptions.Tags: %q is not valid UTF-8: %w", tag, ErrConfig)
		}
	}
	switch o.TTL {
	case 0:
		o.TTL = s.o.DefaultTTL
	case Forever:
		o.TTL = 0
	}
	if o.Expiry == InheritExpiry {
		o.Expiry = s.o.DefaultExpiry
	}
	if o.Expiry == Sliding && o.TTL > 0 {
		o.TTL = max(o.TTL, time.Millisecond) // the resolution of AccessedAt: else it might be over at once
	}
	return setting{o.TTL, o.Expiry == Sliding, distinct(o.Tags)}, nil
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
	if s.closed {
		s.mu.Unlock()
		return fmt.Errorf("set %q: %w", key, ErrClosed)
	}
	list := s.set(full, value, setting, s.o.Now(), nil)
	s.noteChange(true)
	s.mu.Unlock()
	s.events.deliver(list)
	return nil
}

// set stores a value under the lock.
func (s *store) set(key string, value any, o setting, now time.Time, list []Event) []Event {
	at := s.now.Load()
	e := &entry{
		key: key, value: value, tags: o.tags, created: now, updated: now, ttl: o.ttl, sliding: o.sliding,
		revision: newRevision(), epoch: at.epoch,
	}
	e.accessed.Store(now.UnixMilli())
	old := s.look().trie.get(key)
	if old != nil && !old.expired(*at, now) {
		e.seq, e.created = old.seq, old.created
		if !e.expired(*at, now) {
			e.due = e.dueAt(*at)
			s.edit().put(e, old)
			s.changed()
			return s.event(list, Event{Kind: EventSet, Key: key, Update: true}, e)
		}
		e.created = now
	}
	if old != nil {
		list = s.event(list, Event{Kind: EventExpire, Key: key}, old)
	}
	s.seq++
	e.seq = s.seq
	e.due = e.dueAt(*at)
	s.edit().put(e, old)
	s.changed()
	return s.event(list, Event{Kind: EventSet, Key: key}, e)
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
		if e.crowded() {
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
	if s.closed {
		s.mu.Unlock()
		return false, ErrClosed
	}
	now := s.o.Now()
	var list []Event
	e := s.look().trie.get(key)
	expired := e != nil && e.expired(*s.now.Load(), now)
	if expired {
		list, e = s.expire(e, list), nil
	}
	if done = e == nil && from == nil || e != nil && from != nil && e.revision == from.revision; done {
		o, _ := s.setting(SetOptions{})
		if e != nil {
			o = setting{e.ttl, e.sliding, e.tags}
		}
		list = s.set(key, value, o, now, list)
	}
	s.noteChange(done || expired)
	s.mu.Unlock()
	s.events.deliver(list)
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
	e := s.look().trie.get(full)
	if s.closed || e == nil {
		s.mu.Unlock()
		return false
	}
	var list []Event
	live := !e.expired(*s.now.Load(), s.o.Now())
	if live {
		s.edit().drop(e)
		s.changed()
		list = s.event(list, Event{Kind: EventDelete, Key: full}, e)
	} else {
		list = s.expire(e, list)
	}
	s.noteChange(true)
	s.mu.Unlock()
	s.events.deliver(list)
	return live
}

// Clear removes all entries and returns how many live ones it removed.
func (p *Pad) Clear() int {
	s := p.store
	s.mu.Lock()
	if s.closed || p.invalid {
		s.mu.Unlock()
		return 0
	}
	n, list := s.clear(p.prefix, nil)
	s.changed()
	s.noteChange(true)
	s.mu.Unlock()
	s.events.deliver(list)
	return n
}

// clear empties a view under the lock. Readers see it, and what the caller adds,
// all at once when the caller calls changed.
func (s *store) clear(prefix string, list []Event) (int, []Event) {
	now, at := s.o.Now(), *s.now.Load()
	n := 0
	if prefix == "" {
		n = s.liveAll()
		s.edited, s.frozen = newContent(), nil
	} else {
		s.edit().trie.epoch = newEpoch()
		for e := range s.look().below(prefix) {
			if !e.expired(at, now) {
				n++
			}
			s.edit().drop(e)
		}
	}
	return n, s.cleared(prefix, n, list)
}

// liveAll counts the live entries under the lock.
func (s *store) liveAll() int {
	return s.look().order.Len() - view{s.look(), *s.now.Load()}.expiredBy(s.o.Now())
}

func (s *store) cleared(prefix string, n int, list []Event) []Event {
	return s.event(list, Event{Kind: EventClear, Count: n, Prefix: prefix}, nil)
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

// Len returns the number of live entries.
func (p *Pad) Len() int {
	v, now := p.store.view(), p.store.o.Now()
	if p.prefix == "" {
		return v.content.order.Len() - v.expiredBy(now)
	}
	n := 0
	for range p.live(v, now) {
		n++
	}
	return n
}

// live returns the live entries of the pad or the view.
func (p *Pad) live(v view, now time.Time) iter.Seq[*entry] {
	if p.invalid {
		return func(func(*entry) bool) {}
	}
	return v.live(p.prefix, now)
}

// Keys returns the keys of the live entries in the order of creation.
func (p *Pad) Keys() []string {
	keys := []string{}
	for e := range p.live(p.store.view(), p.store.o.Now()) {
		keys = append(keys, e.key[len(p.prefix):])
	}
	return keys
}

// All returns the live entries in the order of creation, as they are when the
// iteration begins: the pad may change meanwhile.
func (p *Pad) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		v := p.store.view()
		for e := range p.live(v, p.store.o.Now()) {
			if !yield(e.public(v.at, e.key[len(p.prefix):])) {
				return
			}
		}
	}
}

// Entries returns the live entries in the order of creation.
func (p *Pad) Entries() []Entry { return slices.AppendSeq([]Entry{}, p.All()) }

// Find returns the live entries that a predicate accepts, in the order of creation.
func (p *Pad) Find(accept func(Entry) bool) []Entry {
	list := []Entry{}
	for e := range p.All() {
		if accept(e) {
			list = append(list, e)
		}
	}
	return list
}

// FindByTag returns the live entries that have a tag, in the order of creation.
// The cost follows what has the tag.
func (p *Pad) FindByTag(tag string) []Entry {
	list := []Entry{}
	if p.invalid {
		return list
	}
	v, now := p.store.view(), p.store.o.Now()
	for e := range v.content.withTag(tag, p.prefix) {
		if !e.expired(v.at, now) {
			list = append(list, e.public(v.at, e.key[len(p.prefix):]))
		}
	}
	return list
}

// Stats counts what a pad or a view holds.
type Stats struct {
	Size           int            // live entries
	RawSize        int            // those that have expired and were not removed yet included
	Expired        int            // RawSize less Size
	Namespaces     []string       // the first segments of keys that have a colon, sorted
	WithTTL        int            // live entries that expire some time
	TagCounts      map[string]int // live entries by tag
	Oldest, Newest time.Time      // CreatedAt of the first and the last live entry; zero if there is none
}

// Stats returns counts of the pad or the view. It looks at every entry.
func (p *Pad) Stats() Stats {
	st := Stats{Namespaces: []string{}, TagCounts: map[string]int{}}
	if p.invalid {
		return st
	}
	v, now := p.store.view(), p.store.o.Now()
	names := map[string]bool{}
	for e := range v.content.below(p.prefix) {
		st.RawSize++
		if e.expired(v.at, now) {
			continue
		}
		st.Size++
		if e.ttl > 0 {
			st.WithTTL++
		}
		for _, tag := range e.tags {
			st.TagCounts[tag]++
		}
		if name, _, ok := strings.Cut(e.key[len(p.prefix):], ":"); ok && name != "" && !names[name] {
			names[name] = true
			st.Namespaces = append(st.Namespaces, name)
		}
		if st.Oldest.IsZero() || e.created.Before(st.Oldest) {
			st.Oldest = e.created
		}
		if e.created.After(st.Newest) {
			st.Newest = e.created
		}
	}
	st.Expired = st.RawSize - st.Size
	slices.Sort(st.Namespaces)
	return st
}
