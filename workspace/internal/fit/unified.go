package fit

import (
	"bytes"

	"github.com/agent-scratchpad/scratchpad/internal/unified"
	"github.com/agent-scratchpad/scratchpad/linediff"
)

// readOverhead is how many tokens the record of a file costs that is read whole, besides
// its path, or a little less.
const readOverhead = 14

// Unified returns the difference of two texts as diff -u writes it without context, and
// without its last line feed. It returns nil if that may cost a model more than maxTokens,
// or more than to read the new text of the path whole, and if the texts are equal.
func (c Counter) Unified(old, text []byte, oldName, newName string, maxTokens int) []byte {
	d := linediff.Compare(old, text)
	if changedCount(d) > min(maxTokens, readOverhead+len(text)) { // a line costs a token at least
		return nil
	}
	var out bytes.Buffer
	if err := unified.Write(&out, d, old, text, unified.Options{Old: oldName, New: newName}); err != nil {
		panic(err) // a Buffer returns no error
	}
	diff := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if len(diff) == 0 || !c.Within(diff, maxTokens) || c.Dearer(diff, -readOverhead, text) {
		return nil
	}
	return diff
}
