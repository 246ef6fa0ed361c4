package openaimsg_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
)

var (
	imageURL = conversation.Part{Type: conversation.ImagePart, URL: "https://x.test/a.png"}
	imageB64 = conversation.Part{Type: conversation.ImageB64Part, Data: "AAAA", MediaType: "image/png"}
)

func calls(ids ...string) conversation.Message {
	m := conversation.Message{Role: conversation.Assistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, conversation.ToolCall{ID: id, Name: "f", Arguments: json.RawMessage(`{"a": 1}`)})
	}
	return m
}

func resultParts(id string, parts ...conversation.Part) conversation.Message {
	return conversation.Message{Role: conversation.Tool, ToolCallID: id, Parts: parts}
}

// foreign are messages without the Raw of the API.
var foreign = []struct {
	name        string
	msgs        []conversation.Message
	chat, items []string
}{
	{"texts", []conversation.Message{conversation.SystemText("S"), conversation.UserText("U <&>"), conversation.AssistantText("A"), conversation.SystemText("S2")},
		[]string{`{"content":"S","role":"system"}`, `{"content":"U <&>","role":"user"}`, `{"content":"A","role":"assistant"}`, `{"content":"S2","role":"system"}`},
		[]string{`{"content":"S","role":"system"}`, `{"content":"U <&>","role":"user"}`, `{"content":"A","role":"assistant"}`, `{"content":"S2","role":"system"}`}},
	{"empty texts", []conversation.Message{conversation.UserText(""), conversation.AssistantText(""), conversation.ToolResult("c", "")},
		[]string{`{"content":"","role":"user"}`, `{"content":"","role":"assistant"}`, `{"content":"","tool_call_id":"c","role":"tool"}`},
		[]string{`{"content":"","role":"user"}`, `{"content":"","role":"assistant"}`, `{"call_id":"c","output":"","type":"function_call_output"}`}},
	{"images", []conversation.Message{{Role: conversation.User, Parts: []conversation.Part{text("look"), imageURL, imageB64}}},
		[]string{`{"content":[{"text":"look","type":"text"},{"image_url":{"url":"https://x.test/a.png"},"type":"image_url"},{"image_url":{"url":"data:image/png;base64,AAAA"},"type":"image_url"}],"role":"user"}`},
		[]string{`{"content":[{"text":"look","type":"input_text"},{"detail":"auto","image_url":"https://x.test/a.png","type":"input_image"},{"detail":"auto","image_url":"data:image/png;base64,AAAA","type":"input_image"}],"role":"user"}`}},
	{"calls", []conversation.Message{{Role: conversation.Assistant, Content: "I look.", ToolCalls: []conversation.ToolCall{
		{ID: "c1", Name: "f", Arguments: json.RawMessage(`{"a": 1}`)}, {ID: "c2", Name: "srv.tool:x", Arguments: json.RawMessage(`{"cut`)}, {ID: "c3", Name: strings.Repeat("n", 70)}}},
		conversation.ToolResult("c1", "1"), {Role: conversation.Tool, ToolCallID: "c2", IsError: true, Content: "bad"}, {Role: conversation.Tool, ToolCallID: "c3", IsError: true}},
		[]string{`{"content":"I look.","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}},{"id":"c2","type":"function","function":{"name":"srv_tool_x","arguments":"{\"cut"}},{"id":"c3","type":"function","function":{"name":"` + strings.Repeat("n", 64) + `","arguments":"{}"}}]}`,
			`{"content":"1","tool_call_id":"c1","role":"tool"}`, `{"content":"Error: bad","tool_call_id":"c2","role":"tool"}`, `{"content":"Error","tool_call_id":"c3","role":"tool"}`},
		[]string{`{"content":"I look.","role":"assistant"}`,
			`{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\": 1}"}`, `{"type":"function_call","call_id":"c2","name":"srv_tool_x","arguments":"{\"cut"}`, `{"type":"function_call","call_id":"c3","name":"` + strings.Repeat("n", 64) + `","arguments":"{}"}`,
			`{"type":"function_call_output","call_id":"c1","output":"1"}`, `{"type":"function_call_output","call_id":"c2","output":"Error: bad"}`, `{"type":"function_call_output","call_id":"c3","output":"Error"}`}},
	{"images in results", []conversation.Message{calls("c1", "c2", "c3"), resultParts("c1", text("one"), imageURL), resultParts("c2", imageB64), conversation.ToolResult("c3", "three"), conversation.AssistantText("A"),
		calls("c4"), resultParts("c4", imageURL)},
		[]string{`{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}},{"id":"c3","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]}`,
			`{"content":"one","tool_call_id":"c1","role":"tool"}`, `{"content":"[image]","tool_call_id":"c2","role":"tool"}`, `{"content":"three","tool_call_id":"c3","role":"tool"}`,
			`{"role":"user","content":[{"type":"text","text":"Image from the result of the call c1:"},{"type":"image_url","image_url":{"url":"https://x.test/a.png"}},{"type":"text","text":"Image from the result of the call c2:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`,
			`{"content":"A","role":"assistant"}`,
			`{"role":"assistant","tool_calls":[{"id":"c4","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]}`,
			`{"content":"[image]","tool_call_id":"c4","role":"tool"}`,
			`{"role":"user","content":[{"type":"text","text":"Image from the result of the call c4:"},{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}]}`},
		[]string{`{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\": 1}"}`, `{"type":"function_call","call_id":"c2","name":"f","arguments":"{\"a\": 1}"}`, `{"type":"function_call","call_id":"c3","name":"f","arguments":"{\"a\": 1}"}`,
			`{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"one"},{"type":"input_image","image_url":"https://x.test/a.png"}]}`,
			`{"type":"function_call_output","call_id":"c2","output":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}`,
			`{"type":"function_call_output","call_id":"c3","output":"three"}`,
			`{"content":"A","role":"assistant"}`,
			`{"type":"function_call","call_id":"c4","name":"f","arguments":"{\"a\": 1}"}`,
			`{"type":"function_call_output","call_id":"c4","output":[{"type":"input_image","image_url":"https://x.test/a.png"}]}`}},
	{"a failed result with an image", []conversation.Message{calls("c1"), {Role: conversation.Tool, ToolCallID: "c1", IsError: true, Parts: []conversation.Part{imageURL}}},
		[]string{`{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]}`, `{"content":"Error","tool_call_id":"c1","role":"tool"}`,
			`{"role":"user","content":[{"type":"text","text":"Image from the result of the call c1:"},{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}]}`},
		[]string{`{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\": 1}"}`,
			`{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"Error"},{"type":"input_image","image_url":"https://x.test/a.png"}]}`}},
	{"images of others", []conversation.Message{{Role: conversation.System, Parts: []conversation.Part{text("S"), text("T"), imageURL}}, {Role: conversation.Assistant, Parts: []conversation.Part{text("A"), imageB64}}, conversation.UserText("U")},
		[]string{`{"content":"S\nT","role":"system"}`, `{"role":"user","content":[{"type":"text","text":"Image that belongs to the instructions:"},{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}]}`,
			`{"content":"A","role":"assistant"}`, `{"role":"user","content":[{"type":"text","text":"Image from the assistant:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`, `{"content":"U","role":"user"}`},
		[]string{`{"content":"S\nT","role":"system"}`, `{"role":"user","content":[{"type":"input_text","text":"Image that belongs to the instructions:"},{"type":"input_image","detail":"auto","image_url":"https://x.test/a.png"}]}`,
			`{"content":"A","role":"assistant"}`, `{"role":"user","content":[{"type":"input_text","text":"Image from the assistant:"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AAAA"}]}`, `{"content":"U","role":"user"}`}},
	{"long ids", []conversation.Message{calls("toolu_0123456789012345678901234567890123456789012345678901234567890123456789"), conversation.ToolResult("toolu_0123456789012345678901234567890123456789012345678901234567890123456789", "1")},
		[]string{`{"role":"assistant","tool_calls":[{"id":"call_gankUDa3cGAbmOLMrs6urJMzs1AAqRBU","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]}`, `{"content":"1","tool_call_id":"call_gankUDa3cGAbmOLMrs6urJMzs1AAqRBU","role":"tool"}`},
		[]string{`{"type":"function_call","call_id":"call_gankUDa3cGAbmOLMrs6urJMzs1AAqRBU","name":"f","arguments":"{\"a\": 1}"}`, `{"type":"function_call_output","call_id":"call_gankUDa3cGAbmOLMrs6urJMzs1AAqRBU","output":"1"}`}},
	{"Anthropic", []conversation.Message{
		{Role: conversation.User, Content: "U", Raw: json.RawMessage(`{"role":"user","content":"U"}`), RawProvider: conversation.Anthropic},
		{Role: conversation.Assistant, Raw: json.RawMessage(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"}]}`), RawProvider: conversation.Anthropic},
		{Role: conversation.Assistant, Content: "I look.", ToolCalls: []conversation.ToolCall{{ID: "toolu_1", Name: "f", Arguments: json.RawMessage(`{}`)}},
			Raw: json.RawMessage(`{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]}`), RawProvider: conversation.Anthropic},
		{Role: conversation.Tool, ToolCallID: "toolu_1", Raw: json.RawMessage(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1"}]}`), RawProvider: conversation.Anthropic}},
		[]string{`{"content":"U","role":"user"}`, `{"content":"I look.","role":"assistant","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"f","arguments":"{}"}}]}`, `{"content":"","tool_call_id":"toolu_1","role":"tool"}`},
		[]string{`{"content":"U","role":"user"}`, `{"content":"I look.","role":"assistant"}`, `{"type":"function_call","call_id":"toolu_1","name":"f","arguments":"{}"}`, `{"type":"function_call_output","call_id":"toolu_1","output":""}`}},
}

func TestForeignMessagesAreMadeOfTheirFields(t *testing.T) {
	for _, f := range foreign {
		t.Run(f.name, func(t *testing.T) {
			compare(t, "chat", toChat(t, f.msgs...), f.chat)
			compare(t, "items", toItems(t, f.msgs...), f.items)
		})
	}
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d were sent, want %d: %s", what, len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i := range got {
		sameJSON(t, what, got[i], want[i])
	}
}

// A result without Raw gets the form that its call needs.
func TestResultsFollowTheirCalls(t *testing.T) {
	failed := conversation.Message{Role: conversation.Tool, ToolCallID: "c1", IsError: true, Content: "bad"}
	caller := `"caller":{"type":"program","caller_id":"p"}`
	for _, c := range []struct {
		name, call string
		result     conversation.Message
		want       string
	}{
		{"function", `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`, failed, `{"type":"function_call_output","call_id":"c1","output":"Error: bad"}`},
		{"function of a program", `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}",` + caller + `}`, failed, `{"type":"function_call_output","call_id":"c1","output":"Error: bad",` + caller + `}`},
		{"custom", `{"type":"custom_tool_call","call_id":"c1","name":"sql","input":"x"}`, failed, `{"type":"custom_tool_call_output","call_id":"c1","output":"Error: bad"}`},
		{"custom with an image", `{"type":"custom_tool_call","call_id":"c1","name":"sql","input":"x"}`, resultParts("c1", text("a"), imageURL),
			`{"type":"custom_tool_call_output","call_id":"c1","output":[{"type":"input_text","text":"a"},{"type":"input_image","detail":"auto","image_url":"https://x.test/a.png"}]}`},
		{"computer", `{"type":"computer_call","id":"i","call_id":"c1","action":{"type":"screenshot"},"pending_safety_checks":[]}`, resultParts("c1", imageB64),
			`{"type":"computer_call_output","call_id":"c1","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"}}`},
		{"local shell", `{"type":"local_shell_call","id":"i","call_id":"c1","action":{"type":"exec","command":["ls"]}}`, conversation.ToolResult("c1", "a"), `{"type":"local_shell_call_output","call_id":"c1","output":"a"}`},
		{"shell", `{"type":"shell_call","call_id":"c1","action":{"commands":["ls"]}}`, conversation.ToolResult("c1", "a"),
			`{"type":"shell_call_output","call_id":"c1","output":[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}}]}`},
		{"failed shell", `{"type":"shell_call","call_id":"c1","action":{"commands":["ls"]}}`, failed,
			`{"type":"shell_call_output","call_id":"c1","output":[{"stdout":"","stderr":"bad","outcome":{"type":"exit","exit_code":1}}]}`},
		{"patch", `{"type":"apply_patch_call","call_id":"c1","operation":{}}`, conversation.ToolResult("c1", ""), `{"type":"apply_patch_call_output","call_id":"c1","status":"completed"}`},
		{"failed patch", `{"type":"apply_patch_call","call_id":"c1","operation":{}}`, failed, `{"type":"apply_patch_call_output","call_id":"c1","status":"failed","output":"bad"}`},
		{"approval", `{"type":"mcp_approval_request","id":"c1","name":"f","arguments":"{}"}`, conversation.ToolResult("c1", "approved"), `{"type":"mcp_approval_response","approval_request_id":"c1","approve":true}`},
		{"denial", `{"type":"mcp_approval_request","id":"c1","name":"f","arguments":"{}"}`, conversation.ToolResult("c1", "Approved? No."), `{"type":"mcp_approval_response","approval_request_id":"c1","approve":false,"reason":"Approved? No."}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := toItems(t, fromItems(t, c.call)[0], c.result)
			sameJSON(t, "sent", got[1], c.want)
		})
	}
}

func TestResultsThatHaveNoForm(t *testing.T) {
	for _, call := range []string{
		`{"type":"computer_call","id":"i","call_id":"c1","action":{},"pending_safety_checks":[]}`,
		`{"type":"tool_search_call","call_id":"c1","execution":"client","arguments":{}}`,
	} {
		_, err := openaimsg.ToItems([]conversation.Message{fromItems(t, call)[0], conversation.ToolResult("c1", "x")})
		if !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("a text for %s: %v", call, err)
		}
	}
}

// An id is not changed if its call or its result is sent as it came.
func TestLongIDsOfTheProviderStay(t *testing.T) {
	id := strings.Repeat("x", 100)
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	compare(t, "chat", toChat(t, fromChat(t, call)[0], conversation.ToolResult(id, "42")), []string{call, `{"role":"tool","tool_call_id":"` + id + `","content":"42"}`})
	result := `{"type":"function_call_output","call_id":"` + id + `","output":"42"}`
	compare(t, "items", toItems(t, calls(id), fromItems(t, result)[0]), []string{`{"type":"function_call","call_id":"` + id + `","name":"f","arguments":"{\"a\": 1}"}`, result})
	other := strings.Repeat("x", 99) + "y"
	got := toChat(t, calls(id, other))
	if first, second, _ := strings.Cut(got[0], `"type":"function"`); strings.Contains(got[0], id) || first == second {
		t.Errorf("sent %s", got)
	}
}
