package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"unicode/utf8"
)

const (
	maxNear   = 3       // words that are returned
	nearBytes = 2 << 20 // of the texts that are looked through
	nearKept  = 1000    // words that are counted
	maxAsked  = 16      // words of a query that are compared
	nearLeast = 3       // characters of a word that is compared
	nearMost  = 40
)

// A nearWord is a word of the texts that is like one of the query.
type nearWord struct {
	text  string
	edits int // 1, or 2 for more edits after the same first letters
	count int
}

// near returns the words of the texts that are most like those of the query: first those that
// differ by one edit, then those with the same first letters; of these the most frequent first.
func near[P comparable](ctx context.Context, q *Query, p *pager[P]) (words []string, err error) {
	found := map[string]nearWord{}
	var units []unit
	var word []rune
	var ends [256]bool // the letters with which the words of the query begin or end
	for _, asked := range q.asked {
		ends[byte(asked[0])], ends[byte(asked[len(asked)-1])] = true, true
	}
	look := func() {
		for _, asked := range q.asked {
			edits := like(asked, word)
			if edits == 0 || len(found) == nearKept && found[string(word)].count == 0 {
				continue
			}
			n := found[string(word)]
			found[string(word)] = nearWord{string(word), edits, n.count + 1}
			break
		}
	}
	err = p.each(ctx, nearBytes, func(t *Text, _ int) error {
		eachChunk(t.Content, func(chunk []byte, plain bool) {
			word = word[:0]
			if plain {
				if !ends[toLower[chunk[0]]] && !ends[toLower[chunk[len(chunk)-1]]] {
					return // a word that is like another begins or ends as that does
				}
				for _, b := range chunk {
					word = append(word, rune(toLower[b]))
				}
				look()
				return
			}
			units = appendUnits(units[:0], chunk, 0)
			for i := 0; i < len(units); i++ {
				for word = word[:0]; i < len(units) && units[i].c.inWord(); i++ {
					word = append(word, units[i].r)
				}
				look()
			}
		})
		return nil
	})
	best := slices.SortedFunc(maps.Values(found), func(a, b nearWord) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(b.count, a.count), cmp.Compare(a.text, b.text))
	})
	for _, n := range best[:min(maxNear, len(best))] {
		words = append(words, n.text)
	}
	return words, err
}

// eachChunk calls fn with the pieces of a text between white space and punctuation of ASCII.
func eachChunk(text []byte, fn func(chunk []byte, plain bool)) {
	for i := 0; i < len(text); i++ {
		start, all := i, uint8(0)
		for ; i < len(text) && byteClass[text[i]] != byteBetween; i++ {
			all |= byteClass[text[i]]
		}
		if plain := all&byteWide == 0; i-start >= nearLeast && i-start <= nearMost*utf8.UTFMax {
			fn(text[start:i], plain)
		}
	}
}

// like returns 1 if two words differ by one character that is added, left out or another, or by
// two that change places; 2 if they differ by more and their first letters are the same; else 0.
func like(a, b []rune) int {
	if len(b) < nearLeast || len(b) > nearMost {
		return 0
	}
	longer, least := max(len(a), len(b)), min(len(a), len(b))
	first, last := 0, 0
	for first < least && a[first] == b[first] {
		first++
	}
	for last < least-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	switch rest := longer - first - last; {
	case rest == 0:
		return 0
	case rest == 1, rest == 2 && len(a) == len(b) && a[first] == b[first+1] && a[first+1] == b[first]:
		return 1
	case first >= prefixLen:
		return 2
	}
	return 0
}
