package search

import "slices"

// A match is a passage that matched, with what it has of each term, or a line.
type match struct {
	Hit
	at int // where it begins

	// Of a passage:
	size     int
	headEnd  int      // where its heading ends; below 1: it does not begin with one
	content  []byte   // of the text; nil: there was no room to keep it
	page     int      // that has the text, as the pager counts
	by       *matcher // that found it
	features []feature
	score    float64
}

// A feature is what a passage has of a term.
type feature struct {
	term  int32
	count int32 // 2 for each whole word, 1 for each longer one or form; 0: it is in the path alone
	last  int32 // the number of the word where it occurred last, plus 1; 0: it did not, but as a phrase
	// 1: the next term of the query is as near as in the query, 2: a word further; 0: it is not near
	near           uint8
	inHead, onPath bool
	whole          bool // it matched a whole word, or a whole part of one
	isWord, isForm bool // it matched a whole word; it matched another form of the word
}

// A matcher finds the passages that match, and counts how many passages have each term.
type matcher struct {
	q                *Query
	body, path, head *scanner
	inPath           string // what path has scanned last

	counts
	matches []*match
	held    int // bytes of the matches
	keep    int // matches that are kept at least
	room    int // bytes of texts that may still be kept
}

// counts are of all texts.
type counts struct {
	passages, bytes int64
	with            []int64 // of each term: passages that have it
	matched         int64   // passages
}

func (c *counts) add(more counts) {
	c.passages += more.passages
	c.bytes += more.bytes
	c.matched += more.matched
	for i, n := range more.with {
		c.with[i] += n
	}
}

func newMatcher(q *Query, keep int) *matcher {
	return &matcher{q: q, body: newScanner(q), path: newScanner(q), head: newScanner(q), keep: keep,
		room: keepBytes / 2, counts: counts{with: make([]int64, len(q.terms))}}
}

// read finds the passages of a text that match, and counts the terms of all. In the first passage
// of a path, the words of the path count too. page is that of the text. Errors: those of
// [Text.Check].
func (r *matcher) read(t *Text, page int) error {
	if t.Path != r.inPath {
		r.inPath = t.Path
		r.path.scan([]byte(t.Path))
	}
	byPath := t.first && r.path.finds()
	checked := false
	var content []byte
	split := newSplitter(t)
	for p, ok := split.next(); ok; p, ok = split.next() {
		matched := r.body.scan(t.Content[p.start:p.end]) && (byPath || r.body.finds())
		r.passages++
		r.bytes += int64(p.end - p.start)
		for _, term := range r.body.seen {
			r.with[term]++
		}
		if byPath {
			for _, term := range r.onlyInPath() {
				r.with[term]++
			}
		}
		byPath = false
		if !matched {
			continue
		}
		if !checked {
			if err := t.check(); err != nil {
				return err
			}
			checked, content = true, r.kept(t.Content)
		}
		r.matched++
		m := &match{Hit: t.hit(), at: p.start, size: p.end - p.start, headEnd: p.headEnd - p.start, content: content,
			page: page, by: r, features: r.features(t.Content, p)}
		r.matches = append(r.matches, m)
		if r.held += matchSize + featureSize*len(m.features); r.held > maxHeld && len(r.matches) > 2*r.keep {
			r.prune()
		}
	}
	return nil
}

const (
	maxHeld     = 2 << 20 // bytes of the matches that a matcher keeps
	matchSize   = 256     // of a match
	featureSize = 20
)

// kept returns a content to keep; nil: there is no room.
func (r *matcher) kept(content []byte) []byte {
	if len(content) > r.room {
		return nil
	}
	r.room -= len(content)
	return content
}

// onlyInPath returns the terms that the path has, and the last passage has not.
func (r *matcher) onlyInPath() (terms []int32) {
	if r.path.finds() {
		for _, term := range r.path.seen {
			if r.body.of[term].count == 0 {
				terms = append(terms, term)
			}
		}
	}
	return terms
}

// features returns the features of the passage that was matched last.
func (r *matcher) features(text []byte, p passage) []feature {
	r.body.findNear()
	hits, end := r.body.hits, p.headEnd-p.start
	if p.head < p.start && p.headEnd > p.head {
		r.head.scan(text[p.head:min(p.headEnd, p.head+maxPassage)])
		hits, end = r.head.hits, maxPassage
	}
	for _, h := range hits {
		if f := &r.body.of[h.term]; f.count > 0 && int(h.start) < end {
			f.inHead = true
		}
	}
	list := make([]feature, 0, len(r.body.seen))
	for _, term := range r.body.seen {
		f := r.body.of[term]
		f.onPath = r.path.of[term].count > 0
		list = append(list, f)
	}
	for _, term := range r.onlyInPath() {
		list = append(list, feature{term: term, onPath: true})
	}
	// In the order of the query, so that sums of the same numbers are the same.
	slices.SortFunc(list, func(a, b feature) int { return int(a.term - b.term) })
	return list
}

// findNear says of each term how far the one after it in the query is. If the passage has
// them in another order, they count as one word further apart.
func (s *scanner) findNear() {
	for _, h := range s.hits {
		t, f := &s.q.terms[h.term], &s.of[h.term]
		if h.pos < 0 || t.weight == 0 {
			continue
		}
		if t.before >= 0 && s.of[t.before].last > 0 {
			before := &s.of[t.before]
			before.setNear(h.pos + 1 - before.last - s.q.terms[t.before].gap + 1)
		}
		if t.next >= 0 && s.of[t.next].last > 0 {
			f.setNear(h.pos + 1 - s.of[t.next].last + 1)
		}
		f.last = h.pos + 1
	}
}

func (f *feature) setNear(distance int32) {
	distance = max(distance, 1)
	if distance <= nearWords && (f.near == 0 || f.near > uint8(distance)) {
		f.near = uint8(distance)
	}
}
