package outline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	deepest   = 48 // values below this depth are read and not shown
	manyAlike = 40 // keys of one object that are not listed if their values are objects
	fewTexts  = 6  // different texts that are counted
)

// A shape describes the values at one place: the values of a key, the elements of an
// array, the fields of a column.
type shape struct {
	objects, arrays, numbers, texts, bools, nulls int

	min, max float64
	integers bool           // all numbers are
	first    string         // text
	counts   map[string]int // of each text; nil if there are too many
	dates    int            // texts that begin with a date
	low      string         // date
	high     string

	line, end   int32 // of the first value and of the last
	key         string
	keys        []*shape // of objects, in the order of the text
	byKey       map[string]*shape
	elem        *shape // of arrays
	least, most int    // elements
}

func (s *shape) total() int {
	return s.numbers + s.texts + s.bools + s.nulls + s.objects + s.arrays
}

func (s *shape) number(text string) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		s.text(text)
		return
	}
	if s.numbers == 0 {
		s.min, s.max, s.integers = n, n, true
	}
	s.min, s.max = min(s.min, n), max(s.max, n)
	s.integers = s.integers && !strings.ContainsAny(text, ".eExX")
	s.numbers++
}

func (s *shape) text(text string) {
	if s.texts++; s.texts == 1 {
		s.first, s.counts = text, map[string]int{}
	}
	if len(text) >= 10 && text[4] == '-' && text[7] == '-' && isDigit(text[0]) {
		if s.dates++; s.dates == 1 {
			s.low, s.high = text, text
		}
		s.low, s.high = min(s.low, text), max(s.high, text)
	}
	if s.counts == nil {
		return
	}
	s.counts[text]++
	if len(s.counts) > fewTexts || len(text) > 60 {
		s.counts = nil
	}
}

// child is the shape of a key.
func (s *shape) child(key string, line int32) *shape {
	if k := s.byKey[key]; k != nil {
		return k
	}
	if s.byKey == nil {
		s.byKey = map[string]*shape{}
	}
	k := &shape{key: key, line: line}
	s.keys = append(s.keys, k)
	s.byKey[key] = k
	return k
}

// element is the shape of all elements of arrays.
func (s *shape) element() *shape {
	if s.elem == nil {
		s.elem = &shape{}
	}
	return s.elem
}

// size notes an array of n elements.
func (s *shape) size(n int) {
	if s.arrays++; s.arrays == 1 {
		s.least = n
	}
	s.least, s.most = min(s.least, n), max(s.most, n)
}

// summary returns the types of the values, and their range or an example.
func (s *shape) summary() string {
	var parts []string
	if s.objects > 0 {
		parts = append(parts, "object of "+plural(len(s.keys), "key"))
	}
	if s.arrays > 0 {
		size := strconv.Itoa(s.most)
		if s.least != s.most {
			size = fmt.Sprintf("%d to %d", s.least, s.most)
		}
		if s.elem != nil && len(s.elem.keys) == 0 && s.elem.total() > 0 {
			size += " × " + s.elem.summary()
		}
		parts = append(parts, "array of "+size)
	}
	if s.numbers > 0 {
		parts = append(parts, s.summarizeNumbers())
	}
	if s.texts > 0 {
		parts = append(parts, s.summarizeTexts())
	}
	if s.bools > 0 {
		parts = append(parts, "bool")
	}
	if s.nulls > 0 {
		parts = append(parts, "null")
	}
	if parts == nil {
		return "no value"
	}
	return strings.Join(parts, " or ")
}

func (s *shape) summarizeNumbers() string {
	kind := "number"
	if s.integers {
		kind = "integer"
	}
	if s.min == s.max {
		return fmt.Sprintf("%s %.15g", kind, s.min)
	}
	return fmt.Sprintf("%s %.15g to %.15g", kind, s.min, s.max)
}

func (s *shape) summarizeTexts() string {
	switch {
	case s.dates == s.texts && s.low != s.high:
		return fmt.Sprintf("time %s to %s", clean(s.low, 32), clean(s.high, 32))
	case s.texts == 1:
		return strconv.Quote(clean(s.first, 40))
	case len(s.counts) == 0 || len(s.counts) == s.texts:
		return "string, e.g. " + strconv.Quote(clean(s.first, 40))
	}
	texts := slices.SortedFunc(maps.Keys(s.counts), func(a, b string) int {
		return cmp.Or(s.counts[b]-s.counts[a], strings.Compare(a, b))
	})
	for i, text := range texts {
		texts[i] = fmt.Sprintf("%q %d", clean(text, 24), s.counts[text])
	}
	return "string " + strings.Join(texts, ", ")
}

// children appends what is below a shape. Lines are given if each value is there
// once.
func (s *shape) children(list []item, depth int, lines bool) []item {
	if depth >= deepest {
		return list
	}
	if s.elem != nil {
		list = s.elem.children(list, depth, lines && s.elem.total() == 1)
	}
	if len(s.keys) >= manyAlike && !slices.ContainsFunc(s.keys, func(k *shape) bool { return k.objects == 0 }) {
		it := item{rank: int16(depth), indent: int16(depth)}
		if lines {
			it.line, it.end = s.keys[0].line, s.keys[len(s.keys)-1].line
		}
		it.text = fmt.Sprintf("%d keys like %q, %q; the first: %s", len(s.keys), clean(s.keys[0].key, 30),
			clean(s.keys[1].key, 30), s.keys[0].summary())
		return s.keys[0].children(append(list, it), depth+1, lines)
	}
	for _, k := range s.keys {
		it := item{rank: int16(depth), indent: int16(depth)}
		if lines {
			it.line = k.line
			if k.total() == 1 {
				it.end = k.end
			}
		}
		name := clean(k.key, 60)
		it.text, it.brief = name+": "+k.summary(), int32(len(name))
		if k.total() < s.objects {
			it.text = name + "?" + it.text[len(name):]
		}
		list = k.children(append(list, it), depth+1, lines)
	}
	return list
}
