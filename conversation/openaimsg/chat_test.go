package openaimsg_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var text = func(s string) conversation.Part { return conversation.Part{Type: conversation.TextPart, Text: s} }

// A chatKind is a message of chat completions, with the fields that other providers read.
type chatKind struct {
	name, raw string
	want      conversation.Message
}

// chatKinds has at least one message of each kind.
var chatKinds = []chatKind{
	{"developer", `{"role":"developer","content":"Be terse.","name":"ops"}`, conversation.SystemText("Be terse.")},
	{"system", `{"role": "system", "content": [{"type":"text","text":"A","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"text","text":"B"}]}`,
		conversation.Message{Role: conversation.System, Parts: []conversation.Part{text("A"), text("B")}}},
	{"user", `{"role":"user","content":"hi <b> & \u003c","name":"ann"}`, conversation.UserText("hi <b> & <")},
	{"user parts", `{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"https://x.test/a.png","detail":"low"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}},{"type":"file","file":{"filename":"r.pdf","file_data":"AAAA"}}]}`,
		conversation.Message{Role: conversation.User, Parts: []conversation.Part{text("look"),
			{Type: conversation.ImagePart, URL: "https://x.test/a.png"},
			{Type: conversation.ImageB64Part, Data: "AAAA", MediaType: "image/png"},
			text("[audio]"), text("[file: r.pdf]")}}},
	{"unknown part", `{"role":"user","content":[{"type":"hologram","hologram":{"n":12345678901234567890}}],"later":1.50}`, conversation.UserText("[hologram]")},
	{"assistant", `{"content":"yes","role":"assistant","refusal":null}`, conversation.AssistantText("yes")},
	{"assistant parts", `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"refusal","refusal":"no"}]}`,
		conversation.Message{Role: conversation.Assistant, Parts: []conversation.Part{text("a"), text("no")}}},
	{"refusal", `{"role":"assistant","content":null,"refusal":"I cannot."}`, conversation.AssistantText("I cannot.")},
	{"audio", `{"role":"assistant","audio":{"id":"audio_1"}}`, conversation.AssistantText("[audio]")},
	{"calls", `{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}},{"id":"call_2","type":"custom","custom":{"name":"sql","input":"SELECT 1"}},{"id":"call_3","type":"function","function":{"name":"g","arguments":"{\"cut"}}]}`,
		conversation.Message{Role: conversation.Assistant, ToolCalls: []conversation.ToolCall{
			{ID: "call_1", Name: "f", Arguments: json.RawMessage(`{"a": 1}`)},
			{ID: "call_2", Name: "sql", Arguments: json.RawMessage(`{"input":"SELECT 1"}`)},
			{ID: "call_3", Name: "g", Arguments: json.RawMessage(`{"cut`)}}}},
	{"unknown call", `{"role":"assistant","tool_calls":[{"id":"c","type":"robot","robot":{"arm":1}}],"reasoning_content":"hm"}`,
		conversation.Message{Role: conversation.Assistant, ToolCalls: []conversation.ToolCall{{ID: "c", Name: "robot", Arguments: json.RawMessage(`{"arm":1}`)}}}},
	{"function_call", `{"role":"assistant","content":"","function_call":{"name":"f","arguments":"{}"}}`,
		conversation.Message{Role: conversation.Assistant, ToolCalls: []conversation.ToolCall{{ID: "function_f", Name: "f", Arguments: json.RawMessage(`{}`)}}}},
	{"tool", `{"role":"tool","content":"42","tool_call_id":"call_1"}`, conversation.ToolResult("call_1", "42")},
	{"tool parts", `{"role":"tool","content":[{"type":"text","text":"4"},{"type":"text","text":"2"}],"tool_call_id":"call_1"}`,
		conversation.Message{Role: conversation.Tool, ToolCallID: "call_1", Parts: []conversation.Part{text("4"), text("2")}}},
	{"function", `{"role":"function","name":"f","content":"42"}`, conversation.ToolResult("function_f", "42")},
	{"function without content", `{"role":"function","name":"f","content":null}`, conversation.ToolResult("function_f", "")},
}

