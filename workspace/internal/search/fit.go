package search

import (
	"slices"
	"strconv"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
)

// record is the most tokens of the totals before the hits.
const record = 24

// AppendLine appends the hit as a line of an answer, with tabs between its columns and without a
// line feed.
func (h Hit) AppendLine(line []byte) []byte {
	line = append(line, h.Path...)
	if h.Version > 0 {
		line = strconv.AppendInt(append(line, '@'), h.Version, 10)
	}
	if h.Deleted {
		line = append(line, " (deleted)"...)
	}
	if h.Entry > 0 {
		line = strconv.AppendInt(append(line, '#'), h.Entry, 10)
	} else {
		line = strconv.AppendInt(append(line, '\t'), int64(h.Line), 10)
	}
	return append(append(line, '\t'), h.Text...)
}

// Fit returns the hits whose lines cost a model at most maxTokens together with the totals, and what
// these lines cost; maxTokens 0 or below: no bound. under stands before each path. If the first line alone
// costs more, its text is cut.
func Fit(hits []Hit, maxTokens int, under string, c fit.Counter) (fitting []Hit, used int, cut bool) {
	if maxTokens <= 0 {
		return hits, 0, false
	}
	maxTokens = max(1, maxTokens-record)
	for i := range hits {
		line := func() []byte { return append(hits[i].AppendLine([]byte(under)), '\n') }
		n := c.Tokens(line())
		if used+n > maxTokens && i > 0 {
			return hits[:i], used, true
		}
		for size := len(hits[i].Text); used+n > maxTokens && size > 0; n = c.Tokens(line()) {
			over := used + n - maxTokens
			begin, _ := c.Cut([]byte(hits[i].Text), max(1, c.Tokens([]byte(hits[i].Text))-over))
			if len(begin) >= size {
				begin = begin[:0]
			}
			size, cut = len(begin), true
			hits[i].Text = hits[i].Text[:size]
			hits[i].Marks = slices.DeleteFunc(hits[i].Marks, func(m [2]int) bool { return m[1] > size })
		}
		used += n
	}
	return hits, used, cut
}
