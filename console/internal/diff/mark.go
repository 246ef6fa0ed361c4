package diff

import (
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

const (
	maxWords = 1 << 14 // words of the different parts of two lines that are compared
	minShare = 30      // of 100: lines that share less have no marks inside
)

// A change is a part of two lines that differs, in words. One of the sides may be empty.
type change struct {
	old, oldEnd, new, newEnd int
}

// marks returns what differs between two lines. It returns false if they have too
// little in common.
func marks(old, new string) (oldMarks, newMarks [][2]int, alike bool) {
	a, b := split(old), split(new)
	changes := tidy(changesOf(a, b), a, b)
	inOld, inNew, all := 0, 0, ink(a)+ink(b)
	for _, c := range changes {
		inOld += ink(a[c.old:c.oldEnd])
		inNew += ink(b[c.new:c.newEnd])
	}
	if (all-inOld-inNew)*100 < minShare*all {
		return nil, nil, false
	}
	oldAt, newAt, i, j := 0, 0, 0, 0
	for _, c := range changes {
		oldAt, newAt = oldAt+size(a[i:c.old]), newAt+size(b[j:c.new])
		oldEnd, newEnd := oldAt+size(a[c.old:c.oldEnd]), newAt+size(b[c.new:c.newEnd])
		if oldEnd > oldAt {
			oldMarks = append(oldMarks, [2]int{oldAt, oldEnd})
		}
		if newEnd > newAt {
			newMarks = append(newMarks, [2]int{newAt, newEnd})
		}
		oldAt, newAt, i, j = oldEnd, newEnd, c.oldEnd, c.newEnd
	}
	return oldMarks, newMarks, true
}

// changesOf compares two lines word by word. If very many words lie between what they
// share at both ends, all of those are one change.
func changesOf(a, b []string) []change {
	head, n, k := 0, len(a), len(b)
	for head < n && head < k && a[head] == b[head] {
		head++
	}
	for n > head && k > head && a[n-1] == b[k-1] {
		n, k = n-1, k-1
	}
	switch {
	case n == head && k == head:
		return nil
	case n == head || k == head || n+k-2*head > maxWords:
		return []change{{head, n, head, k}}
	}
	var changes []change
	for _, r := range linediff.Compare(asLines(a[head:n]), asLines(b[head:k])).Runs() {
		c := change{head + r.Old, head + r.Old, head + r.New, head + r.New}
		switch r.Op {
		case linediff.Equal:
			continue
		case linediff.Remove:
			c.oldEnd += r.Lines
		case linediff.Add:
			c.newEnd += r.Lines
			if last := len(changes) - 1; last >= 0 && changes[last].oldEnd == c.old && changes[last].newEnd == c.new {
				changes[last].newEnd = c.newEnd
				continue
			}
		}
		changes = append(changes, c)
	}
	return changes
}

// asLines returns words as a text with one on each line.
func asLines(words []string) []byte { return []byte(strings.Join(words, "\n") + "\n") }

// tidy joins changes where what is equal between them only disturbs the reader: one
// space or a short punctuation, or a short word between long changes.
func tidy(changes []change, a, b []string) []change {
	kept := changes[:0]
	for _, c := range changes {
		for len(kept) > 0 && disturbs(kept[len(kept)-1], c, a, b) {
			before := kept[len(kept)-1]
			kept = kept[:len(kept)-1]
			c.old, c.new = before.old, before.new
		}
		kept = append(kept, c)
	}
	return kept
}

func disturbs(before, after change, a, b []string) bool {
	if before.old == before.oldEnd && after.old == after.oldEnd ||
		before.new == before.newEnd && after.new == after.newEnd {
		return false // one side would get a mark where nothing changed
	}
	between := a[before.oldEnd:after.old]
	letters := 0
	for _, w := range between {
		if isWord(w) {
			letters += utf8.RuneCountInString(w)
		}
	}
	if letters == 0 {
		return size(between) <= 2
	}
	longest := func(c change) int { return max(ink(a[c.old:c.oldEnd]), ink(b[c.new:c.newEnd])) }
	return 3*letters <= min(longest(before), longest(after))
}

// size returns the bytes of words.
func size(words []string) (n int) {
	for _, w := range words {
		n += len(w)
	}
	return n
}

// ink returns how many characters of words are not spaces.
func ink(words []string) (n int) {
	for _, w := range words {
		if strings.TrimSpace(w) != "" {
			n += utf8.RuneCountInString(w)
		}
	}
	return n
}
