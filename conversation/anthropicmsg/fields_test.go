package anthropicmsg_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func call(id, name, arguments string) conversation.ToolCall {
	return conversation.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
}

func calls(text string, calls ...conversation.ToolCall) conversation.Message {
	return conversation.Message{Role: conversation.Assistant, Content: text, ToolCalls: calls}
}

var (
	imageURL = conversation.Part{Type: conversation.ImagePart, URL: "https://example.com/a.png"}
	imageB64 = conversation.Part{Type: conversation.ImageB64Part, Data: "aGk=", MediaType: "image/png"}
)

func textPart(text string) conversation.Part {
	return conversation.Part{Type: conversation.TextPart, Text: text}
}

// fieldTests are conversations without Raw and what is sent of them.
var fieldTests = []struct {
	name   string
	msgs   []conversation.Message
	system string // as JSON
	want   string // the messages as JSON
}{
	{"nothing", nil, `null`, `[]`},
	{"system and summary", []conversation.Message{conversation.SystemText("You help."), conversation.SystemText("Summary of prior conversation: x"), conversation.UserText("hi")},
		`[{"text":"You help.","type":"text"},{"text":"Summary of prior conversation: x","type":"text"}]`,
		`[{"role":"user","content":[{"type":"text","text":"hi"}]}]`},
	{"a system message further on", []conversation.Message{conversation.UserText("a"), conversation.SystemText("be brief"), conversation.AssistantText("b")}, `null`,
		`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"<system>\nbe brief\n</system>"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]}]`},
	{"results are one message, results first", []conversation.Message{
		conversation.UserText("go"), calls("I look.", call("1", "f", `{"a":1}`), call("2", "g", ``)),
		conversation.ToolResult("1", "one"), conversation.SystemText("hurry"), {Role: conversation.Tool, ToolCallID: "2", Content: "two", IsError: true}, conversation.UserText("and?")}, `null`,
		`[{"role":"user","content":[{"type":"text","text":"go"}]},
		  {"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"1","name":"f","input":{"a":1}},{"type":"tool_use","id":"2","name":"g","input":{}}]},
		  {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"one"}]},
		    {"type":"tool_result","tool_use_id":"2","is_error":true,"content":[{"type":"text","text":"two"}]},
		    {"type":"text","text":"<system>\nhurry\n</system>"},{"type":"text","text":"and?"}]}]`},
	{"nothing empty is sent", []conversation.Message{conversation.UserText("a"), conversation.UserText(" \n"), conversation.AssistantText(""), calls("\t", call("1", "f", `{}`)), conversation.ToolResult("1", "\n"),
		{Role: conversation.User, Parts: []conversation.Part{textPart(""), textPart("b"), textPart(" ")}}}, `null`,
		`[{"role":"user","content":[{"type":"text","text":"a"}]},
		  {"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},
		  {"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"b"}]}]`},
	{"images", []conversation.Message{{Role: conversation.User, Parts: []conversation.Part{textPart("see"), imageURL, imageB64,
		{Type: conversation.ImagePart, URL: "data:image/gif;x=y;base64,R0lG"}, {Type: conversation.ImagePart, URL: "http://example.com/b.png"},
		{Type: conversation.ImagePart, URL: "DATA:image/PNG;BASE64,R0lG"}, {Type: conversation.ImagePart, URL: "data:;base64,R0lG"}, {Type: conversation.ImagePart, URL: "data:image/svg+xml,%3Csvg"}}}}, `null`,
		`[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}},
		  {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},
		  {"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lG"}},{"type":"text","text":"[image: http://example.com/b.png]"},
		  {"type":"image","source":{"type":"base64","media_type":"image/png","data":"R0lG"}},{"type":"text","text":"[image]"},{"type":"text","text":"[image]"}]}]`},
	{"images of results", []conversation.Message{calls("", call("1", "f", `{}`), call("2", "f", `{}`), call("3", "f", `{}`)),
		{Role: conversation.Tool, ToolCallID: "1", Parts: []conversation.Part{textPart("it"), imageURL}},
		{Role: conversation.Tool, ToolCallID: "2", IsError: true, Parts: []conversation.Part{imageB64, textPart("broken")}},
		conversation.ToolResult("3", "three")}, `null`,
		`[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}},{"type":"tool_use","id":"2","name":"f","input":{}},{"type":"tool_use","id":"3","name":"f","input":{}}]},
		  {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"it"},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]},
		    {"type":"tool_result","tool_use_id":"2","is_error":true,"content":[{"type":"text","text":"broken"}]},
		    {"type":"tool_result","tool_use_id":"3","content":[{"type":"text","text":"three"}]},
		    {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]}]`},
	{"arguments that are no object", []conversation.Message{calls("",
		call("1", "f", `{"path":"a.g`), call("2", "f", `[1]`), call("3", "f", `"x"`), call("4", "f", ` {"a" : "<"} `), call("5", "f", `null`))}, `null`,
		`[{"role":"assistant","content":[
		  {"type":"tool_use","id":"1","name":"f","input":{"INVALID_JSON":"{\"path\":\"a.g"}},
		  {"type":"tool_use","id":"2","name":"f","input":{"INVALID_JSON":"[1]"}},
		  {"type":"tool_use","id":"3","name":"f","input":{"INVALID_JSON":"\"x\""}},
		  {"type":"tool_use","id":"4","name":"f","input":{"a":"<"}},
		  {"type":"tool_use","id":"5","name":"f","input":{"INVALID_JSON":"null"}}]}]`},
	{"another provider's Raw", []conversation.Message{
		{Role: conversation.Assistant, Content: "a", ToolCalls: []conversation.ToolCall{call("call_1", "f", `{}`)},
			Raw: json.RawMessage(`[{"type":"reasoning","id":"rs_1"},{"type":"function_call"}]`), RawProvider: conversation.OpenAIResponses},
		{Role: conversation.Tool, ToolCallID: "call_1", Content: "b", Raw: json.RawMessage(`{"role":"tool"}`), RawProvider: conversation.OpenAIChat}}, `null`,
		`[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"call_1","name":"f","input":{}}]},
		  {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"b"}]}]}]`},
}

