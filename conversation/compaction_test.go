package conversation_test

import (
	"context"
	"strings"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// compactions are messages in which a provider carries what came before.
var compactions = map[string]Message{
	"of OpenAI":               providerMessage(OpenAIResponses, Assistant, `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAA"}`),
	"of OpenAI among items":   providerMessage(OpenAIResponses, Assistant, `[{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAA"},{"type":"message","role":"assistant","content":"hi"}]`),
	"of Anthropic":            providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"compaction","content":"what was said"},{"type":"text","text":"hi"}]}`),
	"of Anthropic, encrypted": providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"compaction","content":null,"encrypted_content":"gAAAA"}]}`),
}

// noCompactions look like them.
var noCompactions = map[string]Message{
	"failed":     providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"compaction","content":null},{"type":"text","text":"hi"}]}`),
	"a text":     providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"text","text":"compaction"}]}`),
	"not a Raw":  AssistantText("compaction"),
	"of a tool":  providerMessage(OpenAIResponses, Assistant, `{"type":"message","role":"assistant","content":"compaction"}`),
	"a trigger":  providerMessage(OpenAIResponses, System, `{"type":"compaction_trigger"}`),
	"of nothing": providerMessage(OpenAIResponses, Assistant, `{"type":"compaction","id":"cmp_1","encrypted_content":""}`),
}

func roundAbout(m Message) []Message {
	return []Message{SystemText("Be terse."), UserText("q0"), AssistantText("a0"), UserText("q"), m,
		UserText("q1"), AssistantText("a1"), UserText("q2"), AssistantText("a2")}
}

// The newest compaction is kept, and what follows.
func TestTrimKeepsTheNewestCompaction(t *testing.T) {
	t.Parallel()
	for name, m := range compactions {
		for _, o := range []TrimOptions{{KeepLast: 2}, {KeepTokens: 20}, {KeepLast: 1, KeepTokens: 1}} {
			got := Trim(roundAbout(m), o)
			if len(got) != 7 || string(got[2].Raw) != string(m.Raw) || got[1].Content != "q" {
				t.Errorf("%s, %+v: kept %s", name, o, texts(got))
			}
		}
		twice := append(roundAbout(m), roundAbout(m)[1:]...)
		if got := Trim(twice, TrimOptions{KeepLast: 2}); len(got) != 7 {
			t.Errorf("%s twice: kept %d messages, want those from the newest on", name, len(got))
		}
		if got := Trim([]Message{SystemText("s"), UserText("u"), m, UserText("q1"), AssistantText("a1"), UserText("q2"), AssistantText("a2")},
			TrimOptions{KeepLast: 2}); len(got) != 7 {
			t.Errorf("%s: kept %s", name, texts(got))
		}
	}
	for name, m := range noCompactions {
		if got := Trim(roundAbout(m), TrimOptions{KeepLast: 2}); len(got) != 3 {
			t.Errorf("%s: kept %s, want the last question and answer", name, texts(got))
		}
	}
}

// A compaction inside a unit keeps the unit.
func TestTrimKeepsTheUnitOfACompaction(t *testing.T) {
	t.Parallel()
	m := providerMessage(OpenAIResponses, Assistant, `[{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAA"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]`)
	m.ToolCalls = []ToolCall{{ID: "c", Name: "f"}}
	msgs := []Message{UserText("q"), m, ToolResult("c", "ok"), AssistantText("a"), UserText("q1"), AssistantText("a1")}
	if got := Trim(msgs, TrimOptions{KeepLast: 2}); len(got) != 6 {
		t.Errorf("kept %s", texts(got))
	}
}

// A summary replaces what came before the newest compaction, and nothing after it.
func TestSummaryKeepsTheNewestCompaction(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, m := range compactions {
		var summarized []string
		memory, err := New(Options{SummarizeAt: 6, KeepLast: 2, OnError: func(err error) { t.Error(err) },
			Summarize: func(_ context.Context, r Request) (string, error) {
				summarized = append(summarized, Transcript(r.Messages))
				return "short", nil
			}})
		testkit.Must(t, err)
		for _, m := range roundAbout(m) {
			testkit.Must(t, memory.Append(ctx, m))
		}
		found := false
		for _, kept := range memory.Messages() {
			found = found || string(kept.Raw) == string(m.Raw)
		}
		if !found || strings.Contains(strings.Join(summarized, ""), "q1") {
			t.Errorf("%s: kept %s, summarised %q", name, texts(memory.Messages()), summarized)
		}
	}
}
