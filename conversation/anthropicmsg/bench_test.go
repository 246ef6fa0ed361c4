package anthropicmsg_test

import (
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
)

// A window of 100 rounds of tools, 2 kB each.
func BenchmarkTo(b *testing.B) {
	long := strings.Repeat("words and more ", 130)
	var own, foreign []conversation.Message
	for range 100 {
		m := response(b, `[{"type":"thinking","thinking":"","signature":"Eq"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"path":"a.go"}}]`)
		answer, err := anthropicmsg.FromResponse(&m)
		if err != nil {
			b.Fatal(err)
		}
		own = append(append(own, answer), from(b, rawParam(`{"content":[{"content":[{"text":"`+long+`","type":"text"}],"tool_use_id":"toolu_1","type":"tool_result"}],"role":"user"}`))...)
		foreign = append(foreign, calls("", call("call_1", "f", `{"path":"a.go"}`)), conversation.ToolResult("call_1", long))
	}
	for name, msgs := range map[string][]conversation.Message{"own": own, "foreign": foreign} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := anthropicmsg.To(msgs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
