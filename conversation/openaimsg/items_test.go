package openaimsg_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3/responses"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func callMessage(id, name, arguments string) conversation.Message {
	return conversation.Message{Role: conversation.Assistant, ToolCalls: []conversation.ToolCall{{ID: id, Name: name, Arguments: json.RawMessage(arguments)}}}
}

var nothing = conversation.Message{Role: conversation.Assistant}

// itemKinds are input items of the Responses API, at least one of each kind, with the
// fields that other providers read.
var itemKinds = []struct {
	name, raw string
	want      conversation.Message
}{
	{"message", `{"role":"user","content":"hi","type":"message"}`, conversation.UserText("hi")},
	{"assistant message", `{"role":"assistant","content":"yes","phase":"final_answer","type":"message"}`, conversation.AssistantText("yes")},
	{"system message", `{"type":"message","role":"system","content":[{"type":"input_text","text":"S"}]}`, conversation.SystemText("S")},
	{"input message", `{"type":"message","role":"developer","status":"completed","content":[{"type":"input_text","text":"D"}]}`, conversation.SystemText("D")},
	{"input parts", `{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","detail":"auto","image_url":"data:image/gif;base64,AAAA"},{"type":"input_image","detail":"auto","file_id":"file_1"},{"type":"input_file","file_id":"file_2"},{"type":"input_file","file_url":"https://x.test/r.pdf"}]}`,
		conversation.Message{Role: conversation.User, Parts: []conversation.Part{text("look"), {Type: conversation.ImageB64Part, Data: "AAAA", MediaType: "image/gif"},
			text("[image: file_1]"), text("[file: file_2]"), text("[file: https://x.test/r.pdf]")}}},
	{"output message", `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"a"},{"type":"refusal","refusal":"no"}]}`,
		conversation.Message{Role: conversation.Assistant, Parts: []conversation.Part{text("a"), text("no")}}},
	{"file_search_call", `{"id":"fs_1","type":"file_search_call","status":"completed","queries":["q"],"results":[{"file_id":"f","filename":"a.md","score":0.50,"text":"found"}]}`,
		conversation.AssistantText("[file_search_call]\nq\na.md\nfound")},
	{"computer_call", `{"id":"cu_1","type":"computer_call","call_id":"call_1","status":"completed","action":{"type":"screenshot"},"pending_safety_checks":[]}`,
		callMessage("call_1", "computer", `{"action":{"type":"screenshot"}}`)},
	{"computer_call_output", `{"type":"computer_call_output","call_id":"call_1","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"},"acknowledged_safety_checks":[{"id":"s"}]}`,
		conversation.Message{Role: conversation.Tool, ToolCallID: "call_1", Parts: []conversation.Part{{Type: conversation.ImageB64Part, Data: "AAAA", MediaType: "image/png"}}}},
	{"web_search_call", `{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"go 1.26","sources":[{"type":"url","url":"https://x.test"}]}}`,
		conversation.AssistantText("[web_search_call]\ngo 1.26")},
	{"function_call", `{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\": 1}","namespace":"n"}`,
		callMessage("call_1", "f", `{"a": 1}`)},
	{"function_call that was cut", `{"type":"function_call","call_id":"call_1","name":"f","arguments":"{\"a","status":"incomplete"}`, callMessage("call_1", "f", `{"a`)},
	{"function_call_output", `{"type":"function_call_output","call_id":"call_1","output":"42"}`, conversation.ToolResult("call_1", "42")},
	{"function_call_output with parts", `{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"https://x.test/a.png"},{"type":"input_file","filename":"a.csv","file_data":"AAAA"}]}`,
		conversation.Message{Role: conversation.Tool, ToolCallID: "call_1", Parts: []conversation.Part{text("see"), {Type: conversation.ImagePart, URL: "https://x.test/a.png"}, text("[file: a.csv]")}}},
	{"function_call_output of no call", `{"type":"function_call_output","name":"watch","output":"it rains"}`, conversation.UserText("it rains")},
	{"tool_search_call", `{"type":"tool_search_call","id":"ts_1","execution":"server","arguments":{"q":"x"},"status":"completed"}`, nothing},
	{"tool_search_call of the client", `{"type":"tool_search_call","call_id":"call_1","execution":"client","arguments":{"q":"x"}}`, callMessage("call_1", "tool_search", `{"q":"x"}`)},
	{"tool_search_output", `{"type":"tool_search_output","execution":"server","tools":[]}`, nothing},
	{"tool_search_output of the client", `{"type":"tool_search_output","call_id":"call_1","execution":"client","tools":[{"type":"function","name":"f","parameters":{},"strict":true},{"type":"web_search"}]}`,
		conversation.ToolResult("call_1", "[tools: f, web_search]")},
	{"additional_tools", `{"type":"additional_tools","role":"developer","tools":[{"type":"web_search"}]}`, conversation.SystemText("")},
	{"configuration_update", `{"type":"configuration_update","reasoning":{"effort":"low"}}`, conversation.SystemText("")},
	{"reasoning", `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAAA=="}`, nothing},
	{"compaction", `{"id":"cmp_1","type":"compaction","encrypted_content":"gAAAA=="}`, nothing},
	{"image_generation_call", `{"id":"ig_1","type":"image_generation_call","status":"completed","result":"AAAA","revised_prompt":"a cat"}`, conversation.AssistantText("[image_generation_call]\na cat")},
	{"code_interpreter_call", `{"id":"ci_1","type":"code_interpreter_call","status":"completed","container_id":"cntr_1","code":"print(1)","outputs":[{"type":"logs","logs":"1\n"}]}`,
		conversation.AssistantText("[code_interpreter_call]\nprint(1)\n1\n")},
	{"local_shell_call", `{"id":"lsh_1","type":"local_shell_call","call_id":"call_1","status":"completed","action":{"command":["ls"],"env":{},"type":"exec"}}`,
		callMessage("call_1", "local_shell", `{"command":["ls"],"env":{},"type":"exec"}`)},
	{"local_shell_call_output", `{"type":"local_shell_call_output","id":"call_1","output":"a b"}`, conversation.ToolResult("call_1", "a b")},
	{"shell_call", `{"id":"sh_1","type":"shell_call","call_id":"call_1","status":"completed","action":{"commands":["ls"],"timeout_ms":1000}}`,
		callMessage("call_1", "shell", `{"commands":["ls"],"timeout_ms":1000}`)},
	{"shell_call of the provider", `{"id":"sh_1","type":"shell_call","call_id":"call_1","status":"completed","action":{"commands":["ls"]},"environment":{"type":"container_reference","container_id":"c"}}`,
		conversation.AssistantText("[shell_call]\nls")},
	{"shell_call_output", `{"type":"shell_call_output","call_id":"call_1","output":[{"stdout":"a\n","stderr":"b\n","outcome":{"type":"exit","exit_code":0}},{"stdout":"c\n","stderr":"","outcome":{"type":"exit","exit_code":2}},{"stdout":"","stderr":"","outcome":{"type":"timeout"}}]}`,
		conversation.Message{Role: conversation.Tool, ToolCallID: "call_1", Parts: []conversation.Part{text("a\nb\n"), text("c\n[exit code 2]"), text("[timeout]")}}},
	{"apply_patch_call", `{"type":"apply_patch_call","call_id":"call_1","status":"completed","operation":{"path":"a.go","type":"delete_file"}}`,
		callMessage("call_1", "apply_patch", `{"path":"a.go","type":"delete_file"}`)},
	{"apply_patch_call_output", `{"type":"apply_patch_call_output","call_id":"call_1","status":"failed","output":"no such file"}`,
		conversation.Message{Role: conversation.Tool, ToolCallID: "call_1", IsError: true, Content: "no such file"}},
	{"mcp_list_tools", `{"id":"mcpl_1","type":"mcp_list_tools","server_label":"s","tools":[{"name":"f","input_schema":{"type":"object"}}]}`, nothing},
	{"mcp_approval_request", `{"id":"mcpr_1","type":"mcp_approval_request","server_label":"s","name":"f","arguments":"{}"}`, callMessage("mcpr_1", "f", `{}`)},
	{"mcp_approval_response", `{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":false,"reason":"too dear"}`, conversation.ToolResult("mcpr_1", "denied: too dear")},
	{"mcp_call", `{"id":"mcp_1","type":"mcp_call","server_label":"s","name":"f","arguments":"{\"a\":1}","output":"42","approval_request_id":"mcpr_1"}`,
		conversation.AssistantText("[mcp_call]\ns\nf\n{\"a\":1}\n42")},
	{"custom_tool_call", `{"type":"custom_tool_call","call_id":"call_1","name":"sql","input":"SELECT 1"}`, callMessage("call_1", "sql", `{"input":"SELECT 1"}`)},
	{"custom_tool_call_output", `{"type":"custom_tool_call_output","call_id":"call_1","output":"1"}`, conversation.ToolResult("call_1", "1")},
	{"compaction_trigger", `{"type":"compaction_trigger"}`, conversation.SystemText("")},
	{"item_reference", `{"type":"item_reference","id":"msg_1"}`, nothing},
	{"program", `{"id":"p_1","type":"program","call_id":"call_1","code":"f()","fingerprint":"x"}`, conversation.AssistantText("[program]\nf()")},
	{"program_output", `{"id":"p_2","type":"program_output","call_id":"call_1","result":"42","status":"completed"}`, conversation.AssistantText("[program_output]\n42")},
}

