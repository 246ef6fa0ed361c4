// Package fit decides how much a reader gets: the part of a text that is within a number
// of tokens, a diff or the whole text, and the items that fill a page.
package fit

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// Within reports whether a text costs at most a number of tokens.
func Within(text []byte, maxTokens int) bool {
	return len(text) <= maxTokens || tokens.Within(text, maxTokens) // a token has at least one byte
}

// Tokens returns about what a text costs a model.
func Tokens(text []byte) int { return tokens.EstimateBytes(text) }

// Cut returns the longest beginning of a text that is within a number of tokens. It
// ends with a line, unless the first line alone is too long. In that case it ends
// within the first line, and lost is how many bytes of that line are left out.
func Cut(text []byte, maxTokens int) (begin []byte, lost int) {
	if Within(text, maxTokens) {
		return text, 0
	}
	part := window(text, maxTokens)
	if size := longest(part, maxTokens, lineEnds(part)); size > 0 {
		return text[:size], 0
	}
	line := len(text)
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		line = end + 1
	}
	part = part[:min(line, len(part))]
	size := longest(part, maxTokens, runeStarts(part))
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
func longest(text []byte, maxTokens int, places []int) int {
	n := sort.Search(len(places), func(i int) bool { return !Within(text[:places[i]], maxTokens) })
	if n == 0 {
		return 0
	}
	return places[n-1]
}

// window returns a beginning of the text that is not within a number of tokens, or the
// whole text: what is behind it need not be looked at.
func window(text []byte, maxTokens int) []byte {
	size := 8 * maxTokens
	for size < len(text) && Within(text[:size], maxTokens) {
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
