package clientconfig

import (
	"bytes"
	"fmt"
	"strings"
)

// A span is a part of a text: from an offset to another one.
type span struct{ from, to int }

// inPlace says where a user is to put a text into a file by hand, and returns the text. old
// is the file, want is what the file would be, and at is where old has the entry of a name.
// The text is for whole lines if they have nothing but the entry, and else for the entry.
func inPlace(old, want []byte, at span, name string) (where, text string) {
	have, lines := bytes.SplitAfter(old, []byte("\n")), bytes.SplitAfter(want, []byte("\n"))
	first, end := 0, 0 // how many lines are the same, at the beginning and at the end
	least := min(len(have), len(lines))
	for first < least && bytes.Equal(have[first], lines[first]) {
		first++
	}
	for end < least-first && bytes.Equal(have[len(have)-1-end], lines[len(lines)-1-end]) {
		end++
	}
	if first+end == len(have) && first > 0 {
		first-- // lines that are only added go after this one
	}
	from := len(bytes.Join(have[:first], nil))
	to := len(old) - len(bytes.Join(have[len(have)-end:], nil))
	before, after := old[min(from, at.from):at.from], old[min(at.to, to):to]
	if from >= at.from {
		before = nil
	}
	if isBlank(before) && isBlank(after) {
		text = string(bytes.Join(lines[first:len(lines)-end], nil))
		return "in place of " + linesOf(old, span{from, to}), strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\r",
			"") + "\n"
	}
	return fmt.Sprintf("in place of %s in %s", name, linesOf(old, at)), string(want[at.from:at.to+len(want)-len(old)]) +
		"\n"
}

// isBlank reports whether the text before or after an entry on its line is no other entry.
func isBlank(text []byte) bool {
	text = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(text), []byte(",")))
	return len(text) == 0 || text[0] == '#' || bytes.HasPrefix(text, []byte("//"))
}

// linesOf says which lines a part of a text is on.
func linesOf(text []byte, at span) string {
	first := 1 + bytes.Count(text[:at.from], []byte("\n"))
	last := 1 + bytes.Count(text[:max(at.from, at.to-1)], []byte("\n"))
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}
