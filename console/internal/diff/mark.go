package diff

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	maxWords = 1 << 12 // words of the different parts of two lines that are compared
	minShare = 30      // of 100: lines that share less have no marks inside
)

// marks returns what differs between two lines. It returns false if they have too
// little in common.
func marks(old, new string) (oldMarks, newMarks [][2]int, alike bool) {
	a, b := split(old), split(new)
	changed := tidy(changesOf(a, b), a)
	inOld, inNew, all := 0, 0, ink(a)+ink(b)
	for _, c := range changed {
		inOld += ink(a[c.old:c.oldEnd])
		inNew += ink(b[c.new:c.newEnd])
	}
	if (all-inOld-inNew)*100 < minShare*all {
		return nil, nil, false
	}
	oldAt, newAt := offsets(a), offsets(b)
	for _, c := range changed {
		if c.old < c.oldEnd {
			oldMarks = append(oldMarks, [2]int{oldAt[c.old], oldAt[c.oldEnd]})
		}
		if c.new < c.newEnd {
			newMarks = append(newMarks, [2]int{newAt[c.new], newAt[c.newEnd]})
		}
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
	if n+k-2*head > maxWords {
		return []change{{head, n, head, k}}
	}
	all := changes(asLines(a[head:n]), asLines(b[head:k]))
	for i := range all {
		all[i] = change{head + all[i].old, head + all[i].oldEnd, head + all[i].new, head + all[i].newEnd}
	}
	return all
}

// asLines returns words as a text with one on each line.
func asLines(words []string) []byte {
	var b bytes.Buffer
	for _, w := range words {
		b.WriteString(w + "\n")
	}
	return b.Bytes()
}

// tidy joins changes where what is equal between them only disturbs the reader: one
// space or a short punctuation.
func tidy(changes []change, a []string) []change {
	kept := changes[:0]
	for _, c := range changes {
		for len(kept) > 0 && disturbs(kept[len(kept)-1], c, a) {
			before := kept[len(kept)-1]
			kept = kept[:len(kept)-1]
			c.old, c.new = before.old, before.new
		}
		kept = append(kept, c)
	}
	return kept
}

func disturbs(before, after change, a []string) bool {
	if before.old == before.oldEnd && after.old == after.oldEnd ||
		before.new == before.newEnd && after.new == after.newEnd {
		return false // one side would get a mark where nothing changed
	}
	return len(strings.Join(a[before.oldEnd:after.old], "")) <= 2
}

// offsets returns where each word begins, and the bytes of all.
func offsets(words []string) []int {
	at := make([]int, 1, len(words)+1)
	for i, w := range words {
		at = append(at, at[i]+len(w))
	}
	return at
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
