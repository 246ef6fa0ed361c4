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
	text  []byte
	hits  []hit
	count []int32 // of each term: 2 for each whole word, 1 for each longer one
	whole []bool  // of each term: whether it matched a whole word, or a whole part of one
	word  []bool  // of each term: whether it matched a whole word
	form  []bool  // of each term: whether a form of it matched
	seen  []int32 // the terms whose count is above 0

	passages, might int // all, and the last ones that might match

	pos   int32
	units []unit
	buf   []byte
	at    []int32
	parts []int32
}

func newScanner(q *Query) *scanner {
	return &scanner{q: q, count: make([]int32, len(q.terms)), whole: make([]bool, len(q.terms)),
		word: make([]bool, len(q.terms)), form: make([]bool, len(q.terms))}
}

// scan finds the terms of a passage. It reports whether the passage matches: all phrases
// occur and nothing that is banned.
func (s *scanner) scan(text []byte) bool {
	s.reset()
	s.text = text
	if s.mayMatch(text) {
		s.findWords(text)
	}
	if len(s.q.phrases) > 0 && !s.findPhrases(text) {
		return false
	}
	for _, t := range s.q.banned {
		if s.whole[t] {
			return false
		}
	}
	return true
}

// mayMatch is that of the query. If the last passages might match, the words are common, and the
// query is asked about few of those that follow.
func (s *scanner) mayMatch(text []byte) (may bool) {
	const common, few = 16, 16
	if s.passages++; s.might >= common && s.passages%few != 0 {
		return true
	}
	may, s.buf = s.q.mayMatch(text, s.buf)
	if s.might++; !may {
		s.might = 0
	}
	return may
}

func (s *scanner) reset() {
	for _, t := range s.seen {
		s.count[t], s.whole[t], s.word[t], s.form[t] = 0, false, false, false
	}
	s.hits, s.seen, s.pos = s.hits[:0], s.seen[:0], 0
}

// findWords goes over the words of ASCII as bytes. Where a word has several parts or another
// character, findWide reads on to the next white space or punctuation of ASCII.
func (s *scanner) findWords(text []byte) {
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
			if s.q.mayBegin(text[start:i]) {
				s.buf = append(s.buf[:0], text[start:i]...)
				s.buf[0] |= 0x20
				s.parts = append(s.parts[:0], 0)
				s.lookUp(start, nil)
			}
			s.pos++
		}
	}
}

// lookUp finds the terms in the folded word in s.buf, at the beginnings of its parts. The
// word begins at start of the passage, or has the given units.
func (s *scanner) lookUp(start int, units []unit) {
	for i, part := range s.parts {
		rest := s.buf[part:]
		longer := false
		for _, w := range s.q.begin[rest[0]] {
			size, term := len(w.text), w.term
			if size > len(rest) || string(rest[:size]) != w.text {
				continue
			}
			end := part + int32(size)
			isWord := part == 0 && int(end) == len(s.buf)
			if (w.form || w.date != nil) && !isWord {
				continue
			}
			whole := int(end) == len(s.buf) || slices.Contains(s.parts[i+1:], end)
			if !whole && (longer || !s.q.terms[term].prefix()) {
				continue
			}
			longer = longer || !whole
			h := hit{term, s.pos + int32(i), int32(start) + part, int32(start) + end}
			if units != nil {
				from := utf8.RuneCount(s.buf[:part])
				h.start, h.end = units[from].start, units[from+utf8.RuneCount(rest[:size])-1].end
			}
			if w.date != nil {
				if d, ok := dateAt(s.text, int(h.start), int(h.end)); !ok || !w.date.is(d) {
					continue
				}
			}
			s.hit(h, whole && !w.form)
			s.word[term] = s.word[term] || isWord && !w.form
			s.form[term] = s.form[term] || w.form
		}
	}
}

func (s *scanner) hit(h hit, whole bool) {
	if s.count[h.term] == 0 {
		s.seen = append(s.seen, h.term)
	}
	s.count[h.term]++
	if whole {
		s.count[h.term]++
		s.whole[h.term] = true
	}
	s.hits = append(s.hits, h)
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
func (s *scanner) findPhrases(text []byte) bool {
	plain := false
	for i := range s.q.phrases {
		p := &s.q.phrases[i]
		possible := true
		for _, t := range p.needs {
			possible = possible && s.whole[t]
		}
		if possible && !plain {
			plain = true
			s.units = appendUnits(s.units[:0], text, 0)
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
