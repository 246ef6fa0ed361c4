package conversation_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

func providerMessage(p Provider, role Role, text string) Message {
	return Message{Role: role, Raw: []byte(text), RawProvider: p}
}

func TestSafeCuts(t *testing.T) {
	u, a := UserText("u"), AssistantText("a")
	item := func(text string) Message { return providerMessage(OpenAIResponses, Assistant, text) }
	result := func(text string) Message {
		m := ToolResult("x", "")
		m.Raw, m.RawProvider = []byte(text), OpenAIResponses
		return m
	}
	for name, c := range map[string]struct {
		msgs []Message
		want []int
	}{
		"nothing":                        {nil, nil},
		"one":                            {[]Message{u}, nil},
		"plain":                          {[]Message{SystemText("s"), u, a, u}, []int{1, 2, 3}},
		"a call and its result":          {[]Message{u, call("1"), ToolResult("1", ""), a}, []int{1, 3}},
		"parallel calls":                 {[]Message{call("1", "2"), ToolResult("2", ""), ToolResult("1", ""), u}, []int{3}},
		"a result that comes late":       {[]Message{call("1", "2"), ToolResult("2", ""), u, ToolResult("1", ""), u}, []int{4}},
		"an open call":                   {[]Message{u, a, call("1"), u, a}, []int{1, 2}},
		"a result of nobody":             {[]Message{u, ToolResult("1", ""), a}, []int{1, 2}},
		"an id twice in one message":     {[]Message{u, call("f", "f"), ToolResult("f", ""), ToolResult("f", ""), u}, []int{1, 4}},
		"an id that was lost":            {[]Message{call("f"), u, call("f"), ToolResult("f", ""), u}, []int{4}},
		"an id that is used again":       {[]Message{call("1"), ToolResult("1", ""), call("1"), ToolResult("1", "")}, []int{2}},
		"calls that overlap":             {[]Message{call("1"), call("2"), ToolResult("1", ""), ToolResult("2", ""), u}, []int{4}},
		"a call without id":              {[]Message{call(""), u, a}, []int{1, 2}},
		"reasoning before an answer":     {[]Message{u, item(`{"type":"reasoning","id":"r"}`), item(`{"type":"message","id":"m"}`), u}, []int{1, 3}},
		"reasoning before a plain one":   {[]Message{u, item(`{"type":"reasoning","id":"r"}`), a, u}, []int{1, 3}},
		"reasoning, searches, an answer": {[]Message{u, item(`{"type":"reasoning"}`), item(`{"type":"web_search_call","id":"w"}`), item(`{"type":"message"}`), u}, []int{1, 4}},
		"reasoning twice":                {[]Message{u, item(`{"type":"reasoning"}`), item(`{"type":"message"}`), item(`{"type":"reasoning"}`), item(`{"type":"message"}`)}, []int{1, 3}},
		"reasoning in one with its call": {[]Message{u, item(`[{"type":"reasoning"},{"type":"function_call","call_id":"x","id":"f"}]`), result(`{"type":"function_call_output","call_id":"x"}`), u}, []int{1, 3}},
		"reasoning, two calls":           {[]Message{u, item(`{"type":"reasoning"}`), call("x"), call("y"), ToolResult("x", ""), ToolResult("y", ""), u}, []int{1, 6}},
		"reasoning in three":             {[]Message{u, item(`{"type":"reasoning"}`), item(`{"type":"reasoning"}`), item(`[{"type":"reasoning"},{"type":"message"}]`), u}, []int{1, 4}},
		"reasoning of nothing":           {[]Message{u, item(`{"type":"reasoning"}`), u, a}, []int{1, 2, 3}},
		"a computer call":                {[]Message{item(`{"type":"computer_call","id":"i","call_id":"c"}`), providerMessage(OpenAIResponses, User, `{"type":"computer_call_output","call_id":"c"}`), u}, []int{2}},
		"a local shell":                  {[]Message{item(`{"type":"local_shell_call","id":"i","call_id":"c"}`), providerMessage(OpenAIResponses, User, `{"type":"local_shell_call_output","id":"c"}`), u}, []int{2}},
		"a program of the model's":       {[]Message{item(`{"type":"program","id":"i","call_id":"c"}`), item(`{"type":"program_output","id":"o","call_id":"c"}`), u}, []int{2}},
		"an approval":                    {[]Message{item(`{"type":"mcp_approval_request","id":"q"}`), providerMessage(OpenAIResponses, User, `{"type":"mcp_approval_response","approval_request_id":"q"}`), u}, []int{2}},
		"what the provider ran itself":   {[]Message{u, item(`{"type":"web_search_call","id":"w","status":"completed"}`), a}, []int{1, 2}},
		"a server tool in one message":   {[]Message{u, providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"server_tool_use","id":"s"},{"type":"web_search_tool_result","tool_use_id":"s"}]}`), u}, []int{1, 2}},
		"a server tool in two messages":  {[]Message{u, providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"server_tool_use","id":"s"}]}`), providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"s"},{"type":"text","text":"a"}]}`), u}, []int{1, 3}},
		"an MCP tool at the provider":    {[]Message{providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"mcp_tool_use","id":"s"}]}`), u, providerMessage(Anthropic, Assistant, `{"content":[{"type":"mcp_tool_result","tool_use_id":"s"}]}`), u}, []int{3}},
		"a raw of another kind":          {[]Message{providerMessage(Anthropic, Assistant, `"server_tool_use"`), providerMessage(OpenAIResponses, Assistant, `7`), u}, []int{1, 2}},
	} {
		if got := SafeCuts(c.msgs); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestTrim(t *testing.T) {
	u, a, sys := UserText, AssistantText, SystemText
	length := func(m Message) int { return len(m.Content) }
	tools := []Message{sys("x"), u("a"), call("1"), ToolResult("1", ""), call("2"), ToolResult("2", ""), a("b")}
	for name, c := range map[string]struct {
		msgs []Message
		o    TrimOptions
		want string
	}{
		"nothing":                      {nil, TrimOptions{KeepLast: 1}, ""},
		"all":                          {tools, TrimOptions{}, "x a (1) =1 (2) =2 b"},
		"less than there is":           {tools, TrimOptions{KeepLast: 100}, "x a (1) =1 (2) =2 b"},
		"negative is no bound":         {tools, TrimOptions{KeepLast: -1, KeepTokens: -1}, "x a (1) =1 (2) =2 b"},
		"the question stays":           {tools, TrimOptions{KeepLast: 1}, "x a b"},
		"a unit is whole":              {tools, TrimOptions{KeepLast: 2}, "x a (2) =2 b"},
		"back to the user":             {[]Message{u("a"), a("b"), u("c"), a("d"), u("e")}, TrimOptions{KeepLast: 2}, "c d e"},
		"nobody asked":                 {[]Message{a("a"), a("b")}, TrimOptions{KeepLast: 1}, "b"},
		"system messages alone":        {[]Message{sys("x"), sys("y")}, TrimOptions{KeepLast: 1}, "x y"},
		"an open call":                 {[]Message{u("a"), a("b"), u("c"), call("1"), u("d"), u("e")}, TrimOptions{KeepLast: 1}, "c (1) d e"},
		"tokens":                       {[]Message{u("aaa"), a("bbb"), u("ccc"), a("ddd")}, TrimOptions{KeepTokens: 7, CountTokens: length}, "ccc ddd"},
		"tokens, back to the user":     {[]Message{u("aaa"), a("bbb"), u("ccc"), a("ddd")}, TrimOptions{KeepTokens: 9, CountTokens: length}, "aaa bbb ccc ddd"},
		"both: the shorter end":        {[]Message{u("aaa"), u("bbb"), u("ccc"), u("ddd")}, TrimOptions{KeepLast: 3, KeepTokens: 6, CountTokens: length}, "ccc ddd"},
		"both, the other way":          {[]Message{u("aaa"), u("bbb"), u("ccc"), u("ddd")}, TrimOptions{KeepLast: 1, KeepTokens: 6, CountTokens: length}, "ddd"},
		"a count that is negative":     {[]Message{u("aaa"), u("bbb")}, TrimOptions{KeepTokens: 1, CountTokens: func(Message) int { return -5 }}, "aaa bbb"},
		"the estimate where none said": {[]Message{u(strings.Repeat("word ", 100)), u("b")}, TrimOptions{KeepTokens: 20}, "b"},
	} {
		if got := texts(Trim(c.msgs, c.o)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A conversation whose calls and results are in Raw only is cut where the provider
// accepts it.
func TestTrimOfRaw(t *testing.T) {
	for p, cases := range rawCases {
		if p == OpenAIChat { // its calls are in the fields too
			continue
		}
		for _, c := range cases {
			for k := range c.mended {
				if problems := Check(Trim(c.mended, TrimOptions{KeepLast: k + 1}), p); len(problems) > 0 {
					t.Errorf("%s, %s, %d kept: %v", p, c.name, k+1, problems)
				}
			}
		}
	}
}

func TestOpenCalls(t *testing.T) {
	for want, msgs := range map[string][]Message{
		"":      {UserText("a"), call("1"), ToolResult("1", "")},
		"1":     {call("1"), UserText("a")},
		"2":     {call("1", "2", "3"), ToolResult("3", ""), ToolResult("1", "")},
		"1 1":   {call("1"), ToolResult("1", ""), call("1"), call("1")},
		"1 2 3": {ToolResult("1", ""), call("1", "2"), call("3")},
	} {
		var got []string
		for _, c := range OpenCalls(msgs) {
			got = append(got, c.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", texts(msgs), got, want)
		}
	}
}
