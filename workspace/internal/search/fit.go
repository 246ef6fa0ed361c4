package search

import "github.com/agent-scratchpad/scratchpad/workspace/internal/fit"

// Fit returns the hits that cost a model at most maxTokens together; 0: no bound. If the
// first one alone costs more, its text is cut.
func Fit(hits []Hit, maxTokens int, c fit.Counter) []Hit {
	const record, around = 24, 8 // tokens of the totals, and of the number and the tabs of a line
	used, bytes := record, record+around*len(hits)
	for _, h := range hits {
		bytes += len(h.Path) + len(h.Text)
	}
	if maxTokens <= 0 || bytes <= maxTokens { // no token is shorter than a byte
		return hits
	}
	for i, h := range hits {
		before := used + around + c.Tokens([]byte(h.Path))
		used = before + c.Tokens([]byte(h.Text))
		if used > maxTokens {
			if i > 0 {
				return hits[:i]
			}
			begin, _ := c.Cut([]byte(h.Text), max(1, maxTokens-before))
			hits[0].Cut(len(begin))
		}
	}
	return hits
}