func TestToFromFields(t *testing.T) {
	for _, c := range fieldTests {
		t.Run(c.name, func(t *testing.T) {
			texts, messages, err := anthropicmsg.To(c.msgs)
			testkit.Must(t, err)
			if got := mustJSON(t, texts); !sameJSON(t, got, c.system) {
				t.Errorf("the system prompt is\n%s\nwant\n%s", got, c.system)
			}
			if got := sent(t, messages); !sameJSON(t, got, c.want) {
				t.Errorf("the messages are\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestCallIDsAreAllowed(t *testing.T) {
	allowed := regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	seen := map[string]string{}
	for _, id := range []string{"call_1|fc_2", "call_1:fc_2", "call_1_fc_2", "é", "functions.f:0", "a b"} {
		messages := to(t, calls("", call(id, "f", `{}`)), conversation.ToolResult(id, "r"))
		used, answered := contentOf(messages[0])[0].OfToolUse.ID, contentOf(messages[1])[0].OfToolResult.ToolUseID
		if used != answered || !allowed.MatchString(used) {
			t.Errorf("%q: the call has the ID %q, its result %q", id, used, answered)
		}
		if other, ok := seen[used]; ok {
			t.Errorf("%q and %q are both %q", id, other, used)
		}
		seen[used] = id
		if allowed.MatchString(id) && used != id {
			t.Errorf("%q became %q", id, used)
		}
	}
}

func TestToRefuses(t *testing.T) {
	image := []conversation.Part{imageURL}
	own := func(role conversation.Role, raw string) conversation.Message {
		return conversation.Message{Role: role, Raw: json.RawMessage(raw), RawProvider: conversation.Anthropic}
	}
	for name, m := range map[string]conversation.Message{
		"image of the system":    {Role: conversation.System, Parts: image},
		"image of the assistant": {Role: conversation.Assistant, Parts: image},
		"call without ID":        calls("", call("", "f", `{}`)),
		"part":                   {Role: conversation.User, Parts: []conversation.Part{{Type: "video"}}},
		"both":                   {Role: conversation.User, Content: "a", Parts: image},
		"result of none":         {Role: conversation.Tool, Content: "a"},
		"role":                   {Role: "critic", Content: "a"},
		"raw of another kind":    own(conversation.User, `{"role":"tool","content":"a"}`),
		"raw cut off":            own(conversation.User, `{"role":"user","content":[`),
		"raw empty":              own(conversation.User, ``),
	} {
		msgs := []conversation.Message{conversation.SystemText("fine"), m}
		if m.Role != conversation.System {
			msgs = []conversation.Message{conversation.SystemText("fine"), conversation.UserText("fine"), m}
		}
		_, messages, err := anthropicmsg.To(msgs)
		if !errors.Is(err, conversation.ErrInvalid) || messages != nil {
			t.Errorf("%s: there is %v, %v, want ErrInvalid", name, messages, err)
			continue
		}
		if want := fmt.Sprintf("message %d ", len(msgs)-1); !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %q, want one that names %s", name, err, want)
		}
	}
}

// The fields describe the same message as Raw, for other providers.
func TestFieldsDescribeRaw(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      []conversation.Message // without Raw
	}{
		{"text", `{"role":"user","content":[{"type":"text","text":"hi"}]}`, []conversation.Message{conversation.UserText("hi")}},
		{"string", `{"role":"assistant","content":"hi"}`, []conversation.Message{conversation.AssistantText("hi")}},
		{"system", `{"role":"system","content":"hi"}`, []conversation.Message{conversation.SystemText("hi")}},
		{"texts of a user", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
			[]conversation.Message{{Role: conversation.User, Parts: []conversation.Part{textPart("a"), textPart("b")}}}},
		{"a sentence cut by citations", `{"role":"assistant","content":[{"type":"text","text":"The sky "},{"type":"text","text":"is blue","citations":[]},{"type":"text","text":"."}]}`,
			[]conversation.Message{conversation.AssistantText("The sky is blue.")}},
		{"interleaved", `{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"f","input":{"z": 1}},{"type":"redacted_thinking","data":"d"},{"type":"text","text":"b"},{"type":"tool_use","id":"2","name":"g","input":{}}]}`,
			[]conversation.Message{{Role: conversation.Assistant, Parts: []conversation.Part{textPart("a"), textPart("b")},
				ToolCalls: []conversation.ToolCall{call("1", "f", `{"z":1}`), call("2", "g", `{}`)}}}},
		{"results and text", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"a"},
			{"type":"tool_result","tool_use_id":"2","is_error":true,"content":[{"type":"text","text":"b"}]},
			{"type":"tool_result","tool_use_id":"3","content":[{"type":"text","text":"c"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},
			{"type":"tool_result","tool_use_id":"4"},{"type":"text","text":"d"},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]}`,
			[]conversation.Message{conversation.ToolResult("1", "a"),
				{Role: conversation.Tool, ToolCallID: "2", IsError: true, Content: "b"},
				{Role: conversation.Tool, ToolCallID: "3", Parts: []conversation.Part{textPart("c"), imageB64}},
				conversation.ToolResult("4", ""),
				{Role: conversation.User, Parts: []conversation.Part{textPart("d"), imageURL}}}},
		{"text before a result", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"1","content":"b"}]}`,
			[]conversation.Message{conversation.UserText("a"), conversation.ToolResult("1", "b")}},
		{"documents", `{"role":"user","content":[{"type":"document","title":"T","source":{"type":"text","media_type":"text/plain","data":"words"}},
			{"type":"document","title":"P","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}},
			{"type":"search_result","source":"https://example.com","title":"S","content":[{"type":"text","text":"found"}]},
			{"type":"image","source":{"type":"file","file_id":"file_1"}}]}`,
			[]conversation.Message{{Role: conversation.User, Parts: []conversation.Part{textPart("[document]\nwords\nT"), textPart("[document]\nP"),
				textPart("[search_result]\nfound\nhttps://example.com\nS"), textPart("[image]\nfile_1")}}}},
		{"tools of the provider", `{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"go"}},
			{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","url":"https://go.dev","title":"Go","encrypted_content":"Eqgf"}]},
			{"type":"text","text":"Found."}]}`,
			[]conversation.Message{{Role: conversation.Assistant, Parts: []conversation.Part{textPart("[server_tool_use]\n{\"query\":\"go\"}\nweb_search"),
				textPart("[web_search_tool_result]\nGo\nhttps://go.dev"), textPart("Found.")}}}},
	} {
		got := from(t, rawParam(c.raw))
		for i := range got {
			if got[i].RawProvider != conversation.Anthropic || got[i].Raw == nil {
				t.Errorf("%s: message %d has no Raw", c.name, i)
			}
			wantArray := i > 0
			if isArray := got[i].Raw[0] == '['; isArray != wantArray {
				t.Errorf("%s: Raw of message %d is %s", c.name, i, got[i].Raw)
			}
			got[i].Raw, got[i].RawProvider = nil, ""
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestFromResponseLeavesOutWhatIsRefused(t *testing.T) {
	m := response(t, `[{"type":"text","text":"\n"},{"type":"tool_use","id":"1","name":"f","input":{}},{"type":"text","text":""}]`)
	got, err := anthropicmsg.FromResponse(&m)
	if want := `{"content":[{"type":"tool_use","id":"1","name":"f","input":{}}],"role":"assistant"}`; err != nil || string(got.Raw) != want {
		t.Errorf("Raw is %s, %v, want %s", got.Raw, err, want)
	}
	cut := response(t, `[{"type":"thinking","thinking":"a","signature":"s"},{"type":"text","text":"b"},{"type":"thinking","thinking":"c","signature":"t"},{"type":"redacted_thinking","data":"d"}]`)
	got, err = anthropicmsg.FromResponse(&cut)
	if want := `{"content":[{"type":"thinking","thinking":"a","signature":"s"},{"type":"text","text":"b"}],"role":"assistant"}`; err != nil || string(got.Raw) != want {
		t.Errorf("Raw is %s, %v, want %s", got.Raw, err, want)
	}
	for _, content := range []string{`[]`, `[{"type":"text","text":""}]`, `[{"type":"thinking","thinking":"a","signature":"s"},{"type":"text","text":""}]`,
		`[` + firstThinks + `,` + fallbackBlock + `]`, `[` + firstCalls + `,` + fallbackBlock + `]`, `[` + fallbackBlock + `,` + secondThinks + `]`} {
		m := response(t, content)
		if _, err := anthropicmsg.FromResponse(&m); !errors.Is(err, anthropicmsg.ErrNoContent) {
			t.Errorf("%s: the error is %v, want ErrNoContent", content, err)
		}
	}
	if _, err := anthropicmsg.FromResponse(nil); !errors.Is(err, conversation.ErrInvalid) {
		t.Errorf("nil: the error is %v, want ErrInvalid", err)
	}
}

func TestFromResponseOfAStream(t *testing.T) {
	var m anthropic.Message
	for i, event := range []string{
		`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"let < me"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq/="}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\": "}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1.0}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}`,
		`{"type":"message_stop"}`,
	} {
		if i == 7 {
			if _, err := anthropicmsg.FromResponse(&m); !errors.Is(err, conversation.ErrInvalid) {
				t.Errorf("in the middle of a stream: %v, want ErrInvalid", err)
			}
		}
		var e anthropic.MessageStreamEventUnion
		testkit.Must(t, json.Unmarshal([]byte(event), &e))
		testkit.Must(t, m.Accumulate(e))
	}
	got, err := anthropicmsg.FromResponse(&m)
	testkit.Must(t, err)
	want := `{"content":[{"type":"thinking","thinking":"let < me","signature":"Eq/="},{"type":"tool_use","id":"1","name":"f","input":{"a": 1.0}}],"role":"assistant"}`
	if string(got.Raw) != want {
		t.Errorf("Raw is\n%s\nwant\n%s", got.Raw, want)
	}
	if arguments := string(got.ToolCalls[0].Arguments); arguments != `{"a": 1.0}` {
		t.Errorf("the arguments are %s", arguments)
	}
}

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
	testkit.Must(t, testkit.Err(client.Messages.New(t.Context(), params, anthropicmsg.DropStaleThinking()...)))
	if len(betas) != 1 || betas[0] != "thinking-binding-controls-2026-08-01" {
		t.Errorf("the beta headers are %q", betas)
	}
	var sent struct{ Thinking json.RawMessage }
	testkit.Must(t, json.Unmarshal(srv.Requests()[0], &sent))
	if got, want := string(sent.Thinking), `{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`; got != want {
		t.Errorf("thinking is %s, want %s", got, want)
	}
}
