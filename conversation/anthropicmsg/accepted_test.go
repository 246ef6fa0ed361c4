package anthropicmsg_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"pgregory.net/rapid"
)

// The provider accepts what To makes of any conversation of other providers, and
// nothing that was said is missing.
func TestToSendsWhatIsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs, said := drawConversation(t)
		msgs = append(append([]conversation.Message{conversation.UserText("first.")}, msgs...), conversation.UserText("last."))
		_, messages, err := anthropicmsg.To(msgs)
		testkit.Must(t, err)
		text, err := json.Marshal(messages)
		testkit.Must(t, err)
		for _, s := range said {
			if n := strings.Count(string(text), s); n != 1 {
				t.Fatalf("%s is sent %d times: %s", s, n, text)
			}
		}
		// From reads what was sent.
		again, err := anthropicmsg.From(messages...)
		testkit.Must(t, err)
		if problems := conversation.Check(again, conversation.Anthropic); problems != nil {
			t.Fatalf("%v: %s", problems, text)
		}
		_, back, err := anthropicmsg.To(again)
		testkit.Must(t, err)
		if second, _ := json.Marshal(back); string(second) != string(text) {
			t.Fatalf("sent again\n%s\nwas\n%s", second, text)
		}
	})
}

// drawConversation returns the messages of an agent, and each text in them.
func drawConversation(t *rapid.T) (msgs []conversation.Message, said []string) {
	word := func() string {
		if rapid.IntRange(0, 4).Draw(t, "blank") == 0 {
			return rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "empty")
		}
		said = append(said, fmt.Sprintf("word%d.", len(said)))
		return said[len(said)-1]
	}
	content := func(m conversation.Message, images bool) conversation.Message {
		if rapid.Bool().Draw(t, "plain") {
			m.Content = word()
			return m
		}
		m.Parts = []conversation.Part{}
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			if images && rapid.Bool().Draw(t, "image") {
				m.Parts = append(m.Parts, rapid.SampledFrom([]conversation.Part{imageURL, imageB64}).Draw(t, "kind"))
				continue
			}
			m.Parts = append(m.Parts, textPart(word()))
		}
		return m
	}
	for n := range rapid.IntRange(0, 8).Draw(t, "turns") {
		switch rapid.IntRange(0, 3).Draw(t, "turn") {
		case 0:
			msgs = append(msgs, content(conversation.Message{Role: conversation.User}, true))
		case 1:
			msgs = append(msgs, content(conversation.Message{Role: conversation.Assistant}, false))
		case 2:
			msgs = append(msgs, content(conversation.Message{Role: conversation.System}, false))
		case 3:
			m := content(conversation.Message{Role: conversation.Assistant}, false)
			var results []conversation.Message
			for i := range rapid.IntRange(1, 3).Draw(t, "calls") {
				id := fmt.Sprintf(rapid.SampledFrom([]string{"call_%d_%d", "call:%d|%d"}).Draw(t, "id"), n, i)
				said = append(said, fmt.Sprintf("argument%d.", len(said)))
				arguments := fmt.Sprintf(rapid.SampledFrom([]string{`{"a":%q}`, `{"a":%q`, `[%q]`}).Draw(t, "arguments"), said[len(said)-1])
				m.ToolCalls = append(m.ToolCalls, call(id, "f", arguments))
				r := content(conversation.Message{Role: conversation.Tool, ToolCallID: id}, true)
				r.IsError = rapid.Bool().Draw(t, "failed")
				results = append(results, r)
				if rapid.IntRange(0, 3).Draw(t, "between") == 0 {
					results = append(results, content(conversation.Message{Role: conversation.User}, true))
				}
			}
			msgs = append(append(msgs, m), rapid.Permutation(results).Draw(t, "order")...)
		}
	}
	return msgs, said
}
