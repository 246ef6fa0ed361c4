package conversation_test

import (
	"strings"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

// Anthropic accepts four blocks with cache_control in a request, wherever they stand.
func TestCheckCountsCacheMarks(t *testing.T) {
	t.Parallel()
	const mark = `"cache_control":{"type":"ephemeral"}`
	user := func(blocks ...string) Message {
		return providerMessage(Anthropic, User, `{"role":"user","content":[`+strings.Join(blocks, ",")+`]}`)
	}
	marked, said := `{"type":"text","text":"a",`+mark+`}`, `{"type":"text","text":"a","cache_control":null}`
	system := providerMessage(Anthropic, System, `[`+marked+`]`)
	use := providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"cache_control":{"type":"x"},"content":[`+marked+`]}}]}`)
	use.ToolCalls = []ToolCall{{ID: "t", Name: "f"}}
	result := providerMessage(Anthropic, Tool, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[`+marked+`],`+mark+`}]}`)
	result.ToolCallID = "t"
	document := `{"type":"document","source":{"type":"content","content":[` + marked + `]},` + mark + `}`
	for name, c := range map[string]struct {
		msgs  []Message
		index int // of the problem; -1: none
	}{
		"four":                  {[]Message{user(marked, marked), user(marked, said, marked, said)}, -1},
		"five":                  {[]Message{user(marked, marked), user(marked, said), user(marked, marked), user(marked)}, 2},
		"five in one":           {[]Message{user(said), user(marked, marked, marked, marked, marked)}, 1},
		"with the system":       {[]Message{system, user(marked, marked), user(marked, marked)}, 2},
		"in a result":           {[]Message{user(marked, marked), use, result, user(marked)}, 3},
		"in a result, four":     {[]Message{user(marked), use, result, user(marked)}, -1},
		"in documents":          {[]Message{user(document, document), user(marked)}, 1},
		"a text about it alone": {[]Message{user(`{"type":"text","text":"cache_control"}`)}, -1},
	} {
		problems := Check(c.msgs, Anthropic)
		switch {
		case c.index < 0 && len(problems) > 0:
			t.Errorf("%s: %v", name, problems)
		case c.index >= 0 && (len(problems) != 1 || problems[0].Index != c.index || problems[0].Rule != RuleRawForm || !strings.Contains(problems[0].Text, "cache_control")):
			t.Errorf("%s: %v, want one problem with message %d", name, problems, c.index)
		}
	}
}
