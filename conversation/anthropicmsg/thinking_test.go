package anthropicmsg_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

func TestDropStaleThinking(t *testing.T) {
	srv := providertest.AnthropicFunc(func([]byte) providertest.Reply {
		return providertest.Reply{Thinking: "hm", Text: "so it is"}
	})
	defer srv.Close()
	var betas []string
	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"), option.WithMiddleware(
		func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			betas = r.Header.Values("anthropic-beta")
			return next(r)
		}))
	say := func(msgs []conversation.Message, opts ...option.RequestOption) (conversation.Message, error) {
		system, messages, err := anthropicmsg.To(msgs)
		testkit.Must(t, err)
		response, err := client.Messages.New(t.Context(), anthropic.MessageNewParams{
			Model: anthropic.ModelClaudeOpus5_5, MaxTokens: 4096, System: system, Messages: messages,
		}, opts...)
		if err != nil {
			return conversation.Message{}, err
		}
		return anthropicmsg.FromResponse(response)
	}
	var msgs []conversation.Message
	for _, question := range []string{"a?", "b?"} {
		msgs = append(msgs, conversation.UserText(question))
		answer, err := say(msgs)
		testkit.Must(t, err)
		msgs = append(msgs, answer)
	}
	kept := append([]conversation.Message{conversation.SystemText("Summary of prior conversation: a")}, msgs[2:]...)
	kept = append(kept, conversation.UserText("c?"))
	if _, err := say(kept); err == nil || !strings.Contains(err.Error(), "bound to a different conversation") {
		t.Errorf("without the options: %v, want a refusal", err)
	}
	answer, err := say(kept, anthropicmsg.DropStaleThinking()...)
	testkit.Must(t, err)
	if len(betas) != 1 || betas[0] != "thinking-binding-controls-2026-08-01" {
		t.Errorf("the beta headers are %q", betas)
	}
	if _, err := say(append(kept, answer, conversation.UserText("d?")), anthropicmsg.DropStaleThinking()...); err != nil {
		t.Error(err)
	}
}
