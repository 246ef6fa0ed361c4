package diff

import (
	"strings"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

const (
	maxHunk  = 1 << 19 // words of removed and added lines of a run that are paired
	minAlike = 50      // of 100: lines that share less are no pair
)

// A pair is a removed line and an added line that are two forms of one.
type pair struct {
	old, new int32
}

// pairs pairs the lines of a run that was removed with those of a run that was added,
// in order. It compares all words of the two runs: two lines are a pair if they share
// most of their words. One line that follows one is always paired.
func pairs(old, new []string) []pair {
	if len(old) == 1 && len(new) == 1 {
		return []pair{{0, 0}}
	}
	a, b := wordsOf(old), wordsOf(new)
	if len(a.words) == 0 || len(b.words) == 0 || len(a.words)+len(b.words) > maxHunk {
		return nil
	}
	var found []pair
	var shares []int // bytes that each pair shares
	p, share := pair{-1, -1}, 0
	end := func() {
		if p.old < 0 || 200*share < minAlike*(a.sizes[p.old]+b.sizes[p.new]) {
			return
		}
		if last := len(found) - 1; last >= 0 && (found[last].old >= p.old || found[last].new >= p.new) {
			if shares[last] >= share {
				return
			}
			found, shares = found[:last], shares[:last]
		}
		found, shares = append(found, p), append(shares, share)
	}
	for _, r := range linediff.Compare(asLines(a.words), asLines(b.words)).Runs() {
		if r.Op != linediff.Equal {
			continue
		}
		for i := range r.Lines {
			q := pair{a.lines[r.Old+i], b.lines[r.New+i]}
			if q != p {
				end()
				p, share = q, 0
			}
			share += len(a.words[r.Old+i])
		}
	}
	end()
	return found
}

// A lineWords has the words of some lines, without spaces.
type lineWords struct {
	words []string
	lines []int32 // of each word, from 0
	sizes []int   // of the words of each line, in bytes
}

func wordsOf(lines []string) lineWords {
	w := lineWords{sizes: make([]int, len(lines))}
	for i, line := range lines {
		for _, word := range split(line) {
			if strings.TrimSpace(word) != "" {
				w.words, w.lines = append(w.words, word), append(w.lines, int32(i))
				w.sizes[i] += len(word)
			}
		}
	}
	return w
}
