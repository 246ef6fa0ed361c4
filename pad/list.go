package pad

import (
	"iter"
	"slices"
)

// Len returns the number of live entries.
func (p *Pad) Len() int {
	p.store.mu.Lock()
	defer p.store.mu.Unlock()
	return p.store.content.size(p.prefix, p.store.o.Now())
}

// live returns the live entries of the pad or the view.
func (p *Pad) live() iter.Seq[*entry] { return p.store.view().live(p.prefix, p.store.o.Now()) }

// Keys returns the keys of the live entries in the order of creation.
func (p *Pad) Keys() []string {
	keys := []string{}
	for e := range p.live() {
		keys = append(keys, e.key[len(p.prefix):])
	}
	return keys
}

// All returns the live entries in the order of creation. They are those at the start of
// the iteration. The pad may change meanwhile.
func (p *Pad) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for e := range p.live() {
			if !yield(e.public(p.prefix)) {
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
	content, now := p.store.view(), p.store.o.Now()
	for e := range content.withTag(tag, p.prefix) {
		if !e.expired(now) {
			list = append(list, e.public(p.prefix))
		}
	}
	return list
}
