package anthropicmsg

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/prompt"
	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// reasoningRoom is the tokens that a model may use for reasoning, besides those of the
// summary, if its reasoning cannot be turned off.
const reasoningRoom = 8192

// Summarizer returns a function for conversation.Options.Summarize. It asks the model
// for the summary, with opts in every request.
//
// The model's reasoning is turned off, because it counts towards max_tokens. If the
// model refuses that, it is asked again, with more tokens and low effort. A summary
// that was cut off, a refusal and an empty text are errors. The function may be called
// from any goroutine.
func Summarizer(
	client anthropic.Client, model anthropic.Model, opts ...option.RequestOption,
) func(context.Context, conversation.Request) (string, error) {
	var insists atomic.Bool // the model does not answer without reasoning
	return func(ctx context.Context, r conversation.Request) (string, error) {
		params := summaryParams(model, r)
		if insists.Load() {
			allowReasoning(&params)
		}
		answer, err := client.Messages.New(ctx, params, opts...)
		if refusesDisabled(err) && params.Thinking.OfDisabled != nil {
			allowReasoning(&params)
			if answer, err = client.Messages.New(ctx, params, opts...); err == nil {
				insists.Store(true)
			}
		}
		if err != nil {
			return "", fmt.Errorf("summarise %d messages with %s: %w", len(r.Messages), model, err)
		}
		text, err := summaryText(answer, params.MaxTokens)
		if err != nil {
			return "", fmt.Errorf("summarise %d messages with %s: %w", len(r.Messages), model, err)
		}
		return text, nil
	}
}

func summaryParams(model anthropic.Model, r conversation.Request) anthropic.MessageNewParams {
	disabled := anthropic.NewThinkingConfigDisabledParam()
	return anthropic.MessageNewParams{
		Model:     model,
		MaxTokens: int64(r.MaxTokens),
		Thinking:  anthropic.ThinkingConfigParamUnion{OfDisabled: &disabled},
		System:    []anthropic.TextBlockParam{{Text: prompt.Summary}},
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt.Input(r)))},
	}
}

func refusesDisabled(err error) bool {
	var refused *anthropic.Error
	return errors.As(err, &refused) && refused.StatusCode == http.StatusBadRequest &&
		strings.Contains(refused.RawJSON(), "thinking")
}

func allowReasoning(p *anthropic.MessageNewParams) {
	p.Thinking = anthropic.ThinkingConfigParamUnion{}
	p.OutputConfig.Effort = anthropic.OutputConfigEffortLow
	p.MaxTokens += reasoningRoom
}

func summaryText(answer *anthropic.Message, maxTokens int64) (string, error) {
	switch answer.StopReason {
	case anthropic.StopReasonEndTurn, anthropic.StopReasonStopSequence:
	case anthropic.StopReasonMaxTokens:
		return "", fmt.Errorf("the text was cut off at %d tokens: raise Options.SummaryTokens", maxTokens)
	case anthropic.StopReasonRefusal:
		return "", fmt.Errorf("the model refused (%s)", answer.StopDetails.Category)
	default:
		return "", fmt.Errorf("the model stopped with %q", answer.StopReason)
	}
	var text strings.Builder
	for _, b := range answer.Content {
		if b.Type == "text" {
			text.WriteString(b.Text)
		}
	}
	if strings.TrimSpace(text.String()) == "" {
		return "", errors.New("the model wrote nothing")
	}
	return strings.TrimSpace(text.String()), nil
}