// Raw messages and answers are sent back as they came, and those of the client's types as
// the client encodes them.
func TestChatKindsGoBackAsTheyCame(t *testing.T) {
	for _, k := range chatKinds {
		check := func(what string, m conversation.Message, want string) {
			if diff := cmp.Diff(k.want, fields(t, m)); diff != "" {
				t.Errorf("%s, %s: fields (-want +got):\n%s", k.name, what, diff)
			}
			if got := toChat(t, m); len(got) != 1 || got[0] != want {
				t.Errorf("%s, %s: sent %q, want %s", k.name, what, got, want)
			}
		}
		m := fromChat(t, k.raw)[0]
		if m.RawProvider != conversation.OpenAIChat || string(m.Raw) != k.raw {
			t.Errorf("%s: Raw is %s of %s", k.name, m.Raw, m.RawProvider)
		}
		check("raw", m, k.raw)

		var p openai.ChatCompletionMessageParamUnion
		testkit.Must(t, json.Unmarshal([]byte(k.raw), &p))
		msgs, err := openaimsg.FromChat(p)
		testkit.Must(t, err)
		check("typed", msgs[0], sent(t, p))

		if k.want.Role == conversation.Assistant {
			var answer openai.ChatCompletionMessage
			testkit.Must(t, json.Unmarshal([]byte(k.raw), &answer))
			m, err := openaimsg.FromChatMessage(answer)
			testkit.Must(t, err)
			check("answer", m, k.raw)
		}
	}
}

