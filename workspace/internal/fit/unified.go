package fit

import (
	"bytes"

	"github.com/agent-scratchpad/scratchpad/internal/unified"
	"github.com/agent-scratchpad/scratchpad/linediff"
)

// ReadOverhead is how many tokens the record of a file costs that is read whole, besides
// its path, or a little less.
const ReadOverhead = 14

// Unified returns the difference of two texts as diff -u writes it without context, and
// without its last line feed. It returns nil if that may cost a model more than maxTokens,
// or more than to read the new text of the path whole, and if the texts are equal.
func (c Counter) Unified(old, text []byte, oldName, newName string, maxTokens int) []byte {
	d := linediff.Compare(old, text)
	// A line costs a token at least.
	if n := changedCount(d); n > maxTokens || n > ReadOverhead && c.Within(text, n-ReadOverhead-1) {
		return nil
	}
	diff := unified.Text(d, old, text, unified.Options{Old: oldName, New: newName})
	if len(diff) == 0 || !c.Within(diff, maxTokens) || c.Dearer(diff, -ReadOverhead, text) {
		return nil
	}
	return diff
}

// Whole returns a line with +++ and the name of a text, and then the text without its last line
// feed. Each line has a space before it, which costs a model little, unless it is empty. Whole
// returns nil if that may cost a model more than maxTokens.
func (c Counter) Whole(text []byte, name string, maxTokens int) []byte {
	out := []byte("+++ " + name)
	for line := range bytes.Lines(text) {
		out = append(out, '\n')
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 {
			out = append(append(out, ' '), line...)
		}
	}
	if !c.Within(out, maxTokens) {
		return nil
	}
	return out
}