// unknownItems are items that the client does not decode.
var unknownItems = []struct {
	name, raw string
	want      conversation.Message
}{
	{"message without type", `{"role": "user", "content": "hi"}`, conversation.UserText("hi")},
	{"reference without type", `{"id":"msg_1"}`, nothing},
	{"unknown item", `{"type":"hologram","text":"a ghost","data":{"n":12345678901234567890, "x":1.50}}`, conversation.AssistantText("[hologram]\na ghost")},
	{"unknown role", `{"type":"message","role":"critic","content":"meh"}`, conversation.AssistantText("meh")},
	{"unknown members", `{"type":"reasoning","id":"rs_1","summary":[],"later":{"a" : [1, 2]}}`, nothing},
	{"unknown part", `{"role":"user","content":[{"type":"input_smell","smell":"x"}]}`, conversation.UserText("[input_smell]")},
	{"no type at all", `{}`, conversation.AssistantText("[]")},
}

// Raw items are sent back as they came, and those of the client's types as the client
// encodes them. For the kinds see TestTableHasEveryKindOfTheSDK.
func TestItemKindsGoBackAsTheyCame(t *testing.T) {
	for i, k := range slices.Concat(itemKinds, unknownItems) {
		t.Run(k.name, func(t *testing.T) {
			msgs := fromItems(t, k.raw)
			if len(msgs) != 1 || msgs[0].RawProvider != conversation.OpenAIResponses || string(msgs[0].Raw) != k.raw {
				t.Fatalf("the messages are %+v", msgs)
			}
			checkItem(t, msgs[0], k.want, k.raw)
			if i >= len(itemKinds) {
				return
			}
			var p responses.ResponseInputItemUnionParam
			testkit.Must(t, json.Unmarshal([]byte(k.raw), &p))
			if strings.HasPrefix(k.name, "input message") { // the client decodes it as the first type that fits
				p = responses.ResponseInputItemUnionParam{OfInputMessage: new(responses.ResponseInputItemMessageParam)}
				testkit.Must(t, json.Unmarshal([]byte(k.raw), p.OfInputMessage))
			}
			if strings.HasPrefix(k.name, "output message") {
				p = responses.ResponseInputItemUnionParam{OfOutputMessage: new(responses.ResponseOutputMessageParam)}
				testkit.Must(t, json.Unmarshal([]byte(k.raw), p.OfOutputMessage))
			}
			msgs, err := openaimsg.FromItems(p)
			testkit.Must(t, err)
			checkItem(t, msgs[0], k.want, sent(t, p))
		})
	}
}

