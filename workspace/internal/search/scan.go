package search

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A hit is where a term occurs in a passage.
type hit struct {
	term       int32
	pos        int32 // the number of the word; -1: of a phrase
	start, end int32
}

// A scanner finds the terms of a query in one passage after another.
type scanner struct {
	q *Query

	// Of the last passage:
	text []byte
	hits []hit
	of   []feature // of each term
	seen []int32   // the terms whose count is above 0

	passages, might int // all, and the last ones that might match

	pos   int32
	units []unit
	buf   []byte
	at    []int32
	parts []int32
}

func newScanner(q *Query) *scanner { return &scanner{q: q, of: make([]feature, len(q.terms))} }

// scan finds the terms of a passage. It reports whether the passage matches: all phrases
// occur and nothing that is banned.
func (s *scanner) scan(text []byte) bool {
	for _, t := range s.seen {
		s.of[t] = feature{}
	}
	s.hits, s.seen, s.pos, s.text = s.hits[:0], s.seen[:0], 0, text
	if s.mayMatch() {
		s.findWords()
	}
	if len(s.q.phrases) > 0 && !s.findPhrases() {
		return false
	}
	return !slices.ContainsFunc(s.q.banned, func(term int32) bool { return s.of[term].whole })
}

// finds reports whether a term that was found makes a passage match.
func (s *scanner) finds() bool {
	return slices.ContainsFunc(s.seen, func(term int32) bool { return s.q.terms[term].finds })
}

// mayMatch reports whether the passage may have a word of the query: it has one in lower case, or is
// not ASCII. If the last passages might match, the words are common, and it looks at few of those
// that follow.
func (s *scanner) mayMatch() (may bool) {
	const common, few = 16, 16
	if s.passages++; s.might >= common && s.passages%few != 0 || len(s.q.words) > fewWords {
		return true
	}
	lower, all := slices.Grow(s.buf[:0], len(s.text))[:len(s.text)], byte(0)
	for i, b := range s.text {
		lower[i] = b | byteClass[b]&byteUpper
		all |= b
	}
	s.buf = lower
	may = all >= utf8.RuneSelf ||
		slices.ContainsFunc(s.q.words, func(word string) bool { return bytes.Contains(lower, []byte(word)) })
	if s.might++; !may {
		s.might = 0
	}
	return may
}

// findWords goes over the words of ASCII as bytes. Where a word has several parts or another
// character, findWide reads on to the next white space or punctuation of ASCII.
func (s *scanner) findWords() {
	text := s.text
	for i := 0; i < len(text); i++ {
		start, first, others := i, byteClass[text[i]], uint8(0)
		if first == byteBetween {
			continue
		}
		for i++; i < len(text) && byteClass[text[i]] != byteBetween; i++ {
			others |= byteClass[text[i]]
		}
		switch {
		case (first|others)&byteWide != 0, others&byteUpper != 0:
			s.findWide(text[start:i], start)
		default:
			if len(s.q.begin[text[start]|0x20]) > 0 { // only the first letter may be upper case; digits have that bit
				s.buf = append(s.buf[:0], text[start:i]...)
				s.buf[0] |= 0x20
				s.parts = append(s.parts[:0], 0)
				s.lookUp(start, nil)
			}
			s.pos++
		}
	}
}

