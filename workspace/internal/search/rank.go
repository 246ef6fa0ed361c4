package search

import (
	"bytes"
	"math"
	"slices"
	"time"
)

// BM25 and what is added to it.
const (
	saturation = 1.2  // k1: how soon more occurrences of a word count no more
	lengths    = 0.7  // b: how much less a word counts in a long passage; 0: no less
	inHeading  = 1.6  // for a word in the heading, as a part of what it counts
	inPath     = 0.4  // for a word in the path
	asWord     = 0.3  // for a whole word, which is not a part of another one
	pathAlone  = 1.4  // for a word that is in the path only, as a part of its rarity
	nearWeight = 3.0  // for two words that stand as in the query; less where they are further apart
	nearWords  = 8    // words further apart than in the query by so many are not near
	allWeight  = 0.25 // for a passage that has all words, as a part of its score
	partWeight = 0.5  // of the parts of a word in camelCase
)

// A feature is what a passage has of a term.
type feature struct {
	term  int32
	count uint16 // 2 for each whole word, 1 for each longer one; 0: it is in the path alone
	near  uint8  // 1: the next term of the query is as near as in the query, 2: a word further; 0: it is not near
	where uint8  // inHead, onPath, isWord
}

const (
	inHead = 1 << iota
	onPath
	isWord
)

// A record is a passage that matched, with its features.
type record struct {
	text        int32 // in ranker.texts
	at, size    int32
	headEnd     int32 // where its heading ends; below 1: it does not begin with one
	first, last int32 // in ranker.features
}

// A ranker counts the terms in texts, and then scores passages.
type ranker struct {
	q             *Query
	body, headers *scanner

	path     string  // whose terms are in pathHas
	pathHas  []bool  // of each term
	pathAny  bool    // whether any of them is looked for
	near     []uint8 // as in feature
	lastPos  []int32 // of each term in the passage
	headHas  []bool
	inLine   []int     // of each term: the last line with it, as bestLine counts
	features []feature // of the records, and of the last passage

	counts
	records []record
	texts   []Text // that have records, without content
	kept    []Text // that matched, with content
	full    bool   // there were too many records, and so there are none

	rarities []float64 // of each term, as soon as all texts were counted
	average  float64   // bytes of a passage
}

// counts are of all texts.
type counts struct {
	passages, bytes int64
	with            []int64 // of each term: passages that have it
	matched         int64   // passages
}

func newRanker(q *Query) *ranker {
	n := len(q.terms)
	return &ranker{
		q: q, body: newScanner(q), headers: newScanner(q),
		texts: make([]Text, 0, 8), kept: make([]Text, 0, 8), records: make([]record, 0, 32), features: make([]feature,
			0, 32),
		pathHas: make([]bool, n), headHas: make([]bool, n), inLine: make([]int, n), near: make([]uint8,
			n), lastPos: make([]int32, n), counts: counts{with: make([]int64, n)},
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
		if matched {
			r.matched++
			r.note(t, p, first, !matches)
			matches = true
		}
	}
	return matches
}

// maxRecords is how many bytes the records of a search may take.
const maxRecords = 1 << 20

// note makes a record of a passage.
func (r *ranker) note(t *Text, p passage, first, newText bool) {
	if r.full {
		return
	}
	from := len(r.features)
	r.describe(t, p, first)
	if newText {
		r.texts = append(r.texts, Text{Agent: t.Agent, Path: t.Path, Entry: t.Entry, Time: t.Time})
	}
	r.records = append(r.records, record{int32(len(r.texts) - 1), int32(p.start), int32(p.end - p.start),
		int32(p.headEnd - p.start), int32(from), int32(len(r.features))})
	const ofRecord, ofFeature, ofText = 24, 8, 112
	if len(r.records)*ofRecord+len(r.features)*ofFeature+len(r.texts)*ofText > maxRecords {
		r.full, r.records, r.features, r.texts = true, nil, nil, nil
	}
}

// describe appends the features of the passage that was matched last.
func (r *ranker) describe(t *Text, p passage, first bool) {
	from := len(r.features)
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
	for _, term := range r.body.seen {
		f := feature{term: term, count: uint16(min(r.body.count[term], math.MaxUint16)), near: r.near[term]}
		if r.headHas[term] {
			f.where |= inHead
		}
		if r.pathHas[term] {
			f.where |= onPath
		}
		if r.body.word[term] {
			f.where |= isWord
		}
		r.features = append(r.features, f)
	}
	clear(r.headHas)
	if r.pathAny {
		for term, has := range r.pathHas {
			if has && r.body.count[term] == 0 {
				r.features = append(r.features, feature{term: int32(term), where: onPath})
			}
		}
	}
	// In the order of the query, so that sums of the same numbers are the same.
	slices.SortFunc(r.features[from:], func(a, b feature) int { return int(a.term) - int(b.term) })
}

