package openaimsg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/prompt"
)

// reasoningRoom is the tokens that a model may use for reasoning, besides those of the
// summary.
const reasoningRoom = 8192

// Summarizer returns a function for conversation.Options.Summarize. It asks the model
// for the summary by chat completions, which compatible servers have too. opts are in
// every request, for example option.WithJSONSet("reasoning_effort", "low").
//
// Request.MaxTokens is sent as max_completion_tokens. If the server refuses that name,
// it is asked again with max_tokens. If it ignores the name, the length is not limited.
// If the model's reasoning used up the tokens, it is asked again with more. Both are
// remembered. A summary that was cut off or filtered, a refusal and an empty text are
// errors. The function may be called from any goroutine.
func Summarizer(
	client openai.Client, model openai.ChatModel, opts ...option.RequestOption,
) func(context.Context, conversation.Request) (string, error) {
	s := &summarizer{client: client, model: model, opts: slices.Clone(opts)}
	return func(ctx context.Context, r conversation.Request) (string, error) {
		text, err := s.ask(ctx, r)
		if err != nil {
			return "", fmt.Errorf("summarise %d messages with %s: %w", len(r.Messages), model, err)
		}
		return text, nil
	}
}

type summarizer struct {
	client  openai.Client
	model   openai.ChatModel
	opts    []option.RequestOption
	older   atomic.Bool // the server knows only max_tokens
	reasons atomic.Bool // the model reasons, and needs tokens for it
}

// ask asks until the server accepts the request and the model has enough tokens. It
// asks three times at most, because it changes something after each try.
func (s *summarizer) ask(ctx context.Context, r conversation.Request) (string, error) {
	older, reasons := s.older.Load(), s.reasons.Load()
	input := prompt.Input(r)
	for {
		limit := r.MaxTokens
		if reasons && limit > 0 {
			limit += reasoningRoom
		}
		var answer *http.Response
		opts := append(slices.Clone(s.opts), option.WithResponseInto(&answer))
		reply, err := s.client.Chat.Completions.New(ctx, summaryParams(s.model, input, limit, older), opts...)
		switch {
		case err != nil && limit > 0 && !older && refusesLimit(answer):
			older = true
			continue
		case err != nil:
			return "", err
		}
		if older {
			s.older.Store(true)
		}
		if limit > 0 && !reasons && usedUp(reply) {
			reasons = true
			s.reasons.Store(true)
			continue
		}
		return summaryText(reply, limit)
	}
}

// summaryParams returns the request. A limit of 0 leaves the limit to the server.
func summaryParams(model openai.ChatModel, input string, limit int, older bool) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{
		Model: model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(prompt.Summary),
			openai.UserMessage(input)},
	}
	switch {
	case limit <= 0:
	case older:
		params.MaxTokens = openai.Int(int64(limit))
	default:
		params.MaxCompletionTokens = openai.Int(int64(limit))
	}
	return params
}

// refusesLimit reports whether the server refused max_completion_tokens. Servers use
// different words, but all of them name it. The client has read the body and put it
// back.
func refusesLimit(answer *http.Response) bool {
	if answer == nil || answer.StatusCode != http.StatusBadRequest &&
		answer.StatusCode != http.StatusUnprocessableEntity {
		return false
	}
	body, err := io.ReadAll(answer.Body)
	return err == nil && bytes.Contains(body, []byte("max_completion_tokens"))
}

// usedUp reports whether reasoning left too few tokens for the text. Some servers
// count the reasoning, others show it.
func usedUp(reply *openai.ChatCompletion) bool {
	if len(reply.Choices) == 0 || reply.Choices[0].FinishReason != "length" {
		return false
	}
	if reply.Usage.CompletionTokensDetails.ReasoningTokens > 0 {
		return true
	}
	message, err := parse([]byte(reply.Choices[0].Message.RawJSON()))
	return err == nil && (message.text("reasoning_content") != "" || message.text("reasoning") != "")
}

// summaryText returns the text of a complete answer.
func summaryText(reply *openai.ChatCompletion, limit int) (string, error) {
	if len(reply.Choices) == 0 {
		return "", errors.New("the answer has no choices")
	}
	choice := reply.Choices[0]
	text := strings.TrimSpace(choice.Message.Content)
	switch {
	case choice.FinishReason == "length":
		return "", fmt.Errorf("the text was cut off at %d tokens: raise Options.SummaryTokens", limit)
	case choice.FinishReason == "content_filter":
		return "", errors.New("the provider's content filter withheld the text")
	case choice.Message.Refusal != "":
		return "", fmt.Errorf("the model refused (%.200s)", choice.Message.Refusal)
	case choice.FinishReason != "stop" && choice.FinishReason != "":
		return "", fmt.Errorf("the model stopped with %q", choice.FinishReason)
	case text == "":
		return "", errors.New("the model wrote nothing")
	}
	return text, nil
}
