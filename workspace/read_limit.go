package workspace

import (
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
)

// LineRange is a range of lines, both ends included, numbered from 1.
type LineRange struct{ From, To int }

// truncate cuts Content, which begins at a line, to o.MaxTokens.
func (r *ReadResult) truncate(first int, o ReadOptions) {
	if o.MaxTokens == 0 || fit.Within(r.Content, o.MaxTokens) {
		return
	}
	var lost int
	r.Content, lost = fit.Cut(r.Content, o.MaxTokens)
	r.Truncated, r.FromLine, r.ToLine, r.CutBytes = true, first, first, int64(lost)
	if lost == 0 {
		r.ToLine = first + linediff.Lines(r.Content) - 1
	}
}

// giveRanges gives the ranges of lines that were added and removed in place of a diff.
func (r *ReadResult) giveRanges(d *linediff.Diff, maxTokens int) {
	added, removed, joined := fit.Ranges(d, maxTokens)
	r.Diff, r.DiffJSON, r.Truncated = nil, nil, true
	r.Changed, r.Removed, r.Joined = lineRanges(added), lineRanges(removed), joined
}

func lineRanges(ranges []fit.Range) []LineRange {
	list := make([]LineRange, len(ranges))
	for i, r := range ranges {
		list[i] = LineRange(r)
	}
	return list
}
