package pad

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/pad/internal/trie"
)

// Conflict is a key that was changed on both sides of a merge, to different
// values. An entry is nil where there is none.
type Conflict struct {
	Key                string // as the view that is merged into names it
	Base, Ours, Theirs *Entry
}

// Resolution says what a conflict comes to. The zero value is [Ours].
type Resolution struct {
	choice choice
	value  any
}

type choice int

const (
	takeOurs choice = iota
	takeTheirs
	takeValue
)

// Ours keeps what the pad that is merged into has.
func Ours() Resolution { return Resolution{} }

// Theirs takes what the other pad has, with its tags, TTL and times; if it has
// nothing, the key is deleted.
func Theirs() Resolution { return Resolution{choice: takeTheirs} }

// Use sets a value, with the tags and the TTL of ours, or of theirs where ours has
// no entry.
func Use(value any) Resolution { return Resolution{choice: takeValue, value: value} }

// Merge brings into the pad what theirs changed since base, which is what both
// once held: the snapshot that was taken when theirs was forked. All keys are
// relative to their own pad, view or snapshot. A nil base is an empty one.
//
// A key whose value was changed on one side takes that side, and where no value
// was, changed tags or TTL are taken likewise. One that was changed to different
// values on both is a conflict for resolve, nil for [Ours]; conflicts are returned
// sorted by key, the resolved ones too. Values are equal as [Diff] says. An entry
// that has expired by now counts as absent on every side, in base too. What is taken
// from theirs keeps its times, and its order among new ones; an entry that is there
// keeps its place.
//
// resolve runs outside of the lock, in the order of the keys, and again for a key
// that somebody else changed meanwhile: it must have no effect but its result, and
// may read the pads. The changes are made at once, and cause a Set or a Delete each;
// on an error there are none. The cost follows the changes, or the size of the
// views where they have different prefixes. Errors: [ErrConfig] for a nil theirs,
// [ErrKey] for a view without a valid name, [ErrClosed] of the pad merged into.
func (p *Pad) Merge(base *Snapshot, theirs *Pad, resolve func(Conflict) Resolution) ([]Conflict, error) {
	switch {
	case theirs == nil:
		return nil, fmt.Errorf("merge: theirs is nil: %w", ErrConfig)
	case p.invalid || theirs.invalid:
		return nil, fmt.Errorf("merge: the namespace has no valid name: %w", ErrKey)
	}
	m := &merge{pad: p, base: orEmpty(base), theirs: theirs.store.view(), prefix: theirs.prefix, resolve: resolve}
	if p.store == theirs.store && p.prefix == theirs.prefix {
		m.base = &Snapshot{view: m.theirs, prefix: m.prefix} // whatever changed, both did
	}
	m.steps = make(map[string]*step)
	keys := m.changedKeys()
	for {
		m.plan(keys)
		again, err := m.apply()
		if err != nil {
			return nil, fmt.Errorf("merge: %w", err)
		}
		if len(again) == 0 {
			return m.conflicts(), nil
		}
		keys = again
	}
}

// merge is one under way. Base and theirs stay as they are.
type merge struct {
	pad     *Pad
	base    *Snapshot
	theirs  view
	prefix  string // of theirs
	resolve func(Conflict) Resolution
	steps   map[string]*step
}

// step is what becomes of a key that theirs changed.
type step struct {
	key          string
	ours, theirs *entry // as they were when it was decided; nil if absent
	conflict     *Conflict
	take         Resolution
}

// changedKeys returns the keys whose entry is not the same in base and theirs,
// sorted.
func (m *merge) changedKeys() []string {
	var keys []string
	if m.prefix == m.base.prefix {
		var before *entryNode
		if m.base.view.content != nil {
			before = m.base.view.content.trie.Root()
		}
		trie.Diff(before, m.theirs.content.trie.Root(), func(a, b *entry) {
			if a == nil {
				a = b
			}
			if within(a.key, m.prefix) {
				keys = append(keys, a.key[len(m.prefix):])
			}
		})
	} else {
		d := Diff(m.base, &Snapshot{view: m.theirs, prefix: m.prefix})
		keys = slices.Concat(d.Added, d.Removed, d.Updated)
	}
	slices.Sort(keys)
	return keys
}

