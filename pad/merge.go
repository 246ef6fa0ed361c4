package pad

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/pad/internal/trie"
)

// Conflict is a key that both sides of a merge changed, to different values. An entry is
// nil if that side has none.
type Conflict struct {
	Key                string // relative to the view that is merged into
	Base, Ours, Theirs *Entry
}

// Resolution is the decision about a conflict. The zero value is [Ours].
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

// Ours keeps the entry of the pad that is merged into.
func Ours() Resolution { return Resolution{} }

// Theirs takes the entry of the other pad, with its tags, TTL and times. If the other pad
// has no entry, the key is deleted.
func Theirs() Resolution { return Resolution{choice: takeTheirs} }

// Use sets a value. Tags and TTL are those of our entry, or of theirs if we have none.
func Use(value any) Resolution { return Resolution{choice: takeValue, value: value} }

// Merge brings the changes of another pad into this one. base is the content that both
// once had: the snapshot that was taken when theirs was forked. A nil base is empty. Keys
// are relative to their own pad, view or snapshot.
//
// If one side changed the value of a key, Merge takes that side. If neither changed the
// value, Merge takes changed tags or a changed TTL in the same way. If both sides changed
// the value to different values, the key is a conflict: resolve decides, and a nil
// resolve means [Ours]. Merge returns all conflicts, sorted by key, also those that were
// resolved. Values are compared as in [Diff]. An entry that has expired by now counts as
// absent on every side, and in base.
//
// Entries taken from theirs keep their times. New ones keep their order among each other.
// A key that was there keeps its place. All changes become visible at once, and each
// is a Set or a Delete event. On an error nothing changes.
//
// resolve is called in the order of the keys, without a lock: it may read the pads. If
// a key changes meanwhile, resolve is called for it again. So it must have no effect but
// its result.
//
// The cost follows the number of changes, or the size of the views if their prefixes
// differ. Errors: [ErrConfig] for a nil theirs, [ErrKey] for a view without a valid
// name, [ErrClosed] if this pad is closed.
func (p *Pad) Merge(base *Snapshot, theirs *Pad, resolve func(Conflict) Resolution) ([]Conflict, error) {
	switch {
	case theirs == nil:
		return nil, fmt.Errorf("merge: theirs is nil: %w", ErrConfig)
	case p.invalid || theirs.invalid:
		return nil, fmt.Errorf("merge: the namespace has no valid name: %w", ErrKey)
	}
	m := &merge{pad: p, base: orEmpty(base), theirs: theirs.shared.view(), prefix: theirs.prefix, resolve: resolve}
	if p.shared == theirs.shared && p.prefix == theirs.prefix {
		m.base = &Snapshot{view: m.theirs, prefix: m.prefix} // a pad has no changes against itself
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

// merge is a merge that is running. base and theirs do not change.
type merge struct {
	pad     *Pad
	base    *Snapshot
	theirs  view
	prefix  string // of theirs
	resolve func(Conflict) Resolution
	steps   map[string]*step
}

// step is the decision about a key that theirs changed.
type step struct {
	key          string
	ours, theirs *entry // when it was decided; nil if absent
	conflict     *Conflict
	take         Resolution
}

// changedKeys returns the keys whose entries differ between base and theirs, sorted.
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

// plan decides about keys, by the current content of all sides.
func (m *merge) plan(keys []string) {
	s := m.pad.shared
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

// optionsWin decides whose tags and TTL to take if the values are the same.
func optionsWin(base, ours, theirs *entry) choice {
	if base != nil && ours != nil && sameOptions(base, ours) && !sameOptions(base, theirs) {
		return takeTheirs
	}
	return takeOurs
}

// apply makes all planned changes, or none. It returns the keys that have changed since
// they were planned.
func (m *merge) apply() (again []string, err error) {
	s := m.pad.shared
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
		s.edit().trie.Detach() // so that readers of the old root see none of the changes
		for _, st := range steps {
			m.do(st, now)
		}
		s.together = false
		s.changed()
		s.noteChange()
	}
	return nil, nil
}

// inOrder returns the steps that change something: first keys that theirs does not have,
// by key, then the others in their order of creation.
func (m *merge) inOrder() []*step {
	var list []*step
	for _, st := range m.steps {
		if st.take.choice == takeValue || st.take.choice == takeTheirs && (st.ours != nil || st.theirs != nil) {
			list = append(list, st)
		}
	}
	slices.SortFunc(list, func(a, b *step) int {
		return cmp.Or(cmp.Compare(a.place(), b.place()), strings.Compare(a.key, b.key))
	})
	return list
}

func (st *step) place() uint64 {
	if st.theirs == nil {
		return 0
	}
	return st.theirs.seq
}

// do makes the change of one step. The lock must be held.
func (m *merge) do(st *step, now time.Time) {
	s, key := m.pad.shared, m.pad.prefix+st.key
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

// conflicts returns the conflicts as they were last decided.
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
