package search

import (
	"bytes"
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
	hits  []hit
	count []int32 // of each term: 2 for each whole word, 1 for each longer one
	whole []bool  // of each term: whether it matched a whole word, or a whole part of one
	word  []bool  // of each term: whether it matched a whole word
	seen  []int32 // the terms whose count is above 0

	pos   int32
	units []unit
	buf   []byte
	at    []int32
	parts []int32
}

func newScanner(q *Query) *scanner {
	return &scanner{q: q, count: make([]int32, len(q.terms)), whole: make([]bool, len(q.terms)),
		word: make([]bool, len(q.terms))}
}

// scan finds the terms of a passage. It reports whether the passage matches: all phrases
// occur and nothing that is banned.
func (s *scanner) scan(text []byte) bool {
	s.reset()
	may, buf := s.q.mayMatch(text, s.buf)
	if s.buf = buf; may {
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

func (s *scanner) reset() {
	for _, t := range s.seen {
		s.count[t], s.whole[t], s.word[t] = 0, false, false
	}
	s.hits, s.seen, s.pos = s.hits[:0], s.seen[:0], 0
}

// findWords goes over the words of ASCII as bytes.
func (s *scanner) findWords(text []byte) {
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && byteClass[text[i]] == byteLower {
			i++
		}
		switch {
		case i < len(text) && byteClass[text[i]] != byteBetween:
			i = s.findWord(text, start)
		case i > start: // lower case alone, as most words are
			if s.mayBegin(text[start:i]) {
				s.parts = append(s.parts[:0], 0)
				s.lookUpASCII(text, start, i)
			}
			s.pos++
		default:
			i++
		}
	}
}

// findWord looks up the word that begins at a byte, and returns where it ends. Where it comes
// upon a character that is not ASCII, findWide takes over until the next white space or
// punctuation of ASCII.
func (s *scanner) findWord(text []byte, start int) (end int) {
	i, camel, c := start, false, byteClass[text[start]]
	for before := c; i < len(text) && before != byteWide; i++ {
		if c = byteClass[text[i]]; c == before {
			continue
		}
		if c == byteBetween || c == byteWide {
			break
		}
		camel = camel || c == byteUpper || before == byteUpper && c == byteLower && i-1 > start
		before = c
	}
	switch {
	case c == byteWide:
		for i < len(text) && byteClass[text[i]] != byteBetween {
			i++
		}
		s.findWide(text[start:i], start)
	case camel:
		s.findCamel(text, start, i)
		s.pos += int32(len(s.parts))
	default:
		if s.mayBegin(text[start:i]) {
			s.parts = append(s.parts[:0], 0)
			s.lookUpASCII(text, start, i)
		}
		s.pos++
	}
	return i
}

// findCamel looks up a word of ASCII that may have several parts.
func (s *scanner) findCamel(text []byte, start, end int) {
	s.parts = append(s.parts[:0], 0)
	for i := start + 1; i < end && len(s.parts) < maxParts; i++ {
		before, now := byteClass[text[i-1]], byteClass[text[i]]
		switch {
		case now == byteUpper && before != byteUpper:
			s.parts = append(s.parts, int32(i-start))
		case now == byteLower && before == byteUpper && int32(i-1-start) > s.parts[len(s.parts)-1]:
			s.parts = append(s.parts, int32(i-1-start))
		}
	}
	for _, part := range s.parts {
		if s.mayBegin(text[start+int(part) : end]) {
			s.lookUpASCII(text, start, end)
			break
		}
	}
}

// lookUpASCII looks up a word of ASCII whose parts are in s.parts.
func (s *scanner) lookUpASCII(text []byte, start, end int) {
	s.buf = append(s.buf[:0], text[start:end]...)
	for i, b := range s.buf {
		if b >= 'A' && b <= 'Z' {
			s.buf[i] = b | 0x20
		}
	}
	s.lookUp(start, nil)
}

// mayBegin reports whether a word of the query may begin as a text does, or be all of it.
// ASCII of the text need not be in lower case.
func (s *scanner) mayBegin(text []byte) bool {
	const lowerCase = 0x20 // digits have that bit already
	first, second := text[0], byte(0)
	if first < utf8.RuneSelf {
		first |= lowerCase
	}
	if len(text) > 1 {
		if second = text[1]; second < utf8.RuneSelf {
			second |= lowerCase
		}
	}
	return s.q.wordBegin[first][second]
}

// lookUp finds the terms in the folded word in s.buf, at the beginnings of its parts. The
// word begins at start of the passage, or has the given units.
func (s *scanner) lookUp(start int, units []unit) {
	for i, part := range s.parts {
		rest := s.buf[part:]
		if !s.mayBegin(rest) {
			continue
		}
		longer := false
		for w := s.q.longest(rest); w >= 0; {
			found := &s.q.words[w]
			w = found.parent
			end := part + int32(len(found.text))
			whole := int(end) == len(s.buf) || contains(s.parts[i+1:], end)
			if !whole && (longer || !found.prefix) {
				continue
			}
			longer = longer || !whole
			h := hit{found.term, s.pos + int32(i), int32(start) + part, int32(start) + end}
			if units != nil {
				from := utf8.RuneCount(s.buf[:part])
				h.start, h.end = units[from].start, units[from+utf8.RuneCountInString(found.text)-1].end
			}
			s.hit(h, whole)
			s.word[h.term] = s.word[h.term] || part == 0 && int(end) == len(s.buf)
		}
	}
}

func contains(list []int32, n int32) bool {
	for _, each := range list {
		if each == n {
			return true
		}
	}
	return false
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
			if !s.q.gramSizes[size] {
				continue
			}
			if term, ok := s.q.grams[gramKey(units[i:i+size])]; ok {
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
