package search

import (
	"cmp"
	"math"
	"slices"
)

// BM25 and what is added to it.
const (
	saturation = 1.2  // k1: how soon more occurrences of a word count no more
	lengths    = 0.7  // b: how much less a word counts in a long passage; 0: no less
	inHeading  = 1.6  // for a word in the heading, as a part of what it counts
	inPath     = 0.4  // for a word in the path
	asWord     = 0.3  // for a whole word, which is not a part of another one
	asForm     = 0.5  // of what a word counts if only forms of it occur
	pathAlone  = 1.4  // for a word that is in the path only, as a part of its rarity
	nearWeight = 3.0  // for two words that stand as in the query; less where they are further apart
	nearWords  = 8    // words further apart than in the query by so many are not near
	allWeight  = 0.25 // for a passage that has all words, as a part of its score
	partWeight = 0.5  // of the parts of a word in camelCase
	dateWeight = 0.25 // of the parts of a date
)

// A scorer knows how much each term counts, from what was counted.
type scorer struct {
	q        *Query
	rarities []float64 // of each term
	average  float64   // bytes of a passage
	main     int       // terms of weight 1, which are the words as the user wrote them
}

func newScorer(q *Query, all counts) *scorer {
	s := &scorer{q: q, rarities: make([]float64, len(q.terms))}
	for i, t := range q.terms {
		if t.weight == 1 {
			s.main++
		}
		with := float64(all.with[i])
		s.rarities[i] = t.weight * math.Log(1+(max(0, float64(all.passages)-with)+0.5)/(with+0.5))
	}
	s.average = max(1, float64(all.bytes)/float64(max(1, all.passages)))
	return s
}

// score scores a passage.
func (s *scorer) score(m *match) float64 {
	norm := saturation * (1 - lengths + lengths*float64(m.size)/s.average)
	score, main := 0.0, 0
	for _, f := range m.features {
		rarity := s.rarities[f.term]
		if s.q.terms[f.term].weight == 1 {
			main++
		}
		if f.count == 0 {
			score += rarity * pathAlone
			continue
		}
		count := float64(f.count) / 2
		one := rarity * count * (saturation + 1) / (count + norm)
		isForm := f.isForm && !f.isWord
		if isForm {
			one *= asForm
		}
		if f.inHead {
			score += one * inHeading
		}
		if f.onPath {
			score += one * inPath
			if isForm {
				score += max(0, rarity*pathAlone-one*(1+inPath)) // no less than for the path alone
			}
		}
		if f.isWord {
			score += one * asWord
		}
		if f.near > 0 {
			score += min(rarity, s.rarities[s.q.terms[f.term].next]) * nearWeight * 2 / float64(f.near+1)
		}
		score += one
	}
	if main == s.main {
		score *= 1 + allWeight
	}
	return score
}

// prune drops three quarters of the matches: those with the lowest scores by what was counted
// so far.
func (r *matcher) prune() {
	s := newScorer(r.q, r.counts)
	for _, m := range r.matches {
		m.score = s.score(m)
	}
	slices.SortFunc(r.matches, byScore)
	keep := max(r.keep, len(r.matches)/4)
	r.held = r.held / len(r.matches) * keep
	clear(r.matches[keep:])
	r.matches = r.matches[:keep]
}

// top keeps the first few of all that is offered.
type top struct {
	limit int
	order func(a, b *match) int
	list  []*match
}

// offer adds what is found, and reports whether it is among the first.
func (t *top) offer(m *match) bool {
	i := len(t.list)
	for i > 0 && t.order(m, t.list[i-1]) < 0 {
		i--
	}
	if i == t.limit {
		return false
	}
	t.list = slices.Insert(t.list[:min(len(t.list), t.limit-1)], i, m)
	return true
}

// skip drops the first n.
func (t *top) skip(n int) { t.list = t.list[min(n, len(t.list)):] }

func (t *top) result(total int64) Result {
	r := Result{Hits: make([]Hit, len(t.list)), Total: total}
	for i, m := range t.list {
		r.Hits[i] = m.Hit
	}
	return r
}

// byScore orders by score, and equal scores by place.
func byScore(a, b *match) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return byPlace(a, b)
}

// byPlace orders by path and line. A file is before a log of the same path, and its newest version
// before older ones.
func byPlace(a, b *match) int {
	return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Entry, b.Entry),
		cmp.Compare(uint64(b.Version-1), uint64(a.Version-1)), // 0 is the current one, above all others
		cmp.Compare(a.at, b.at))
}
