package search

import (
	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
)

// Fit returns the hits that cost a model at most maxTokens together; 0: no bound. If the
// first one alone costs more, its text is cut.
func Fit(hits []Hit, maxTokens int) []Hit {
	const record, around = 24, 8 // tokens of the totals, and of the number and the tabs of a line
	used := record
	for i, h := range hits {
		before := used + around + tokens.Estimate(h.Path)
		used = before + tokens.Estimate(h.Text)
		if maxTokens > 0 && used > maxTokens {
			if i > 0 {
				return hits[:i]
			}
			begin, _ := fit.Cut([]byte(h.Text), max(1, maxTokens-before))
			hits[0].Cut(len(begin))
		}
	}
	return hits
}
