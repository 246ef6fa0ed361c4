package nearest

import (
	"bytes"
	"sort"
	"strings"
)

// Line returns the line of a text that is most like the first line of wanted that is
// not blank, without the space around it, and its number from 1. The number is 0 if no
// line shares at least half of wanted.
func Line(text []byte, wanted string) (number int, line string) {
	want := firstText(wanted)
	if want == "" {
		return 0, ""
	}
	best, at := 0, 0
	for l := range bytes.Lines(text) {
		at++
		have := strings.TrimSpace(string(l))
		if score := alike(have, want); score > best {
			best, number, line = score, at, have
		}
	}
	if best*2 < len(want) {
		return 0, ""
	}
	return number, line
}

// firstText returns the first line that is not blank, without the space around it.
func firstText(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// alike counts the bytes of want that a line shares: the longest beginning and the
// longest end of want that occur in it.
func alike(line, want string) int {
	front := sort.Search(len(want), func(n int) bool { return !strings.Contains(line, want[:n+1]) })
	back := sort.Search(len(want), func(n int) bool { return !strings.Contains(line, want[len(want)-1-n:]) })
	return min(front+back, len(want))
}
