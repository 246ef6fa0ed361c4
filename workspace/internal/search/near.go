package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
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
func near(ctx context.Context, q *Query, p *pager) (words []string, err error) {
	found := map[string]nearWord{}
	var units []unit
	err = p.each(ctx, nearBytes, func(t *Text, _ int) error {
		split := newSplitter(t)
		for p, ok := split.next(); ok; p, ok = split.next() {
			units = appendUnits(units[:0], t.Content[p.start:p.end], 0)
			tokens, _, _ := tokensOf(units)
			for _, word := range tokens {
				if len(word) < nearLeast || len(word) > nearMost || !word[0].c.inWord() {
					continue
				}
				i := slices.IndexFunc(q.asked, func(asked []rune) bool { return like(asked, word) > 0 })
				if i < 0 {
					continue
				}
				text := string(runesOf(word))
				if n, known := found[text]; known || len(found) < nearKept {
					found[text] = nearWord{text, like(q.asked[i], word), n.count + 1}
				}
			}
		}
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

// like returns 1 if two words differ by one character that is added, left out or another, or by
// two that change places; 2 if they differ by more and their first letters are the same; else 0.
func like(a []rune, b []unit) int {
	longer, least := max(len(a), len(b)), min(len(a), len(b))
	first, last := 0, 0
	for first < least && a[first] == b[first].r {
		first++
	}
	for last < least-first && a[len(a)-1-last] == b[len(b)-1-last].r {
		last++
	}
	switch rest := longer - first - last; {
	case rest == 0:
		return 0
	case rest == 1, rest == 2 && len(a) == len(b) && a[first] == b[first+1].r && a[first+1] == b[first].r:
		return 1
	case first >= prefixLen:
		return 2
	}
	return 0
}
