package providertest_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
)

// The Raw of each provider has all of these.
var kinds = map[conversation.Provider][]string{
	conversation.Anthropic: {"thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result", "mcp_tool_use", "mcp_tool_result", "document",
		"citations", "cache_control", "base64", "is_error", "tool_result"},
	conversation.OpenAIChat: {"reasoning_content", "image_url", "developer", "tool_calls", "tool_call_id"},
	conversation.OpenAIResponses: {"reasoning", "encrypted_content", "summary_text", "web_search_call", "mcp_call", "custom_tool_call", "custom_tool_call_output",
		"function_call", "function_call_output", "input_image", "input_file", "output_text"},
	conversation.Gemini: {"thoughtSignature", "thought", "functionCall", "functionResponse", "inlineData", "fileData"},
}

// A few hundred conversations have every kind of content. The same seed makes the same one.
func TestConversation(t *testing.T) {
	for p, kinds := range kinds {
		seen := map[string]bool{}
		for seed := range 250 {
			generate := func() []conversation.Message {
				return providertest.Conversation(rand.New(rand.NewPCG(uint64(seed), 2)), p, providertest.GenerateOptions{Open: seed%2 == 0})
			}
			msgs := generate()
			if seed < 10 {
				if diff := cmp.Diff(msgs, generate()); diff != "" {
					t.Fatalf("%s, seed %d: another conversation:\n%s", p, seed, diff)
				}
			}
			for _, m := range msgs {
				for _, kind := range kinds {
					seen[kind] = seen[kind] || m.RawProvider == p && bytes.Contains(m.Raw, []byte(`"`+kind+`"`))
				}
			}
			seen["a call without a result"] = seen["a call without a result"] || len(conversation.OpenCalls(msgs)) > 0
		}
		for _, kind := range append(kinds, "a call without a result") {
			if !seen[kind] {
				t.Errorf("%s: %q is not among 250 conversations", p, kind)
			}
		}
	}
}
