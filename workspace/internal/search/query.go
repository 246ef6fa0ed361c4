package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxQuery is the most characters of a query.
const MaxQuery = 1000

// NoWord is the cause if a query has nothing to look for.
const NoWord = "it has no letter or digit"

// prefixLen is how many characters a word of a query needs to match longer words.
const prefixLen = 4

// A Query is a list of words and phrases to look for. It is safe for concurrent use.
type Query struct {
	terms   []term
	phrases []phrase
	banned  []int32 // terms that must not match whole words

	asked     [][]rune         // the first words, folded, which are compared with others if nothing is found
	words     []string         // folded; of a word with forms, the letters with which all of them begin
	byText    map[string]int32 // terms of words and grams, by what they are folded to
	begin     [256][]word      // the words that begin with a byte, the longest first
	gramBegin [256]bool        // whether the first character of a gram ends with a byte
}

// A word is looked for where a word of a text, or a part of one, begins.
type word struct {
	text string // folded
	term int32
	form bool  // another form of a word of the query; it matches whole words only, and counts less
	date *date // of which the word is the month; it matches where a text has the date. nil: none
}

// fewWords is the most words for which a text is searched before it is cut into words.
const fewWords = 8

// A term is counted in each passage.
type term struct {
	weight  float64 // 0: the term is needed for a phrase, or must not occur
	next    int32   // the word or gram after it in the query; -1: none
	before  int32   // the term whose next this is; -1: none
	gap     int32   // how many words before next it is in the query
	long    bool    // a word of prefixLen characters
	widened bool    // its forms were added
	finds   bool    // a passage that has it matches
}

// prefix reports whether a term matches longer words too. Words that are banned or in a phrase
// do not.
func (t *term) prefix() bool { return t.long && t.weight > 0 }

// A phrase is found as it stands, with any white space between its words.
type phrase struct {
	text             string  // folded
	needs            []int32 // terms without which the phrase cannot occur
	term             int32
	banned           bool
	startsIn, endsIn bool // with a letter of a word, so that no other letter stands beside it
}

// Parse returns the query that a text stands for. If it is none, cause says why.
func Parse(text string) (q *Query, cause string) {
	b, dates := builder{q: &Query{byText: map[string]int32{}}}, dates(text)
	for rest := text; ; {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			break
		}
		start := len(text) - len(rest)
		item, after, quoted, banned := cutItem(rest)
		rest = after
		if item == "OR" && !quoted && len(b.q.terms) > 0 && strings.TrimSpace(rest) != "" {
			continue // between words, it is what a space is
		}
		b.weight = 1
		for _, d := range dates {
			if !quoted && !banned && start < d.end && start+len(item) > d.start {
				b.weight = dateWeight
				b.date(d)
			}
		}
		b.add(item, quoted, banned)
	}
	for _, words := range b.q.begin {
		slices.SortFunc(words, func(x, y word) int { return len(y.text) - len(x.text) })
	}
	switch {
	case slices.ContainsFunc(b.q.terms, func(t term) bool { return t.weight > 0 }):
		return b.q, ""
	case len(b.q.terms) > 0:
		return nil, "every word of it is excluded; give a word to look for"
	}
	return nil, NoWord
}

// cutItem cuts the first word or phrase off a query.
func cutItem(text string) (item, rest string, quoted, banned bool) {
	if len(text) > 1 && text[0] == '-' && text[1] != '-' {
		banned, text = true, text[1:]
	}
	if text[0] == '"' {
		item, rest, _ = strings.Cut(text[1:], `"`)
		return item, rest, true, banned
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:], false, banned
}

// A builder makes a query.
type builder struct {
	q    *Query
	last int32 // the last word or gram that was added to look for, plus 1
	at   int32 // its position
	pos  int32 // the next position

	forms     int     // of all words
	weight    float64 // of the words of the present item; dateWeight: it is a part of a date
	oneLetter bool    // the present word is one letter of a longer name, which finds nothing by itself
}

func (b *builder) add(item string, quoted, banned bool) {
	units := appendUnits(nil, []byte(item), 0)
	tokens, first, last := tokensOf(units)
	for _, t := range tokens {
		if !banned && t[0].c.inWord() && len(t) >= nearLeast && len(b.q.asked) < maxAsked {
			b.q.asked = append(b.q.asked, runesOf(t))
		}
	}
	switch {
	case len(tokens) == 0:
	case banned && !quoted && len(tokens) == 1 && tokens[0][0].c.inWord():
		b.q.banned = append(b.q.banned, b.word(tokens[0], 0))
	case quoted || banned:
		b.phrase(units[first:last], tokens, banned)
	default:
		name := strings.ContainsAny(strings.TrimRight(item, ".:"), "_./:\\@#")
		if len(tokens) == 2 && (strings.HasSuffix(item, "'s") || strings.HasSuffix(item, "’s")) { // as in "shop's"
			tokens = tokens[:1]
		}
		isLong := slices.ContainsFunc(tokens, func(t []unit) bool { return len(t) > 1 || t[0].c.inRun() })
		for _, t := range tokens {
			b.oneLetter = isLong && len(t) == 1 && t[0].c.inWord()
			b.token(t, !name)
		}
		b.oneLetter = false
	}
}

func runesOf(units []unit) (word []rune) {
	for _, u := range units {
		word = append(word, u.r)
	}
	return word
}