// plan decides about keys, as all sides stand now.
func (m *merge) plan(keys []string) {
	s := m.pad.store
	ours, now := s.view(), s.o.Now()
	for _, key := range keys {
		base := m.base.view.entry(m.base.prefix+key, now)
		st := &step{key: key, ours: ours.entry(m.pad.prefix+key, now), theirs: m.theirs.entry(m.prefix+key, now)}
		m.steps[key] = st
		switch {
		case sameValue(st.ours, st.theirs):
			st.take.choice = optionsWin(base, st.ours, st.theirs)
		case sameValue(base, st.theirs):
		case sameValue(base, st.ours):
			st.take = Theirs()
		default:
			st.conflict = &Conflict{
				Key: key, Base: m.base.view.publicly(base, key), Ours: ours.publicly(st.ours, key),
				Theirs: m.theirs.publicly(st.theirs, key),
			}
			if m.resolve != nil {
				st.take = m.resolve(*st.conflict)
			}
		}
	}
}

// optionsWin says whose tags and TTL to take where the values are the same.
func optionsWin(base, ours, theirs *entry) choice {
	if base != nil && ours != nil && sameOptions(base, ours) && !sameOptions(base, theirs) {
		return takeTheirs
	}
	return takeOurs
}

// apply makes the changes that were planned, all or none: it returns the keys that
// were changed meanwhile and must be planned again.
func (m *merge) apply() (again []string, err error) {
	s := m.pad.store
	s.mu.Lock()
	defer s.unlock()
	if s.closed {
		return nil, ErrClosed
	}
	now, at := s.o.Now(), *s.now.Load()
	for key, st := range m.steps {
		if have := (view{s.look(), at}).entry(m.pad.prefix+key, now); !sameRevision(have, st.ours) {
			again = append(again, key)
		}
	}
	if len(again) > 0 {
		slices.Sort(again)
		return again, nil
	}
	steps := m.inOrder()
	if len(steps) > 0 {
		s.together = true
		s.edit().trie.Detach() // in nodes that no reader has
		for _, st := range steps {
			m.do(st, now)
		}
		s.together = false
		s.changed()
		s.noteChange()
	}
	return nil, nil
}

// inOrder returns the steps that change something: deletions first, then what is
// set in theirs' order of creation, by key where theirs has none.
func (m *merge) inOrder() []*step {
	var list []*step
	for _, st := range m.steps {
		if st.take.choice == takeValue || st.take.choice == takeTheirs && (st.ours != nil || st.theirs != nil) {
			list = append(list, st)
		}
	}
	slices.SortFunc(list, func(a, b *step) int {
		switch x, y := a.place(), b.place(); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return strings.Compare(a.key, b.key)
	})
	return list
}

func (st *step) place() uint64 {
	if st.theirs == nil {
		return 0
	}
	return st.theirs.seq
}

// do makes one change under the lock.
func (m *merge) do(st *step, now time.Time) {
	s, key := m.pad.store, m.pad.prefix+st.key
	old := s.look().trie.Get(key)
	switch {
	case st.take.choice == takeValue:
		like := st.ours
		if like == nil {
			like = st.theirs
		}
		s.set(key, st.take.value, setting{like.ttl, like.sliding, like.tags}, now)
		return
	case st.theirs == nil:
		s.delete(old)
		return
	}
	if old != nil && st.ours == nil {
		s.expire(old)
		old = nil
	}
	e := st.theirs.copied(m.theirs.at)
	e.key, e.revision, e.epoch = key, newRevision(), s.now.Load().epoch
	if old != nil {
		e.seq = old.seq
	} else {
		s.seq++
		e.seq = s.seq
	}
	s.edit().put(e, old)
	s.changed()
	s.event(Event{Kind: EventSet, Key: key, Update: old != nil}, e)
}

// conflicts returns those of the keys as they were decided in the end.
func (m *merge) conflicts() []Conflict {
	list := []Conflict{}
	for _, st := range m.steps {
		if st.conflict != nil {
			list = append(list, *st.conflict)
		}
	}
	slices.SortFunc(list, func(a, b Conflict) int { return strings.Compare(a.Key, b.Key) })
	return list
}
