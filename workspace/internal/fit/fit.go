// Package fit decides how much a reader gets: the part of a text that is within a number
// of tokens, a diff or the whole text, and the items that fill a page.
package fit

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// Cut returns the longest beginning of a text that is within a number of tokens. It
// ends with a line, unless the first line alone is too long. In that case it ends
// within the first line, and lost is how many bytes of that line are left out.
func (c Counter) Cut(text []byte, maxTokens int) (begin []byte, lost int) {
	if c.Within(text, maxTokens) {
		return text, 0
	}
	part := c.window(text, maxTokens)
	if size := c.longest(part, maxTokens, lineEnds(part)); size > 0 {
		return text[:size], 0
	}
	line := len(text)
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		line = end + 1
	}
	part = part[:min(line, len(part))]
	size := c.longest(part, maxTokens, runeStarts(part))
	return text[:size], line - size
}

// Lines returns the lines of a text from one to another, both numbered from 1. The text
// has the line from.
func Lines(text []byte, from, to int) []byte {
	for range from - 1 {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	end := 0
	for range to - from + 1 {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}

// longest returns the last of the ascending places before which the text is within a
// number of tokens, 0 if there is none.
func (c Counter) longest(text []byte, maxTokens int, places []int) int {
	begin, before := 0, 0 // of the piece that is not within
	if c != nil {
		begin, _ = c.begin(text, maxTokens)
		_, before = c.begin(text[:begin], maxTokens)
	}
	n := sort.Search(len(places), func(i int) bool {
		return places[i] > begin && !c.Within(text[begin:places[i]], maxTokens-before)
	})
	if n == 0 {
		return 0
	}
	return places[n-1]
}

// window returns a beginning of the text that is not within a number of tokens, or the
// whole text: what is behind it need not be looked at.
func (c Counter) window(text []byte, maxTokens int) []byte {
	size := 8 * maxTokens
	for size < len(text) && c.Within(text[:size], maxTokens) {
		size *= 2
	}
	return text[:min(size, len(text))]
}

// lineEnds returns where the lines of a text end.
func lineEnds(text []byte) (ends []int) {
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return ends
}

// runeStarts returns where the characters of a text begin.
func runeStarts(text []byte) (starts []int) {
	for i, c := range text {
		if utf8.RuneStart(c) {
			starts = append(starts, i)
		}
	}
	return starts
}