// token adds a word with its forms and the parts of its camelCase, or the grams of a run. A part
// of a name has no forms.
func (b *builder) token(units []unit, hasForms bool) {
	if units[0].c.inRun() {
		for i, t := range b.run(units, 1) {
			b.follow(t, b.pos+int32(i))
		}
		b.pos += int32(len(units))
		return
	}
	term := b.word(units, b.weight)
	if hasForms && !b.q.terms[term].widened {
		b.widen(units, term)
		b.q.terms[term].widened = true
	}
	if b.weight == 1 {
		b.follow(term, b.pos)
	}
	parts := partsOf(units, nil)
	b.pos += int32(len(parts))
	if len(parts) > 1 {
		for i, from := range parts {
			to := len(units)
			if i+1 < len(parts) {
				to = int(parts[i+1])
			}
			b.word(units[from:to], partWeight)
		}
	}
}

// follow notes which term is after which, and how far.
func (b *builder) follow(t, pos int32) {
	if last := b.last - 1; last >= 0 && last != t && b.q.terms[last].next < 0 && b.q.terms[t].before < 0 {
		b.q.terms[last].next, b.q.terms[last].gap = t, pos-b.at
		b.q.terms[t].before = last
	}
	b.last, b.at = t+1, pos
}

func (b *builder) phrase(units []unit, tokens [][]unit, banned bool) {
	p := phrase{text: string(appendPlain(nil, nil, units)), banned: banned}
	p.startsIn, p.endsIn = units[0].c.inWord(), units[len(units)-1].c.inWord()
	for _, t := range tokens {
		if t[0].c.inRun() {
			p.needs = append(p.needs, b.run(t, 0)...)
		} else {
			p.needs = append(p.needs, b.word(t, 0))
		}
	}
	weight := 1.0
	if banned {
		weight = 0
	}
	p.term, _ = b.term("\""+p.text, weight)
	b.q.phrases = append(b.q.phrases, p)
}

// term returns the term of a text, and whether it is new. Phrases begin with a quote.
func (b *builder) term(text string, weight float64) (i int32, isNew bool) {
	i, known := b.q.byText[text]
	if !known {
		i = int32(len(b.q.terms))
		b.q.byText[text] = i
		b.q.terms = append(b.q.terms, term{next: -1, before: -1})
	}
	t := &b.q.terms[i]
	t.weight, t.finds = max(t.weight, weight), t.finds || weight > 0 && !b.oneLetter
	return i, !known
}

func (b *builder) word(units []unit, weight float64) int32 {
	text := string(appendPlain(nil, nil, units))
	i, isNew := b.term(text, weight)
	if isNew {
		b.q.terms[i].long = len(units) >= prefixLen
		b.q.words = append(b.q.words, text)
		b.q.begin[text[0]] = append(b.q.begin[text[0]], word{text: text, term: i})
	}
	return i
}

func (b *builder) run(units []unit, weight float64) (terms []int32) {
	size := min(gramSize(units[0].c), len(units))
	for at := range len(units) - size + 1 {
		i, _ := b.term(string(appendPlain(nil, nil, units[at:at+size])), weight)
		b.q.gramBegin[byte(units[at].r)] = true
		terms = append(terms, i)
	}
	return terms
}

// tokensOf returns the words and runs among the units, and where the first begins and the
// last ends.
func tokensOf(units []unit) (tokens [][]unit, first, last int) {
	for i := 0; i < len(units); {
		end := tokenEnd(units, i)
		if end == i {
			i++
			continue
		}
		if tokens == nil {
			first = i
		}
		tokens, i, last = append(tokens, units[i:end]), end, end
	}
	return tokens, first, last
}

// tokenEnd returns where the word or run ends that begins at i; i if there is none.
func tokenEnd(units []unit, i int) int {
	end := i
	switch c := units[i].c; {
	case c.inWord():
		for end < len(units) && units[end].c.inWord() {
			end++
		}
	case c.inRun():
		for end < len(units) && units[end].c == c {
			end++
		}
	}
	return end
}

// maxParts is how many parts of a word are told apart. The last has the rest of the word.
const maxParts = 12

// partsOf appends where the parts of a word in camelCase begin.
func partsOf(units []unit, parts []int32) []int32 {
	parts = append(parts, 0)
	for i := 1; i < len(units) && len(parts) < maxParts; i++ {
		before, now := units[i-1].c, units[i].c
		switch {
		case now == upper && before != upper:
			parts = append(parts, int32(i))
		case now == lower && before == upper && int32(i-1) > parts[len(parts)-1]:
			parts = append(parts, int32(i-1))
		}
	}
	return parts
}

// gramSize returns how many characters in a row are compared.
func gramSize(c class) int {
	if c == run3 {
		return 3
	}
	return 2
}

// appendPlain appends the text of the units with one space for each white space. If at is
// not nil, it gets the unit of each byte.
func appendPlain(text []byte, at *[]int32, units []unit) []byte {
	for i, u := range units {
		before := len(text)
		switch {
		case u.c != space:
			text = utf8.AppendRune(text, u.r)
		case i > 0 && units[i-1].c != space:
			text = append(text, ' ')
		}
		for range len(text) - before {
			if at != nil {
				*at = append(*at, int32(i))
			}
		}
	}
	return text
}
