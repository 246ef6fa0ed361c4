package conversation_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

var providers = []conversation.Provider{
	conversation.Anthropic, conversation.OpenAIChat, conversation.OpenAIResponses, conversation.Gemini,
}

// toolLoop is a conversation of about n messages: questions, parallel calls with
// their results, answers.
func toolLoop(n int) []conversation.Message {
	msgs := []conversation.Message{conversation.SystemText("You look after the repository.")}
	for k := 0; len(msgs) < n; k++ {
		first, second := fmt.Sprintf("toolu_%024d", 2*k), fmt.Sprintf("toolu_%024d", 2*k+1)
		msgs = append(msgs,
			conversation.UserText("Look at the file and tell me what is in it, and run its tests."),
			conversation.Message{Role: conversation.Assistant, Content: "I look.", ToolCalls: []conversation.ToolCall{
				{ID: first, Name: "read_file", Arguments: json.RawMessage(`{"path":"internal/server/server.go"}`)},
				{ID: second, Name: "run", Arguments: json.RawMessage(`{"command":"go test ./internal/server"}`)},
			}},
			conversation.ToolResult(second, "ok  internal/server 0.41s"),
			conversation.ToolResult(first, "package server\n\nimport \"net/http\"\n"),
			conversation.AssistantText("It serves HTTP, and its tests pass."),
		)
	}
	return msgs
}

func BenchmarkCheck(b *testing.B) {
	msgs := toolLoop(10_000)
	for _, p := range providers {
		b.Run(string(p), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if problems := conversation.Check(msgs, p); problems != nil {
					b.Fatal(problems[0])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(msgs)), "ns/message")
		})
	}
}