// lookUp finds the terms in the folded word in s.buf, at the beginnings of its parts. The word
// begins at start of the passage, or has the given units.
func (s *scanner) lookUp(start int, units []unit) {
	word := s.buf
	for i, part := range s.parts {
		rest := word[part:]
		longer := false
		for _, w := range s.q.begin[rest[0]] {
			size, term := len(w.text), w.term
			if size > len(rest) || string(rest[:size]) != w.text {
				continue
			}
			end := part + int32(size)
			isWord := part == 0 && int(end) == len(word)
			if (w.form || w.date != nil) && !isWord {
				continue
			}
			whole := int(end) == len(word) || slices.Contains(s.parts[i+1:], end)
			if !whole && (longer || !s.q.terms[term].prefix()) {
				continue
			}
			longer = longer || !whole
			h := hit{term, s.pos + int32(i), int32(start) + part, int32(start) + end}
			if units != nil {
				from := utf8.RuneCount(word[:part])
				h.start, h.end = units[from].start, units[from+utf8.RuneCount(rest[:size])-1].end
			}
			if w.date != nil {
				if d, ok := dateAt(s.text, int(h.start), int(h.end)); !ok || !w.date.is(d) {
					continue
				}
			}
			f := s.hit(h, whole && !w.form)
			f.isWord = f.isWord || isWord && !w.form
			f.isForm = f.isForm || w.form
		}
	}
}

// hit counts an occurrence of a term.
func (s *scanner) hit(h hit, whole bool) *feature {
	f := &s.of[h.term]
	if f.count == 0 {
		f.term = h.term
		s.seen = append(s.seen, h.term)
	}
	f.count++
	if whole {
		f.count++
		f.whole = true
	}
	s.hits = append(s.hits, h)
	return f
}

// findWide finds the terms in text of any script, which is at offset of the passage.
func (s *scanner) findWide(text []byte, offset int) {
	s.units = appendUnits(s.units[:0], text, offset)
	for i := 0; i < len(s.units); {
		end := tokenEnd(s.units, i)
		switch {
		case end == i:
			end++
		case s.units[i].c.inRun():
			s.findGrams(s.units[i:end])
		default:
			s.findWideWord(s.units[i:end])
		}
		i = end
	}
}

func (s *scanner) findWideWord(units []unit) {
	s.parts = partsOf(units, s.parts[:0])
	s.buf = s.buf[:0]
	part := 0
	for i, u := range units {
		if part < len(s.parts) && int(s.parts[part]) == i {
			s.parts[part] = int32(len(s.buf)) // from here on in bytes
			part++
		}
		s.buf = utf8.AppendRune(s.buf, u.r)
	}
	s.lookUp(0, units)
	s.pos += int32(len(s.parts))
}

func (s *scanner) findGrams(units []unit) {
	for i := range units {
		s.pos++
		if !s.q.gramBegin[byte(units[i].r)] {
			continue
		}
		for size := 1; size <= 3 && i+size <= len(units); size++ {
			s.buf = appendPlain(s.buf[:0], nil, units[i:i+size])
			if term, ok := s.q.byText[string(s.buf)]; ok {
				s.hit(hit{term, s.pos - 1, units[i].start, units[i+size-1].end}, true)
			}
		}
	}
}

// findPhrases looks for the phrases whose words all occur. It reports whether the passage
// has those that it must have, and none that it must not have.
func (s *scanner) findPhrases() bool {
	plain := false
	for i := range s.q.phrases {
		p := &s.q.phrases[i]
		possible := !slices.ContainsFunc(p.needs, func(term int32) bool { return !s.of[term].whole })
		if possible && !plain {
			plain = true
			s.units = appendUnits(s.units[:0], s.text, 0)
			s.at = s.at[:0]
			s.buf = appendPlain(s.buf[:0], &s.at, s.units)
		}
		if found := possible && s.findPhrase(p); found == p.banned {
			return false
		}
	}
	return true
}

func (s *scanner) findPhrase(p *phrase) (found bool) {
	for from := 0; ; {
		i := bytes.Index(s.buf[from:], []byte(p.text))
		if i < 0 {
			return found
		}
		from += i
		first, last := s.at[from], s.at[from+len(p.text)-1]
		if p.startsIn && first > 0 && s.units[first-1].c.inWord() || p.endsIn && int(last+1) < len(s.units) &&
			s.units[last+1].c.inWord() {
			_, size := utf8.DecodeRune(s.buf[from:])
			from += size
			continue
		}
		found = true
		s.hit(hit{p.term, -1, s.units[first].start, s.units[last].end}, true)
		from += len(p.text)
	}
}
