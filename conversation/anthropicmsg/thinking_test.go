package anthropicmsg_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// The options ask the provider to ignore thinking that is bound to other messages, in the
// words of platform.claude.com/docs/en/build-with-claude/preserved-thinking.
func TestDropStaleThinking(t *testing.T) {
	srv := providertest.Anthropic()
	defer srv.Close()
	var betas []string
	client := anthropic.NewClient(option.WithBaseURL(srv.URL), option.WithAPIKey("none"), option.WithMiddleware(
		func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			betas = r.Header.Values("anthropic-beta")
			return next(r)
		}))
	params := anthropic.MessageNewParams{
		Model: anthropic.ModelClaudeOpus5_5, MaxTokens: 4096,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("a?"))},
	}
	if _, err := client.Messages.New(t.Context(), params, anthropicmsg.DropStaleThinking()...); err != nil {
		t.Fatal(err)
	}
	if len(betas) != 1 || betas[0] != "thinking-binding-controls-2026-08-01" {
		t.Errorf("the beta headers are %q", betas)
	}
	var sent struct{ Thinking json.RawMessage }
	testkit.Must(t, json.Unmarshal(srv.Requests()[0], &sent))
	if got, want := string(sent.Thinking), `{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`; got != want {
		t.Errorf("thinking is %s, want %s", got, want)
	}
}
