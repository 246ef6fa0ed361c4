package fit

import "github.com/agent-scratchpad/scratchpad/linediff"

// Diff returns a diff as chunks and as JSON. It returns nil if a model would pay more for the
// diff than for the text itself, or more than maxTokens; 0: no bound. A context of -1 asks for
// all lines, and for the diff at any cost.
func (c Counter) Diff(d *linediff.Diff, text []byte, context, maxTokens int) (chunks []linediff.Chunk, asJSON []byte) {
	if context >= 0 && c.Within(text, changedCount(d)) { // a line in a chunk costs a token at least
		return nil, nil
	}
	chunks = nonNil(d.Chunks(context))
	asJSON = linediff.AppendJSON(nil, chunks)
	if context >= 0 && (maxTokens > 0 && !c.Within(asJSON, maxTokens) || c.Dearer(asJSON, diffOverhead, text)) {
		return nil, nil
	}
	return chunks, asJSON
}

// changedCount returns how many lines are removed or added.
func changedCount(d *linediff.Diff) (lines int) {
	for _, run := range d.Runs() {
		if run.Op != linediff.Equal {
			lines += run.Lines
		}
	}
	return lines
}

// diffOverhead is how many tokens the record of a diff costs more than that of a whole
// file.
const diffOverhead = 24

// slack is by how many tokens the estimate of a text may be wrong beyond the margin.
// It counts backslashes, which split a token in two; letters with marks, which are
// cheap in one language and dear in another; and characters beyond the basic plane.
// Its figures were found by trying texts of each kind.
func slack(text []byte) int {
	var backslashes, marked, rare int
	for i, c := range text {
		switch {
		case c == '\\':
			backslashes++
		case 0xC3 <= c && c <= 0xC9, // U+00C0 to U+024F
			c == 0xE1 && i+1 < len(text) && 0xB8 <= text[i+1] && text[i+1] <= 0xBB: // U+1E00 to U+1EFF
			marked++
		case c >= 0xF0:
			rare++
		}
	}
	return backslashes + marked*3/5 + rare*2
}

func nonNil(chunks []linediff.Chunk) []linediff.Chunk {
	if chunks == nil {
		return []linediff.Chunk{}
	}
	return chunks
}
