package search

import (
	"math"
	"slices"
)

// A match is a passage that matched, with what it has of each term.
type match struct {
	in       *Text // without Check, and without Content if there was no room to keep it
	page     int   // that has the text, as the pager counts
	by       *matcher
	features []feature
	score    float64
	shown    bool // its line is set

	at, size int
	headEnd  int // where its heading ends; below 1: it does not begin with one
}

// A feature is what a passage has of a term.
type feature struct {
	term  int32
	count uint16 // 2 for each whole word, 1 for each longer one or form; 0: it is in the path alone
	// 1: the next term of the query is as near as in the query, 2: a word further; 0: it is not near
	near                   uint8
	inHead, onPath, isWord bool
	isForm                 bool // it has a form of the term, and not the term as a word
}

// A matcher finds the passages that match, and counts how many passages have each term.
type matcher struct {
	q             *Query
	body, headers *scanner

	path    string  // whose terms are in pathHas
	pathHas []bool  // of each term
	pathAny bool    // whether any of them is looked for
	near    []uint8 // as in feature
	lastPos []int32 // of each term in the passage
	headHas []bool

	counts
	matches []match
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

func newMatcher(q *Query, keep, room int) *matcher {
	n := len(q.terms)
	return &matcher{
		q: q, body: newScanner(q), headers: newScanner(q), keep: keep, room: room,
		near: make([]uint8, n), lastPos: make([]int32, n),
		pathHas: make([]bool, n), headHas: make([]bool, n), counts: counts{with: make([]int64, n)},
	}
}

// setPath finds the terms in a path.
func (r *matcher) setPath(path string) {
	if path == r.path {
		return
	}
	r.path, r.pathAny = path, false
	clear(r.pathHas)
	r.headers.scan([]byte(path))
	for _, t := range r.headers.seen {
		r.pathHas[t] = true
		r.pathAny = r.pathAny || r.q.terms[t].finds
	}
}

// match finds the terms in a passage, and reports whether it matches. In the first
// passage of a path, the words of the path count too.
func (r *matcher) match(text []byte, first bool) bool {
	if !r.body.scan(text) {
		return false
	}
	if first && r.pathAny {
		return true
	}
	for _, t := range r.body.seen {
		if r.q.terms[t].finds {
			return true
		}
	}
	return false
}

// read finds the passages of a text that match, and counts the terms of all. page is that of
// the text. Errors: those of [Text.Check].
func (r *matcher) read(t *Text, page int) error {
	r.setPath(t.Path)
	var in *Text
	split := newSplitter(t)
	for p, ok := split.next(); ok; p, ok = split.next() {
		first := t.first && p.start == 0
		matched := r.match(t.Content[p.start:p.end], first)
		r.passages++
		r.bytes += int64(p.end - p.start)
		for _, term := range r.body.seen {
			r.with[term]++
		}
		if first && r.pathAny {
			for term, has := range r.pathHas {
				if has && r.body.count[term] == 0 {
					r.with[term]++
				}
			}
		}
		if !matched {
			continue
		}
		if in == nil {
			if err := t.check(); err != nil {
				return err
			}
			in = r.kept(t)
		}
		r.matched++
		list := r.features(t, p)
		r.matches = append(r.matches, match{in: in, page: page, by: r, features: list, at: p.start,
			size:    p.end - p.start,
			headEnd: p.headEnd - p.start})
		if r.held += matchSize + featureSize*len(list); r.held > maxHeld && len(r.matches) > 2*r.keep {
			r.prune()
		}
	}
	return nil
}

const (
	maxHeld     = 2 << 20 // bytes of the matches that a matcher keeps
	matchSize   = 224     // of a match, with a text that has only one
	featureSize = 12
)

// kept returns a text to keep, without its content if there is no room.
func (r *matcher) kept(t *Text) *Text {
	const besides = 256 // bytes that a text takes besides its content
	k := *t
	k.Check = nil // it may hold the rest of the page
	if size := len(t.Content) + 4*len(t.lines) + besides; size <= r.room {
		r.room -= size
	} else {
		k.Content, k.lines = nil, nil
	}
	return &k
}

// features returns the features of the passage that was matched last.
func (r *matcher) features(t *Text, p passage) []feature {
	r.findNear()
	if p.head < p.start && p.headEnd > p.head {
		r.headers.scan(t.Content[p.head:min(p.headEnd, p.head+maxPassage)])
		for _, term := range r.headers.seen {
			r.headHas[term] = true
		}
	} else if p.headEnd > p.start {
		for _, h := range r.body.hits {
			r.headHas[h.term] = r.headHas[h.term] || int(h.start) < p.headEnd-p.start
		}
	}
	list := make([]feature, 0, len(r.body.seen))
	for _, term := range r.body.seen {
		list = append(list, feature{term: term, count: uint16(min(r.body.count[term], math.MaxUint16)),
			near:   r.near[term],
			inHead: r.headHas[term], onPath: r.pathHas[term], isWord: r.body.word[term],
			isForm: r.body.form[term] && !r.body.word[term]})
	}
	clear(r.headHas)
	if r.pathAny {
		for term, has := range r.pathHas {
			if has && r.body.count[term] == 0 {
				list = append(list, feature{term: int32(term), onPath: true})
			}
		}
	}
	// In the order of the query, so that sums of the same numbers are the same.
	slices.SortFunc(list, func(a, b feature) int { return int(a.term) - int(b.term) })
	return list
}

// findNear says of each term how far the one after it in the query is. If the passage has
// them in another order, they count as one word further apart.
func (r *matcher) findNear() {
	for _, t := range r.body.seen {
		r.near[t], r.lastPos[t] = 0, -1
	}
	for _, h := range r.body.hits {
		t := &r.q.terms[h.term]
		if h.pos < 0 || t.weight == 0 {
			continue
		}
		if t.before >= 0 && r.body.count[t.before] > 0 && r.lastPos[t.before] >= 0 {
			r.setNear(t.before, h.pos-r.lastPos[t.before]-r.q.terms[t.before].gap+1)
		}
		if t.next >= 0 && r.body.count[t.next] > 0 && r.lastPos[t.next] >= 0 {
			r.setNear(h.term, h.pos-r.lastPos[t.next]+1)
		}
		r.lastPos[h.term] = h.pos
	}
}

func (r *matcher) setNear(term, distance int32) {
	distance = max(distance, 1)
	if distance <= nearWords && (r.near[term] == 0 || r.near[term] > uint8(distance)) {
		r.near[term] = uint8(distance)
	}
}
