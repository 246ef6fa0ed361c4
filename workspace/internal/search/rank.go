package search

import (
	"math"
	"time"
)

// BM25 and what is added to it.
const (
	saturation = 1.2  // k1: how soon more occurrences of a word count no more
	lengths    = 0.6  // b: how much less a word counts in a long passage; 0: no less
	inHeading  = 0.8  // for a word in the heading, as a part of what it counts
	inPath     = 0.4  // for a word in the path
	pathAlone  = 0.6  // for a word that is in the path only, as a part of its rarity
	nearWeight = 0.5  // for a word beside another one; half of it two words apart, and so on
	nearWords  = 8    // words further apart are not near
	allWeight  = 0.25 // for a passage that has all words, as a part of its score
	partWeight = 0.5  // of the parts of a word in camelCase
)

// A ranker counts the terms in all texts, and then scores passages.
type ranker struct {
	q             *Query
	body, headers *scanner

	path     string // whose terms are in pathHas
	pathHas  []bool // of each term
	pathAny  bool
	headHas  []bool // of each term
	near     []float64
	rarities []float64 // of each term, as soon as all texts were counted

	passages, bytes int64
	with            []int64 // of each term: passages that have it
	matched         int64   // passages
}

func newRanker(q *Query) *ranker {
	n := len(q.terms)
	return &ranker{
		q: q, body: newScanner(q), headers: newScanner(q),
		pathHas: make([]bool, n), headHas: make([]bool, n), near: make([]float64, n), with: make([]int64, n),
	}
}

// setPath finds the terms in a path.
func (r *ranker) setPath(path string) {
	if path == r.path {
		return
	}
	r.path, r.pathAny = path, false
	clear(r.pathHas)
	r.headers.scan([]byte(path))
	for _, t := range r.headers.seen {
		r.pathHas[t] = true
		r.pathAny = r.pathAny || r.q.terms[t].weight > 0
	}
}

// match finds the terms in a passage, and reports whether it matches. In the first
// passage of a path, the words of the path count too.
func (r *ranker) match(text []byte, first bool) bool {
	if !r.body.scan(text) {
		return false
	}
	if first && r.pathAny {
		return true
	}
	for _, t := range r.body.seen {
		if r.q.terms[t].weight > 0 {
			return true
		}
	}
	return false
}

// count counts the terms in a text. It reports whether any passage matches.
func (r *ranker) count(t *Text) (matches bool) {
	r.setPath(t.Path)
	split := newSplitter(t)
	for p, ok := split.next(); ok; p, ok = split.next() {
		first := t.first && p.start == 0
		if r.match(t.Content[p.start:p.end], first) {
			matches = true
			r.matched++
		}
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
	}
	return matches
}

// weigh computes how rare each term is, from what was counted.
func (r *ranker) weigh() {
	r.rarities = make([]float64, len(r.q.terms))
	for i, t := range r.q.terms {
		with := float64(r.with[i])
		r.rarities[i] = t.weight * math.Log(1+(max(0, float64(r.passages)-with)+0.5)/(with+0.5))
	}
}

// rank scores the passages of a text and offers them to the best.
func (r *ranker) rank(t *Text, best *top) {
	r.setPath(t.Path)
	split := newSplitter(t)
	for p, ok := split.next(); ok; p, ok = split.next() {
		first := t.first && p.start == 0
		if !r.match(t.Content[p.start:p.end], first) {
			continue
		}
		f := found{path: t.Path, entry: t.Entry, time: t.Time, at: p.start, score: r.score(t, p, first)}
		if best.takes(f) {
			f.line, f.text, f.marks = r.bestLine(t.Content[p.start:p.end], p.headEnd-p.start)
			f.line += p.line
			best.add(f)
		}
	}
}

func (r *ranker) score(t *Text, p passage, first bool) float64 {
	clear(r.headHas)
	if p.headEnd > 0 {
		r.headers.scan(t.Content[p.head:min(p.headEnd, p.head+maxPassage)])
		for _, term := range r.headers.seen {
			r.headHas[term] = true
		}
	}
	r.findNear()
	average := max(1, float64(r.bytes)/float64(max(1, r.passages)))
	norm := saturation * (1 - lengths + lengths*float64(p.end-p.start)/average)
	score, main := 0.0, 0
	for term, rarity := range r.rarities { // in the order of the query, so that sums are the same
		count := float64(r.body.count[term]) / 2
		inPathOnly := count == 0 && first && r.pathHas[term]
		switch {
		case inPathOnly:
			score += rarity * pathAlone
		case count > 0:
			s := rarity * count * (saturation + 1) / (count + norm)
			if r.headHas[term] {
				score += s * inHeading
			}
			if r.pathHas[term] {
				score += s * inPath
			}
			score += s + rarity*r.near[term]*nearWeight
		}
		if r.q.terms[term].weight == 1 && (count > 0 || inPathOnly) {
			main++
		}
	}
	if main == r.q.main {
		score *= 1 + allWeight
	}
	return score
}

// findNear says of each term how near another one stands to it: 1 if they are beside each
// other.
func (r *ranker) findNear() {
	clear(r.near)
	last := hit{term: -1}
	for _, h := range r.body.hits {
		if h.pos < 0 || r.q.terms[h.term].weight == 0 {
			continue
		}
		if distance := h.pos - last.pos; last.term >= 0 && last.term != h.term && distance > 0 && distance <= nearWords {
			near := 1 / float64(distance)
			r.near[h.term], r.near[last.term] = max(r.near[h.term], near), max(r.near[last.term], near)
		}
		last = h
	}
}

// found is a passage or a line that was found.
type found struct {
	path  string
	entry int64
	time  time.Time
	at    int // where it begins
	score float64

	line  int
	text  string
	marks [][2]int
}

// top keeps the first few of all that is offered.
type top struct {
	limit  int
	before func(a, b *found) bool
	list   []found // in order
}

func (t *top) takes(f found) bool {
	return len(t.list) < t.limit || t.before(&f, &t.list[len(t.list)-1])
}

func (t *top) add(f found) {
	if len(t.list) == t.limit {
		t.list = t.list[:t.limit-1]
	}
	i := len(t.list)
	for i > 0 && t.before(&f, &t.list[i-1]) {
		i--
	}
	t.list = append(t.list, found{})
	copy(t.list[i+1:], t.list[i:])
	t.list[i] = f
}

// byScore orders by score, the newest first among equal ones.
func byScore(a, b *found) bool {
	switch {
	case a.score != b.score:
		return a.score > b.score
	case !a.time.Equal(b.time):
		return a.time.After(b.time)
	}
	return byPlace(a, b)
}

// byPlace orders by path and line. A file is before a log of the same path.
func byPlace(a, b *found) bool {
	switch {
	case a.path != b.path:
		return a.path < b.path
	case a.entry != b.entry:
		return a.entry < b.entry
	}
	return a.at < b.at
}
