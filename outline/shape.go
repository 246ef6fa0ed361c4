package outline

import (
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
)

// A shape is what the values at one place of a document are like: the elements
// of an array share one.
type shape struct {
	values
	key   string
	line  int32 // of the first
	end   int32 // of the last
	keys  []*shape
	byKey map[string]*shape
	elem  *shape
	least int // elements
	most  int
	lost  int // keys that were not kept

	cutObject, cutArray bool // the last has no end
}

func (s *shape) summary() string {
	text := s.describe()
	if text == "" {
		return "not read"
	}
	if s.arrays > 0 {
		size := fmt.Sprintf("array of %d", s.most)
		if s.least != s.most {
			size = fmt.Sprintf("array of %d to %d", s.least, s.most)
		}
		if s.cutArray {
			size += " or more"
		}
		if s.elem != nil && len(s.elem.keys) == 0 && s.elem.total() > 0 {
			size += " × " + s.elem.summary()
		}
		text = strings.Replace(text, "array", size, 1)
	}
	if s.objects > 0 {
		size := plural(len(s.keys)+s.lost, "key")
		if s.cutObject {
			size = fmt.Sprintf("%d or more keys", len(s.keys)+s.lost)
		}
		text = strings.Replace(text, "object", "object of "+size, 1)
	}
	return text
}

// children lists what is below a shape.
func (s *shape) children(list []item, depth int, numbered bool) []item {
	if depth >= deepest {
		return list
	}
	if s.elem != nil {
		list = s.elem.children(list, depth, numbered && s.elem.total() == 1)
	}
	if one := s.alike(); one != nil {
		it := item{line: s.keys[0].line, end: s.keys[len(s.keys)-1].line, rank: int16(depth), indent: int16(depth)}
		if !numbered {
			it.line, it.end = 0, 0
		}
		it.text = fmt.Sprintf("%d keys like %q, %q: each %s", len(s.keys)+s.lost, excerpt.Clean(s.keys[0].key, 30), excerpt.Clean(s.keys[1].key, 30), one.summary())
		return one.children(append(list, it), depth+1, false)
	}
	for _, k := range s.keys {
		it := item{rank: int16(depth), indent: int16(depth)}
		if numbered {
			it.line = k.line
			if k.total() == 1 {
				it.end = k.end
			}
		}
		optional := ""
		if n := k.total(); n < s.objects && !(s.cutObject && n == s.objects-1) {
			optional = "?"
		}
		name := excerpt.Clean(k.key, 60)
		it.text = name + optional + ": " + k.summary()
		it.brief = int32(len(name))
		list = append(list, it)
		list = k.children(list, depth+1, numbered)
	}
	if s.lost > 0 {
		list = append(list, item{rank: int16(depth), indent: int16(depth), text: fmt.Sprintf("%d keys more", s.lost)})
	}
	return list
}

// alike merges the keys of an object that serves as a map: many, of one type.
func (s *shape) alike() *shape {
	if len(s.keys) < 40 {
		return nil
	}
	first := s.keys[0]
	all := &shape{}
	for _, k := range s.keys {
		if (k.objects > 0) != (first.objects > 0) || (k.arrays > 0) != (first.arrays > 0) || (k.texts > 0) != (first.texts > 0) {
			return nil
		}
		all.merge(k, 0)
	}
	return all
}

func (s *shape) merge(o *shape, depth int) {
	if s.total() == 0 {
		s.least, s.first, s.min, s.max, s.whole = o.least, o.first, o.min, o.max, o.whole
	}
	s.least, s.most = min(s.least, o.least), max(s.most, o.most)
	s.min, s.max, s.whole = min(s.min, o.min), max(s.max, o.max), s.whole && o.whole
	s.numbers, s.texts, s.bools = s.numbers+o.numbers, s.texts+o.texts, s.bools+o.bools
	s.nulls, s.objects, s.arrays = s.nulls+o.nulls, s.objects+o.objects, s.arrays+o.arrays
	s.lost += o.lost
	s.many = true
	if o.elem != nil && depth < 4 {
		if s.elem == nil {
			s.elem = &shape{}
		}
		s.elem.merge(o.elem, depth+1)
	}
	if depth < 4 {
		for _, k := range o.keys {
			if to := s.child(k.key, k.line); to != nil {
				to.merge(k, depth+1)
			}
		}
	}
}

// child is the shape of a key; nil where there are too many.
func (s *shape) child(key string, line int32) *shape {
	if k := s.byKey[key]; k != nil {
		return k
	}
	if len(s.byKey) < len(s.keys) { // few keys are not worth a map
		for _, k := range s.keys {
			if k.key == key {
				return k
			}
		}
	}
	if len(s.keys) >= 4000 {
		s.lost++
		return nil
	}
	k := &shape{key: key, line: line}
	s.keys = append(s.keys, k)
	if len(s.keys) == 9 {
		s.byKey = map[string]*shape{}
		for _, k := range s.keys {
			s.byKey[k.key] = k
		}
	} else if len(s.keys) > 9 {
		s.byKey[key] = k
	}
	return k
}