// findNear says of each term how far the one after it in the query is. If the passage has
// them in another order, they count as one word further apart.
func (r *ranker) findNear() {
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

func (r *ranker) setNear(term, distance int32) {
	distance = max(distance, 1)
	if distance <= nearWords && (r.near[term] == 0 || r.near[term] > uint8(distance)) {
		r.near[term] = uint8(distance)
	}
}

// weigh computes how rare each term is, from what was counted.
func (r *ranker) weigh(all counts) {
	r.rarities = make([]float64, len(r.q.terms))
	for i, t := range r.q.terms {
		with := float64(all.with[i])
		r.rarities[i] = t.weight * math.Log(1+(max(0, float64(all.passages)-with)+0.5)/(with+0.5))
	}
	r.average = max(1, float64(all.bytes)/float64(max(1, all.passages)))
}

// score scores a passage of some bytes.
func (r *ranker) score(features []feature, size int) float64 {
	norm := saturation * (1 - lengths + lengths*float64(size)/r.average)
	score, main := 0.0, 0
	for _, f := range features {
		rarity := r.rarities[f.term]
		if r.q.terms[f.term].weight == 1 {
			main++
		}
		if f.count == 0 {
			score += rarity * pathAlone
			continue
		}
		count := float64(f.count) / 2
		s := rarity * count * (saturation + 1) / (count + norm)
		if f.where&inHead != 0 {
			score += s * inHeading
		}
		if f.where&onPath != 0 {
			score += s * inPath
		}
		if f.where&isWord != 0 {
			score += s * asWord
		}
		if f.near > 0 {
			score += min(rarity, r.rarities[r.q.terms[f.term].next]) * nearWeight * 2 / float64(f.near+1)
		}
		score += s
	}
	if main == r.q.main {
		score *= 1 + allWeight
	}
	return score
}

// rankRecords offers the records to the best, without their lines.
func (r *ranker) rankRecords(best *top) {
	for i := range r.records {
		c := &r.records[i]
		t := &r.texts[c.text]
		best.next = found{agent: t.Agent, path: t.Path, entry: t.Entry, time: t.Time, at: int(c.at),
			score: r.score(r.features[c.first:c.last], int(c.size)), by: r, passage: c}
		if best.takes() {
			best.add()
		}
	}
}

// show sets the line of a passage, whose record the ranker has. All texts of the records
// were kept.
func (r *ranker) show(f *found) {
	content, c := r.kept[f.passage.text].Content, f.passage
	passage := content[c.at : c.at+c.size]
	r.body.scan(passage)
	f.line, f.text, f.marks = r.bestLine(passage, int(c.headEnd))
	f.line += 1 + bytes.Count(content[:c.at], []byte("\n"))
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
		r.features = r.features[:0]
		r.describe(t, p, first)
		f := &best.next
		*f = found{agent: t.Agent, path: t.Path, entry: t.Entry, time: t.Time, at: p.start,
			score: r.score(r.features, p.end-p.start)}
		if best.takes() {
			f.line, f.text, f.marks = r.bestLine(t.Content[p.start:p.end], p.headEnd-p.start)
			f.line += p.line
			best.add()
		}
	}
}

// found is a passage or a line that was found.
type found struct {
	agent string
	path  string
	entry int64
	time  time.Time
	at    int // where it begins
	score float64

	by      *ranker // that has a record of the passage
	passage *record

	line  int
	text  string
	marks [][2]int
}

// top keeps the first few of all that is offered.
type top struct {
	limit  int
	before func(a, b *found) bool
	list   []found // in order
	next   found   // that is offered
}

// takes reports whether next is among the first.
func (t *top) takes() bool {
	return len(t.list) < t.limit || t.before(&t.next, &t.list[len(t.list)-1])
}

// add adds next, which the list takes.
func (t *top) add() {
	if len(t.list) == t.limit {
		t.list = t.list[:t.limit-1]
	}
	i := len(t.list)
	for i > 0 && t.before(&t.next, &t.list[i-1]) {
		i--
	}
	if t.list == nil {
		t.list = make([]found, 0, t.limit)
	}
	t.list = append(t.list, found{})
	copy(t.list[i+1:], t.list[i:])
	t.list[i] = t.next
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
	case a.agent != b.agent:
		return a.agent < b.agent
	case a.path != b.path:
		return a.path < b.path
	case a.entry != b.entry:
		return a.entry < b.entry
	}
	return a.at < b.at
}
