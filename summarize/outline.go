package summarize

import (
	"context"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// outlineTokens is the default of OutlineOptions.MaxTokens.
const outlineTokens = 600

// OutlineOptions are the options of [Outline]. The zero value works.
type OutlineOptions struct {
	MaxTokens int // most tokens of an outline, by tokens.Estimate; 0 means 600, less than 40 means 40
}

// Outline returns a summarizer that works offline. Its text is that of
// [outline.Text]. It is safe for concurrent use.
func Outline(o OutlineOptions) workspace.Summarizer {
	prompt := outline.Rules
	if o.MaxTokens <= 0 {
		o.MaxTokens = outlineTokens
	}
	if o.MaxTokens != outlineTokens {
		prompt = fmt.Sprintf("%s, %d tokens", outline.Rules, max(o.MaxTokens, 40))
	}
	return workspace.Summarizer{
		Method: "outline",
		Prompt: prompt,
		Summarize: func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			if err := ctx.Err(); err != nil {
				return workspace.SummaryText{}, err
			}
			text := outline.Text(r.Path, r.Content, o.MaxTokens)
			if r.Progress != nil {
				r.Progress(1, 1)
			}
			return workspace.SummaryText{Text: text}, nil
		},
	}
}