func checkItem(t *testing.T, m, want conversation.Message, item string) {
	t.Helper()
	if diff := cmp.Diff(want, fields(t, m)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if got := toItems(t, m); len(got) != 1 || got[0] != item {
		t.Errorf("sent %q, want %s", got, item)
	}
}

// The output of one response is one message.
func TestOutputIsOneMessage(t *testing.T) {
	raws := []string{
		`{"id":"rs_1","type":"reasoning","summary":[], "encrypted_content":"gAAAA=="}`,
		`{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}}`,
		`{"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look.","annotations":[]}]}`,
		`{"type":"hologram","x":1}`,
		`{"id":"sh_1","type":"shell_call","call_id":"call_0","action":{"commands":["ls"]}}`,
		`{"id":"sh_2","type":"shell_call_output","call_id":"call_0","output":[{"stdout":"a\n","stderr":"","outcome":{"type":"exit","exit_code":0}}]}`,
		`{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":"{}"}`,
		`{"id":"fc_2","type":"function_call","call_id":"call_2","name":"f","arguments":"{}"}`,
	}
	m, err := openaimsg.FromOutput(output(t, raws...)...)
	testkit.Must(t, err)
	if want := "[" + strings.Join(raws, ",") + "]"; string(m.Raw) != want {
		t.Errorf("Raw is %s", m.Raw)
	}
	if diff := cmp.Diff(raws, toItems(t, m)); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	want := conversation.Message{Role: conversation.Assistant,
		Parts:     []conversation.Part{text("[web_search_call]\nq"), text("I look."), text("[hologram]"), text("[shell_call]\nls"), text("[shell_call_output]\na\n")},
		ToolCalls: []conversation.ToolCall{{ID: "call_1", Name: "f", Arguments: json.RawMessage("{}")}, {ID: "call_2", Name: "f", Arguments: json.RawMessage("{}")}}}
	if diff := cmp.Diff(want, fields(t, m)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestOutputRefuses(t *testing.T) {
	if _, err := openaimsg.FromOutput(); !errors.Is(err, openaimsg.ErrNoContent) {
		t.Errorf("no output: %v", err)
	}
	if _, err := openaimsg.FromOutput(responses.ResponseOutputItemUnion{Type: "message"}); !errors.Is(err, conversation.ErrInvalid) {
		t.Errorf("an item made by hand: %v", err)
	}
}

// Consecutive items of the model are one message; those of the user and results are not.
func TestItemsAreGrouped(t *testing.T) {
	reasoning := `{"type":"reasoning","id":"rs_1","summary":[]}`
	call := `{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"}`
	result := `{"type":"function_call_output","call_id":"call_1","output":"42"}`
	answer := `{"type":"message","role":"assistant","content":"It is 42."}`
	user := `{"role":"user","content":"hi"}`
	hosted := `{"type":"shell_call","call_id":"call_9","action":{"commands":["ls"]},"environment":{"type":"container_reference"}}`
	hostedResult := `{"type":"shell_call_output","call_id":"call_9","output":[]}`
	all := []string{user, reasoning, call, result, reasoning, hosted, hostedResult, answer, user, user}
	msgs := fromItems(t, all...)
	var raws []string
	for _, m := range msgs {
		fields(t, m)
		raws = append(raws, string(m.Raw))
	}
	want := []string{user, "[" + reasoning + "," + call + "]", result, "[" + strings.Join([]string{reasoning, hosted, hostedResult, answer}, ",") + "]", user, user}
	if diff := cmp.Diff(want, raws); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all, toItems(t, msgs...)); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	if problems := conversation.SafeCuts(msgs); !slices.Equal(problems, []int{1, 3, 4, 5}) {
		t.Errorf("the safe cuts are %v", problems)
	}
}

func TestFromItemsRefuses(t *testing.T) {
	for _, raw := range []string{``, `null`, `5`, `[]`, `{`, `"x"`, "{\"role\":\"user\",\"content\":\"\xff\"}"} {
		if msgs, err := openaimsg.FromItems(itemParam(raw)); !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("%q was taken as %+v, %v", raw, msgs, err)
		}
	}
	if _, err := openaimsg.FromItems(responses.ResponseInputItemUnionParam{}); !errors.Is(err, conversation.ErrInvalid) {
		t.Errorf("an empty union: %v", err)
	}
}

func TestRawThatIsNoneIsRefused(t *testing.T) {
	for _, raw := range []string{`5`, `[5]`, `null`, `[`, ``, `"x"`} {
		m := conversation.Message{Role: conversation.User, Raw: json.RawMessage(raw), RawProvider: conversation.OpenAIResponses}
		if _, err := openaimsg.ToItems([]conversation.Message{m}); !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("items of %q: %v", raw, err)
		}
		m.RawProvider = conversation.OpenAIChat
		if _, err := openaimsg.ToChat([]conversation.Message{m}); !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("chat of %q: %v", raw, err)
		}
	}
}