// The API accepts only the id of an audio. Raw keeps all of it.
func TestAudioGoesBackByItsID(t *testing.T) {
	raw := `{"role":"assistant", "x": "\"audio\":", "audio" : {"data":"AAAA","id":"audio_1","expires_at":1,"transcript":"hello"} ,"content":null}`
	m := fromChat(t, raw)[0]
	if m.Content != "hello" || string(m.Raw) != raw {
		t.Errorf("the message is %+v", m)
	}
	want := `{"role":"assistant", "x": "\"audio\":", "audio" : {"id":"audio_1"} ,"content":null}`
	if got := toChat(t, m)[0]; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

// An answer that was accumulated from a stream has no JSON of its own.
func TestAnswerOfAStream(t *testing.T) {
	var acc openai.ChatCompletionAccumulator
	for _, raw := range []string{
		`{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"I "}}]}`,
		`{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"look <&>"}}]}`,
		`{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\""}}]}}]}`,
		`{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}`,
		`{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
	} {
		var chunk openai.ChatCompletionChunk
		testkit.Must(t, json.Unmarshal([]byte(raw), &chunk))
		if !acc.AddChunk(chunk) {
			t.Fatalf("the client did not take %s", raw)
		}
	}
	m, err := openaimsg.FromChatMessage(acc.Choices[0].Message)
	testkit.Must(t, err)
	want := conversation.Message{Role: conversation.Assistant, Content: "I look <&>",
		ToolCalls: []conversation.ToolCall{{ID: "call_1", Name: "f", Arguments: json.RawMessage(`{"a":1}`)}}}
	if diff := cmp.Diff(want, fields(t, m)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	sameJSON(t, "sent", toChat(t, m)[0], `{"role":"assistant","content":"I look <&>","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`)
}

// Some servers send calls without ids. Each is given its own, in what is sent too.
func TestCallsWithoutIDsAreGivenTheirOwn(t *testing.T) {
	t.Parallel()
	const raw = `{"role":"assistant", "content":null,"tool_calls":[{"id":"","type":"function","function":{"name":"weather","arguments":"{}"}},` +
		`{"type":"function","function":{"name":"weather","arguments":"{}"}},{"id":null,"type":"custom","custom":{"name":"sql","input":"x"}},` +
		`{"id":"call_own","type":"function","function":{"name":"weather","arguments":"{}"}}]}`
	var answer openai.ChatCompletionMessage
	testkit.Must(t, json.Unmarshal([]byte(raw), &answer))
	var msgs []conversation.Message
	seen := map[string]bool{}
	for range 2 { // turns
		m, err := openaimsg.FromChatMessage(answer)
		testkit.Must(t, err)
		m.ToolCalls[3].ID = "call_own" // unchanged
		msgs = append(msgs, conversation.UserText("q"), m)
		for _, c := range m.ToolCalls[:3] {
			if c.ID == "" || len(c.ID) > 40 || seen[c.ID] {
				t.Errorf("the id %q is empty, too long, or not the call's own", c.ID)
			}
			seen[c.ID] = true
			msgs = append(msgs, conversation.ToolResult(c.ID, "ok"))
		}
		msgs = append(msgs, conversation.ToolResult("call_own", "ok"))
	}
	if open := conversation.OpenCalls(msgs); len(open) > 0 {
		t.Errorf("open calls %+v", open)
	}
	if problems := conversation.Check(msgs, conversation.OpenAIChat); problems != nil {
		t.Errorf("problems %v", problems)
	}
	sent := toChat(t, msgs...)
	for _, c := range msgs[1].ToolCalls[:3] {
		if got, want := strings.Count(strings.Join(sent, ""), c.ID), 2; got != want {
			t.Errorf("the id %s is sent %d times, want %d: %q", c.ID, got, want, sent)
		}
	}
}

// In a list, a result without an id answers the first call without one.
func TestResultsWithoutIDsFindTheirCalls(t *testing.T) {
	t.Parallel()
	msgs := fromChat(t,
		`{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"a","arguments":"{}"}},{"id":"","type":"function","function":{"name":"b","arguments":"{}"}},{"id":"","type":"function","function":{"name":"a","arguments":"{}"}}]}`,
		`{"role":"tool","name":"b","content":"1"}`, `{"role":"tool","tool_call_id":"","content":"2"}`, `{"role":"tool","tool_call_id":null,"name":"a","content":"3"}`)
	calls := msgs[0].ToolCalls
	if got, want := []string{msgs[1].ToolCallID, msgs[2].ToolCallID, msgs[3].ToolCallID}, []string{calls[1].ID, calls[0].ID, calls[2].ID}; !slices.Equal(got, want) {
		t.Errorf("the results answer %q, want %q", got, want)
	}
	if problems := conversation.Check(msgs, conversation.OpenAIChat); problems != nil {
		t.Errorf("problems %v", problems)
	}
}

func TestFromChatRefuses(t *testing.T) {
	for _, raw := range []string{
		``, `null`, `5`, `"x"`, `[]`, `{`, `{} {}`, `{}`, `{"role":"martian","content":"x"}`, `{"role":5}`, `{"Role":"user"}`,
		`{"role":"tool","content":"42"}`, `{"role":"tool","tool_call_id":7,"content":"42"}`, `{"role":"function","content":"42"}`,
		"{\"role\":\"user\",\"content\":\"\xff\"}",
	} {
		if msgs, err := openaimsg.FromChat(chatParam(`{"role":"user","content":"x"}`), chatParam(raw)); !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("%q was taken as %+v, %v", raw, msgs, err)
		}
	}
	if _, err := openaimsg.FromChat(openai.ChatCompletionMessageParamUnion{}); !errors.Is(err, conversation.ErrInvalid) {
		t.Errorf("an empty union: %v", err)
	}
	if _, err := openaimsg.FromChat(openai.ChatCompletionMessageParamUnion{
		OfUser: &openai.ChatCompletionUserMessageParam{}, OfSystem: &openai.ChatCompletionSystemMessageParam{},
	}); !errors.Is(err, conversation.ErrInvalid) {
		t.Errorf("two variants: %v", err)
	}
	var user openai.ChatCompletionMessage
	testkit.Must(t, json.Unmarshal([]byte(`{"role":"user","content":"x"}`), &user))
	if _, err := openaimsg.FromChatMessage(user); !errors.Is(err, conversation.ErrInvalid) {
		t.Errorf("an answer of the user: %v", err)
	}
}

// FuzzChat checks that a message that is accepted is sent back the same, can be stored,
// and can be sent to the other API.
func FuzzChat(f *testing.F) {
	for _, k := range chatKinds {
		f.Add([]byte(k.raw))
	}
	f.Add([]byte(`{"role":"assistant","audio":{"id":"a","data":"AAAA"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		msgs, err := openaimsg.FromChat(chatParam(string(raw)))
		if refused(t, raw, err) {
			return
		}
		if len(msgs) != 1 {
			t.Fatalf("%d messages", len(msgs))
		}
		m := msgs[0]
		fields(t, m)
		got := toChat(t, msgs...)[0]
		if bytes.Contains(raw, []byte("annotations")) {
			return // TestMembersOfAnswersAreNotSent
		}
		if want := string(m.Raw); got != want && !onlyAudio(t, got, want) {
			t.Errorf("sent %s, want %s", got, want)
		}
		toItems(t, msgs...)
		if !bytes.Equal(m.Raw, raw) {
			return // a call without an id was given one
		}
		// The client's decoder may drop members. Then From does not have them either.
		var p openai.ChatCompletionMessageParamUnion
		if json.Unmarshal(raw, &p) != nil {
			return
		}
		typed, err := openaimsg.FromChat(p)
		if err == nil {
			if again := toChat(t, typed...)[0]; again != sent(t, p) {
				t.Errorf("sent %s, want %s", again, sent(t, p))
			}
		}
	})
}
