// Package wordspan finds the places of a word in a text.
package wordspan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/console/internal/visible"
)

// Find returns where a word stands in a text, in upper or lower case as
// workspace.LogQuery has it.
func Find(text, word string) (spans []visible.Span) {
	if word == "" {
		return nil
	}
	word = strings.ToLower(word)
	var lower strings.Builder
	lower.Grow(len(text))
	var starts []int32 // where in text each byte of lower comes from; nil: from the same place
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		low := unicode.ToLower(c)
		if starts == nil && utf8.RuneLen(low) != size {
			starts = make([]int32, 0, len(text)) // not nil, also at the beginning of the text
			for at := range i {
				starts = append(starts, int32(at))
			}
		}
		lower.WriteRune(low)
		if starts != nil {
			for range utf8.RuneLen(low) {
				starts = append(starts, int32(i))
			}
		}
		i += size
	}
	place := func(at int) int {
		switch {
		case starts == nil:
			return at
		case at == len(starts):
			return len(text)
		}
		return int(starts[at])
	}
	for at, all := 0, lower.String(); ; {
		i := strings.Index(all[at:], word)
		if i < 0 {
			return spans
		}
		end := at + i + len(word)
		spans = append(spans, visible.Span{Start: place(at + i), End: max(place(end), place(at+i)+1)})
		at = end
	}
}