// FuzzItems is like FuzzChat, for an array of items.
func FuzzItems(f *testing.F) {
	all := "["
	for i, k := range slices.Concat(itemKinds, unknownItems) {
		f.Add([]byte("[" + k.raw + "]"))
		if i > 0 {
			all += ","
		}
		all += k.raw
	}
	f.Add([]byte(all + "]"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var raws []json.RawMessage
		if json.Unmarshal(raw, &raws) != nil || bytes.Contains(raw, []byte("created_by")) {
			return // for created_by see TestMembersOfAnswersAreNotSent
		}
		var items []responses.ResponseInputItemUnionParam
		var want []string
		for _, r := range raws {
			items = append(items, itemParam(string(r)))
			want = append(want, string(r))
		}
		msgs, err := openaimsg.FromItems(items...)
		if refused(t, raw, err) {
			return
		}
		for _, m := range msgs {
			fields(t, m)
		}
		if got := toItems(t, msgs...); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		toChat(t, msgs...)
		answers(t, raws, want)
	})
}

// answers reads the items as the output of one response.
func answers(t *testing.T, raws []json.RawMessage, want []string) {
	var out []responses.ResponseOutputItemUnion
	for _, raw := range raws {
		var item responses.ResponseOutputItemUnion
		if json.Unmarshal(raw, &item) != nil {
			return
		}
		out = append(out, item)
	}
	m, err := openaimsg.FromOutput(out...)
	if err != nil {
		return
	}
	fields(t, m)
	if got := toItems(t, m); !slices.Equal(got, want) {
		t.Errorf("the output was sent as %q, want %q", got, want)
	}
}

func refused(t *testing.T, raw []byte, err error) bool {
	t.Helper()
	if err != nil && !errors.Is(err, conversation.ErrInvalid) {
		t.Errorf("%q: the error is of no kind: %v", raw, err)
	}
	return err != nil
}

// onlyAudio reports whether got is want, except for members of the audio besides its id.
func onlyAudio(t *testing.T, got, want string) bool {
	g, ok1 := value(t, got).(map[string]any)
	w, ok2 := value(t, want).(map[string]any)
	if !ok1 || !ok2 {
		return false
	}
	audio, ok := w["audio"].(map[string]any)
	if !ok || audio["id"] == nil && len(audio) < 2 {
		return false
	}
	w["audio"] = map[string]any{"id": audio["id"]}
	return reflect.DeepEqual(g, w)
}
