package diff

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

const (
	maxHunk  = 1 << 19 // words of removed and added lines of a run that are paired
	minAlike = 50      // of 100: lines that share less are no pair
)

// A pair is a removed line and an added line that are two forms of one, by their indexes.
type pair struct {
	old, new int
	share    int // bytes of words that both have
}

// pairs pairs the lines of a run that was removed with those of a run that was added,
// in order. It compares all words of the two runs: two lines are a pair if they share
// most of their words. One line that follows one is always paired.
func pairs(old, new []string) []pair {
	if len(old) == 1 && len(new) == 1 {
		return []pair{{}}
	}
	a, b := wordsOf(old), wordsOf(new)
	if len(a.words)+len(b.words) > maxHunk {
		return nil
	}
	var all []pair
	for _, r := range linediff.Compare(asLines(a.words), asLines(b.words)).Runs() {
		for i := 0; r.Op == linediff.Equal && i < r.Lines; i++ {
			p := pair{old: a.lines[r.Old+i], new: b.lines[r.New+i]}
			if n := len(all); n > 0 && all[n-1].old == p.old && all[n-1].new == p.new {
				p.share, all = all[n-1].share, all[:n-1]
			}
			p.share += len(a.words[r.Old+i])
			all = append(all, p)
		}
	}
	kept := all[:0]
	for _, p := range all {
		if 200*p.share < minAlike*(a.sizes[p.old]+b.sizes[p.new]) {
			continue
		}
		if last := len(kept) - 1; last >= 0 && (kept[last].old >= p.old || kept[last].new >= p.new) {
			if kept[last].share >= p.share {
				continue
			}
			kept = kept[:last]
		}
		kept = append(kept, p)
	}
	return kept
}

// A lineWords has the words of some lines, without spaces.
type lineWords struct {
	words []string
	lines []int // of each word, from 0
	sizes []int // of the words of each line, in bytes
}

func wordsOf(lines []string) lineWords {
	w := lineWords{sizes: make([]int, len(lines))}
	for i, line := range lines {
		for _, word := range split(line) {
			if strings.TrimSpace(word) != "" {
				w.words, w.lines = append(w.words, word), append(w.lines, i)
				w.sizes[i] += len(word)
			}
		}
	}
	return w
}
