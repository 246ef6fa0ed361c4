package pad

import (
	"iter"
	"slices"
)

// Len returns the number of live entries.
func (p *Pad) Len() int {
	s := p.shared
	if p.prefix == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reindex()
		return s.liveAll()
	}
	v, now := s.view(), s.o.Now()
	n := 0
	for range v.live(p.prefix, now) {
		n++
	}
	return n
}

// Keys returns the keys of the live entries in the order of creation.
func (p *Pad) Keys() []string {
	keys := []string{}
	for e := range p.shared.view().live(p.prefix, p.shared.o.Now()) {
		keys = append(keys, e.key[len(p.prefix):])
	}
	return keys
}

// All returns the live entries in the order of creation. They are those at the start of
// the iteration. The pad may change meanwhile.
func (p *Pad) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		v := p.shared.view()
		for e := range v.live(p.prefix, p.shared.o.Now()) {
			if !yield(e.public(v.at, e.key[len(p.prefix):])) {
				return
			}
		}
	}
}

// Entries returns the live entries in the order of creation.
func (p *Pad) Entries() []Entry { return slices.AppendSeq([]Entry{}, p.All()) }

// Find returns the live entries for which accept returns true, in the order of creation.
func (p *Pad) Find(accept func(Entry) bool) []Entry {
	list := []Entry{}
	for e := range p.All() {
		if accept(e) {
			list = append(list, e)
		}
	}
	return list
}

// FindByTag returns the live entries with a tag, in the order of creation. The cost
// follows the number of entries with the tag.
func (p *Pad) FindByTag(tag string) []Entry {
	list := []Entry{}
	v, now := p.shared.view(), p.shared.o.Now()
	for e := range v.content.withTag(tag, p.prefix) {
		if !e.expired(v.at, now) {
			list = append(list, e.public(v.at, e.key[len(p.prefix):]))
		}
	}
	return list
}
