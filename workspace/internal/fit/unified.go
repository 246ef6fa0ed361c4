package fit

import (
	"bytes"
	"errors"

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
	if removed, added := d.Size(); removed+added > most { // a line costs a token at least
		return nil
	}
	out := &bounded{most: 16*most + 1024}
	err := unified.Write(out, d, old, text, unified.Options{Old: oldName, New: newName})
	diff := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if err != nil || len(diff) == 0 || tokens.EstimateBytes(diff)+slack(diff) > most {
		return nil
	}
	return diff
}

// bounded is a buffer that refuses more than some bytes.
type bounded struct {
	bytes.Buffer
	most int
}

var errFull = errors.New("there is no room")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		return 0, errFull
	}
	return b.Buffer.Write(p)
}
