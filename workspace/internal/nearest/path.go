package nearest

import (
	"math"
	"path"
	"strings"
)

// maxPath is how many characters a path may have for misspellings to be counted.
const maxPath = 255

// Path returns the path that is most like the wanted one, the first of several that
// are equally near; "" if none is near.
func Path(wanted string, paths []string) string {
	best, least := "", math.MaxInt
	want := []rune(wanted)
	for _, name := range paths {
		if n, ok := distance(wanted, want, name); ok && n < least {
			best, least = name, n
		}
	}
	return best
}

// distance says how far two paths are apart, and whether that is near. as has the
// characters of a. The nearest
// paths differ only in case. Next come paths of which one ends with the other or lacks
// only an extension, then equal names in other folders, then misspellings.
func distance(a string, as []rune, b string) (n int, near bool) {
	long, short := a, b
	if len(a) < len(b) {
		long, short = b, a
	}
	switch {
	case a == b:
		return 0, false
	case strings.EqualFold(a, b):
		return 1, true
	case strings.HasSuffix(long, "/"+short), strings.HasPrefix(long, short+".") && path.Dir(long) == path.Dir(short):
		return 2, true
	case strings.EqualFold(path.Base(a), path.Base(b)):
		return 3, true
	}
	return misspelt(as, []rune(b))
}

// misspelt says how many edits lead from one path to the other, and whether they are few.
func misspelt(long, short []rune) (n int, near bool) {
	if len(long) < len(short) {
		long, short = short, long
	}
	most := min((1+len(short))/4, 5)
	n = edits(long, short, most)
	return 3 + n, n <= most
}

// edits counts the characters to insert, remove or replace to turn one text into the
// other; the longer text comes first. The result is above most if there are more than
// most.
func edits(long, short []rune, most int) int {
	if len(long)-len(short) > most || len(short) > maxPath {
		return most + 1
	}
	var rows [2][maxPath + 1]int
	last, row := &rows[0], &rows[1]
	for j := range len(short) + 1 {
		last[j] = j
	}
	for i := range len(long) {
		from, to := max(0, i-most), min(len(short), i+1+most) // farther columns cost more than most
		row[from] = most + 1
		if from == 0 {
			row[0] = i + 1
		}
		for j := from; j < to; j++ {
			cost := last[j]
			if long[i] != short[j] {
				cost++
			}
			above := most + 1
			if j+1 <= i+most { // the last row ended before it
				above = last[j+1] + 1
			}
			row[j+1] = min(cost, row[j]+1, above)
		}
		last, row = row, last
	}
	return min(last[len(short)], most+1)
}
