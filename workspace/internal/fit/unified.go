package fit

import (
	"bytes"

	"github.com/agent-scratchpad/scratchpad/internal/unified"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

// readOverhead is how many tokens the record of a file costs that is read whole, besides
// its path, or a little less.
const readOverhead = 14

// Unified returns the difference of two texts as diff -u writes it without context, and
// without its last line feed. It returns nil if that may cost a model more than maxTokens,
// or more than to read the new text of the path whole, and if the texts are equal.
func Unified(old, text []byte, oldName, newName string, maxTokens int) []byte {
	whole := readOverhead + (tokens.EstimateBytes(text)-slack(text))*10/13
	most := min(maxTokens, whole)
	d := linediff.Compare(old, text)
	if changedCount(d) > most { // a line costs a token at least
		return nil
	}
	var out bytes.Buffer
	if err := unified.Write(&out, d, old, text, unified.Options{Old: oldName, New: newName}); err != nil {
		panic(err) // a Buffer returns no error
	}
	diff := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if len(diff) == 0 || !Within(diff, most-slack(diff)) {
		return nil
	}
	return diff
}
