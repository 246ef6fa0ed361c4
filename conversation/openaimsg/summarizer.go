package openaimsg

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// Summarizer returns a function for [conversation.Options] that has the model
// write the summary. It uses chat completions, which compatible servers have too,
// and is safe for concurrent use.
//
// Request.MaxTokens goes as max_completion_tokens. A server that refuses the name
// is asked again with max_tokens, and from then on so at once; one that passes it
// over writes as much as it likes. A reasoning model's reasoning counts towards
// it: use a model without, a low reasoning effort (option.WithJSONSet of the
// client), or more SummaryTokens.
//
// Errors are those of the client, and an answer that is no whole summary: cut at
// the limit, refused, filtered, or without text.
func Summarizer(client openai.Client, model string) func(context.Context, conversation.Request) (string, error) {
	s := &summarizer{client: client, model: model}
	return s.summarize
}

type summarizer struct {
	client    openai.Client
	model     string
	maxTokens atomic.Bool // the server knows the older name alone
}

func (s *summarizer) summarize(ctx context.Context, r conversation.Request) (string, error) {
	text, err := s.ask(ctx, r)
	if err != nil {
		return "", fmt.Errorf("summarise with %s: %w", s.model, err)
	}
	return text, nil
}

func (s *summarizer) ask(ctx context.Context, r conversation.Request) (string, error) {
	params := openai.ChatCompletionNewParams{
		Model: shared.ChatModel(s.model),
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage(summaryPrompt),
			openai.UserMessage(summaryInput(r, rand.Text())),
		},
	}
	older := s.maxTokens.Load()
	setLimit(&params, r.MaxTokens, older)
	var answer *http.Response
	reply, err := s.client.Chat.Completions.New(ctx, params, option.WithResponseInto(&answer))
	if err != nil && !older && refusesLimit(answer) {
		setLimit(&params, r.MaxTokens, true)
		if reply, err = s.client.Chat.Completions.New(ctx, params); err == nil {
			s.maxTokens.Store(true)
		}
	}
	if err != nil {
		return "", err
	}
	return summaryOf(reply, r.MaxTokens)
}

// setLimit sets the greatest length of the answer; 0 is the server's own.
func setLimit(params *openai.ChatCompletionNewParams, limit int, older bool) {
	params.MaxCompletionTokens = param.Opt[int64]{}
	switch {
	case limit <= 0:
	case older:
		params.MaxTokens = openai.Int(int64(limit))
	default:
		params.MaxCompletionTokens = openai.Int(int64(limit))
	}
}

// refusesLimit reports whether the server does not know max_completion_tokens.
// Each server says so in its own words, but in all of them is the name. The
// client has read the body and put it back.
func refusesLimit(answer *http.Response) bool {
	if answer == nil || answer.StatusCode != http.StatusBadRequest && answer.StatusCode != http.StatusUnprocessableEntity {
		return false
	}
	body, err := io.ReadAll(answer.Body)
	return err == nil && bytes.Contains(body, []byte("max_completion_tokens"))
}

// summaryOf returns the text of a whole answer.
func summaryOf(reply *openai.ChatCompletion, limit int) (string, error) {
	if len(reply.Choices) == 0 {
		return "", errors.New("the answer has no choices")
	}
	choice := reply.Choices[0]
	switch {
	case choice.FinishReason == "length":
		return "", fmt.Errorf("the answer was cut at %d tokens: raise SummaryTokens, or lower the model's reasoning effort", limit)
	case choice.FinishReason == "content_filter":
		return "", errors.New("the provider's content filter withheld the answer")
	case choice.Message.Refusal != "":
		return "", fmt.Errorf("the model refused: %.200s", choice.Message.Refusal)
	case strings.TrimSpace(choice.Message.Content) == "":
		return "", fmt.Errorf("the answer has no text, its finish_reason is %q", choice.FinishReason)
	}
	return choice.Message.Content, nil
}
