package workspace

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// nearestLine returns the line of a text that is most like the first line of wanted that is
// not blank, without the space around it, and its number from 1. The number is 0 if no
// line shares at least half of wanted.
func nearestLine(text []byte, wanted string) (number int, line string) {
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

// lineNumbers lists the lines on which a text that occurs several times begins, the
// first ones only: "1, 4, 9 and more".
func lineNumbers(text []byte, old string, most int) string {
	var b strings.Builder
	line := 1
	for i := range most {
		at := bytes.Index(text, []byte(old))
		if at < 0 {
			return b.String()
		}
		line += bytes.Count(text[:at], []byte("\n"))
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, line)
		line += strings.Count(old, "\n")
		text = text[at+len(old):]
	}
	if bytes.Contains(text, []byte(old)) {
		b.WriteString(" and more")
	}
	return b.String()
}
