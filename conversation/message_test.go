package conversation_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// called returns an assistant message with a call that has the arguments.
func called(arguments string) conversation.Message {
	return conversation.Message{Role: conversation.Assistant, ToolCalls: []conversation.ToolCall{{ID: "1", Name: "f", Arguments: json.RawMessage(arguments)}}}
}

func withRaw(raw string) conversation.Message {
	return conversation.Message{Role: conversation.Assistant, Raw: json.RawMessage(raw), RawProvider: conversation.Anthropic}
}

func parted(role conversation.Role, parts ...conversation.Part) conversation.Message {
	m := conversation.Message{Role: role, Parts: parts}
	if role == conversation.Tool {
		m.ToolCallID = "1"
	}
	return m
}

// The JSON is Flint's, with further members for what Flint does not have.
func TestMessageJSON(t *testing.T) {
	const nul = "\x00"
	text := conversation.Part{Type: conversation.TextPart, Text: "a"}
	for _, c := range []struct {
		message conversation.Message
		want    string
	}{
		{conversation.UserText("hello"), `{"role":"user","content":"hello"}`},
		{conversation.SystemText(""), `{"role":"system","content":""}`},
		{conversation.AssistantText("<a href=\"b\">&amp;</a>"), `{"role":"assistant","content":"<a href=\"b\">&amp;</a>"}`},
		{conversation.UserText("tab\t, " + nul + ", \u2028, 文, 😀"), `{"role":"user","content":"tab\t, \u0000, \u2028, 文, 😀"}`},
		{conversation.ToolResult("call_1", "done"), `{"role":"tool","content":"done","toolCallId":"call_1"}`},
		{conversation.Message{Role: conversation.Tool, Content: "no", ToolCallID: "call_1", IsError: true}, `{"role":"tool","content":"no","toolCallId":"call_1","isError":true}`},
		{parted(conversation.User, text, conversation.Part{Type: conversation.ImagePart, URL: "https://a/b?c&d"}, conversation.Part{Type: conversation.ImageB64Part, Data: "QQ==", MediaType: "image/png"}),
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","url":"https://a/b?c&d"},{"type":"image_b64","data":"QQ==","mediaType":"image/png"}]}`},
		{parted(conversation.Tool, conversation.Part{Type: conversation.TextPart}), `{"role":"tool","content":[{"type":"text","text":""}],"toolCallId":"1"}`},
		{conversation.Message{Role: conversation.User, Parts: []conversation.Part{}}, `{"role":"user","content":[]}`},
		{conversation.Message{Role: conversation.Assistant, Content: "I look.", ToolCalls: []conversation.ToolCall{
			{ID: "1", Name: "f", Arguments: json.RawMessage(`{"path":"a.go","n":1.50}`)}, {ID: "2", Name: "g"}}},
			`{"role":"assistant","content":"I look.","toolCalls":[{"id":"1","name":"f","arguments":{"path":"a.go","n":1.50}},{"id":"2","name":"g"}]}`},
		{withRaw(`{ "a" : "<" }`), `{"role":"assistant","content":"","raw":"{ \"a\" : \"<\" }","rawProvider":"anthropic"}`},
	} {
		got, err := c.message.MarshalJSON()
		if err != nil || string(got) != c.want {
			t.Errorf("the JSON of %+v is\n%s, %v, want\n%s", c.message, got, err, c.want)
			continue
		}
		var back conversation.Message
		if err := json.Unmarshal(got, &back); err != nil {
			t.Errorf("%s is not read: %v", got, err)
		}
		if diff := cmp.Diff(c.message, back); diff != "" {
			t.Errorf("%s comes back changed (-want +got):\n%s", got, diff)
		}
	}
}

// Arguments are a nested value if that can be read again. In a record they always come
// back byte for byte.
func TestArgumentsJSON(t *testing.T) {
	testkit.SkipInShort(t)
	deep := strings.Repeat("[", 9997) + strings.Repeat("]", 9997)
	for arguments, want := range map[string]string{
		`{"a":[1,2.0,1e400,null]}`: `{"a":[1,2.0,1e400,null]}`,
		`{"b":1,"a":2,"a":3}`:      `{"b":1,"a":2,"a":3}`,
		"{ \"a\":\n 1 }\n":         `{"a":1}`,
		`{"a":"<b>&\u003c"}`:       `{"a":"<b>&\u003c"}`,
		"{\"a\":\"\u2028\"}":       "{\"a\":\"\u2028\"}",
		`{"a":"\ud83d\ude00"}`:     `{"a":"\ud83d\ude00"}`,
		`{"path":"a.go","con`:      `"{\"path\":\"a.go\",\"con"`,
		`"a string"`:               `"\"a string\""`,
		`not JSON`:                 `"not JSON"`,
		`{"a":"\ud83d"}`:           `"{\"a\":\"\\ud83d\"}"`, // half a character, which could not be read
		`{"a":1} {"b":2}`:          `"{\"a\":1} {\"b\":2}"`,
		deep:                       `"` + deep + `"`, // too deep for the decoder
	} {
		message := called(arguments)
		got, err := message.MarshalJSON()
		if want := `{"role":"assistant","content":"","toolCalls":[{"id":"1","name":"f","arguments":` + want + `}]}`; err != nil || string(got) != want {
			t.Errorf("arguments %.60q: the JSON is %.200s, %v, want %.200s", arguments, got, err, want)
		}
		var back conversation.Message
		if err := back.UnmarshalJSON(got); err != nil {
			t.Errorf("arguments %.60q: %v", arguments, err)
		} else if again, err := back.MarshalJSON(); err != nil || string(again) != string(got) {
			t.Errorf("arguments %.60q: %.200s becomes %.200s, %v", arguments, got, again, err)
		}
		sameRecord(t, conversation.Record{Kind: conversation.MessageRecord, Message: &message})
	}
}

// sameRecord fails the test unless a record comes back byte for byte, from one line.
func sameRecord(t testing.TB, r conversation.Record) {
	t.Helper()
	line, err := r.MarshalJSON()
	if err != nil {
		t.Errorf("%+v has no JSON: %v", r, err)
		return
	}
	nested, err := json.Marshal(r)
	if err != nil {
		t.Errorf("%+v has no JSON by json.Marshal: %v", r, err)
	}
	for _, text := range [][]byte{line, nested} {
		if strings.ContainsAny(string(text), "\n\r") {
			t.Errorf("%q is more than a line", text)
		}
		var back conversation.Record
		if err := json.Unmarshal(text, &back); err != nil {
			t.Errorf("%.200q is not read: %v", text, err)
		}
		if diff := cmp.Diff(r, back, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%.200q comes back changed (-want +got):\n%s", text, diff)
		}
	}
}

func TestRecordJSON(t *testing.T) {
	user, odd := conversation.UserText("hello"), conversation.Message{
		Role: conversation.Tool, ToolCallID: "a\x00\u2028\U0010FFFF", IsError: true, RawProvider: "provider of another time",
		Parts: []conversation.Part{{Type: conversation.TextPart, Text: "\ufffd\u2029<&>\x7f"}, {Type: conversation.ImageB64Part, Data: "not base64", MediaType: "?"}},
		Raw:   json.RawMessage("{ \"b\" : \"<&>\u2028\\ud800\\u00e9\" ,\n\t\"a\":1.0, \"a\":1 }\r\n"),
	}
	for _, c := range []struct {
		record conversation.Record
		want   string
	}{
		{conversation.Record{Seq: 7, Kind: conversation.MessageRecord, Message: &user}, `{"seq":7,"kind":"message","message":{"role":"user","content":"hello"}}`},
		{conversation.Record{Seq: 9, Kind: conversation.SummaryRecord, Summary: "a\n<b>", Through: 7, Evidence: []string{"x.go", ""}},
			`{"seq":9,"kind":"summary","summary":"a\n<b>","through":7,"evidence":["x.go",""]}`},
		{conversation.Record{Kind: conversation.ClearRecord}, `{"kind":"clear"}`},
		{conversation.Record{Kind: conversation.MessageRecord, Message: &odd}, ""},
		{conversation.Record{Kind: conversation.MessageRecord, Message: &conversation.Message{Role: conversation.User, Parts: []conversation.Part{}}}, ""},
	} {
		sameRecord(t, c.record)
		if got, err := c.record.MarshalJSON(); c.want != "" && string(got) != c.want {
			t.Errorf("the JSON is %s, %v, want %s", got, err, c.want)
		}
	}
	message := `{"role":"user","content":"x"}`
	for _, text := range []string{
		``, `null`, `[]`, `{}`, `{"kind":"message"}`, `{"kind":"message","message":null}`, `{"kind":"message","message":{"role":"bot","content":""}}`,
		`{"kind":"later","message":` + message + `}`, `{"kind":"clear","message":` + message + `}`, `{"kind":"summary","message":` + message + `}`,
		`{"kind":"summary","summary":"` + "\xff" + `"}`, `{"kind":"summary","summary":"\ud800"}`, `{"kind":"summary","summary":5}`, `{"kind":"clear"} {}`,
	} {
		r := conversation.Record{Kind: "before"}
		if err := r.UnmarshalJSON([]byte(text)); !errors.Is(err, conversation.ErrInvalid) || r.Kind != "before" {
			t.Errorf("record %q: error %v and %+v, want ErrInvalid and no change", text, err, r)
		}
	}
	for _, r := range []conversation.Record{
		{}, {Kind: "later"}, {Kind: conversation.MessageRecord}, {Kind: conversation.ClearRecord, Message: &user},
		{Kind: conversation.SummaryRecord, Summary: "\xff"}, {Kind: conversation.SummaryRecord, Evidence: []string{"a", "\xff"}},
		{Kind: conversation.MessageRecord, Message: &conversation.Message{}},
	} {
		if text, err := r.MarshalJSON(); !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("the JSON of %+v is %q, %v, want ErrInvalid", r, text, err)
		}
	}
}

// Messages of Flint and messages with unknown members can be read.
func TestMessageReads(t *testing.T) {
	for text, want := range map[string]conversation.Message{
		`{"role":"assistant","content":null}`:                                                       conversation.AssistantText(""),
		`{"role":"user","content":"\ud83d\ude00 \\ud83d"}`:                                          conversation.UserText(`😀 \ud83d`),
		`{"role":"user","content":"a","later":{"b":[1]},"name":"x"}`:                                conversation.UserText("a"),
		`{"role":"tool","content":"a","toolCallId":"1","isError":false}`:                            conversation.ToolResult("1", "a"),
		`{"role":"user","content":[{"type":"text","text":"a","later":1}]}`:                          parted(conversation.User, conversation.Part{Type: conversation.TextPart, Text: "a"}),
		`{"role":"assistant","content":"","toolCalls":[{"id":"1","name":"f","arguments": [ 1 ] }]}`: called(`[ 1 ]`),
	} {
		var got conversation.Message
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestMessageReadsNot(t *testing.T) {
	for _, text := range []string{
		``, `{`, `[]`, `null`, `"a"`, `{}`, `{"role":"user","content":"a"} x`,
		`{"content":"a"}`, `{"role":"bot","content":"a"}`, `{"role":"","content":"a"}`, `{"role":5,"content":"a"}`,
		`{"role":"user","content":5}`, `{"role":"user","content":{"type":"text","text":"a"}}`, `{"role":"user","content":[5]}`,
		`{"role":"user","content":[{"type":"video"}]}`, `{"role":"user","content":[{"type":"image"}]}`,
		`{"role":"user","content":[{"type":"image_b64","data":"QQ=="}]}`, `{"role":"user","content":[{"type":"text","text":"a","url":"b"}]}`,
		`{"role":"user","content":"` + "\xff" + `"}`, `{"role":"user","content":"\ud800"}`, `{"role":"user","content":"\udc00"}`,
		`{"role":"user","content":"\ud83d\ude00\ude00"}`, `{"role":"user","content":"a","later":"\uDBFF"}`,
		`{"role":"tool","content":"a"}`, `{"role":"user","content":"a","toolCallId":"1"}`, `{"role":"user","content":"a","isError":true}`,
		`{"role":"user","content":"a","toolCalls":[{"id":"1","name":"f"}]}`,
		`{"role":"assistant","content":"","raw":"{}"}`, `{"role":"assistant","content":"","rawProvider":"anthropic"}`,
		`{"role":"assistant","content":"","raw":"{","rawProvider":"anthropic"}`, `{"role":"assistant","content":"","raw":{},"rawProvider":"anthropic"}`,
	} {
		m := conversation.UserText("before")
		if err := m.UnmarshalJSON([]byte(text)); !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("message %q: error %v, want ErrInvalid", text, err)
		}
		if m.Content != "before" {
			t.Errorf("message %q changed what it was read into", text)
		}
	}
}

// What could not be read is not written, and the error says why. For the other rules see
// TestMessageReadsNot.
func TestMessageRules(t *testing.T) {
	text := conversation.Part{Type: conversation.TextPart, Text: "a"}
	const bad = "a\xffb"
	for rule, m := range map[string]conversation.Message{
		"the role is":                     {Role: "developer", Content: "a"},
		"both Content and Parts":          {Role: conversation.User, Content: "a", Parts: []conversation.Part{text}},
		"Raw is not JSON":                 withRaw("{} {}"),
		"part 2: an image has no URL":     parted(conversation.User, text, conversation.Part{Type: conversation.ImagePart}),
		"type text has fields of another": parted(conversation.User, conversation.Part{Type: conversation.TextPart, Text: "a", URL: "b"}),
		"image_b64 has fields of another": parted(conversation.User, conversation.Part{Type: conversation.ImageB64Part, Data: "QQ==", MediaType: "image/png", Text: "a"}),
		"the content is not valid UTF-8":  conversation.UserText(bad),
		"is not valid UTF-8":              withRaw(`"` + bad + `"`),
		"a text is not valid UTF-8":       {Role: conversation.User, Raw: json.RawMessage("{}"), RawProvider: bad},
		"a part is not valid UTF-8":       parted(conversation.User, conversation.Part{Type: conversation.TextPart, Text: bad}),
		"a tool call is not valid UTF-8":  called(bad),
	} {
		got, err := m.MarshalJSON()
		if !errors.Is(err, conversation.ErrInvalid) || !strings.Contains(err.Error(), rule) {
			t.Errorf("%+v: %q, error %v, want ErrInvalid that says %q", m, got, err, rule)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("the error is long: %v", err)
		}
		r := conversation.Record{Kind: conversation.MessageRecord, Message: &m}
		if _, err := r.MarshalJSON(); !errors.Is(err, conversation.ErrInvalid) {
			t.Errorf("%+v: as a record: error %v, want ErrInvalid", m, err)
		}
	}
	long := conversation.Message{Role: conversation.Role(strings.Repeat("文", 1000))}
	if _, err := long.MarshalJSON(); err == nil || len(err.Error()) > 200 || !strings.Contains(err.Error(), "文…") {
		t.Errorf("a long role: %v", err)
	}
}

// A message that was read is written so that it can be read again unchanged.
func FuzzMessageJSON(f *testing.F) {
	for _, text := range []string{
		`{"role":"user","content":"a\ud83d\ude00"}`, `{"role":"user","content":[{"type":"image","url":"a"},{"type":"text","text":""}]}`,
		`{"role":"assistant","content":null,"toolCalls":[{"id":"1","name":"f","arguments":{"a": "\u2028<"}},{"id":"2","name":"g","arguments":"{"}]}`,
		`{"role":"tool","content":"x","toolCallId":"1","isError":true}`, `{"role":"assistant","raw":"{ }","rawProvider":"gemini"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var m, again conversation.Message
		if err := m.UnmarshalJSON(text); err != nil {
			if !errors.Is(err, conversation.ErrInvalid) {
				t.Fatalf("error %v, want ErrInvalid", err)
			}
			return
		}
		one, err := m.MarshalJSON()
		if err != nil {
			t.Fatalf("%q was read, and has no JSON: %v", text, err)
		}
		if err := again.UnmarshalJSON(one); err != nil {
			t.Fatalf("%q was written, and is not read: %v", one, err)
		}
		two, err := again.MarshalJSON()
		if err != nil || string(one) != string(two) {
			t.Fatalf("%q becomes %q, %v", one, two, err)
		}
		for i := range m.ToolCalls { // a value loses its spaces
			m.ToolCalls[i].Arguments, again.ToolCalls[i].Arguments = nil, nil
		}
		if diff := cmp.Diff(m, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q comes back changed:\n%s", text, diff)
		}
		conversation.Transcript([]conversation.Message{m, again})
	})
}

// A record is refused, or comes back byte for byte.
func FuzzRecord(f *testing.F) {
	f.Add("assistant", "a\u2028", []byte(`{"a": "\ud800"}`), []byte("{ }"), "x", "anthropic", int64(1))
	f.Add("tool", "", []byte(nil), []byte("[1,\n2]"), "call_1", "gemini", int64(0))
	f.Add("summary", "text", []byte(`"a"`), []byte(nil), "", "", int64(-5))
	f.Fuzz(func(t *testing.T, role, content string, arguments, raw []byte, id, provider string, seq int64) {
		m := conversation.Message{Role: conversation.Role(role), Content: content, RawProvider: conversation.Provider(provider)}
		if len(raw) > 0 {
			m.Raw = raw
		}
		switch m.Role {
		case conversation.Tool:
			m.ToolCallID, m.IsError = id, seq%2 == 0
		case conversation.Assistant:
			m.ToolCalls = []conversation.ToolCall{{ID: id, Name: content, Arguments: arguments}}
		case conversation.User:
			m.Content, m.Parts = "", []conversation.Part{{Type: conversation.TextPart, Text: content}}
		}
		r := conversation.Record{Seq: seq, Kind: conversation.MessageRecord, Message: &m}
		if role == string(conversation.SummaryRecord) {
			r = conversation.Record{Seq: seq, Kind: conversation.SummaryRecord, Summary: content, Evidence: []string{id, provider, string(raw)}}
		}
		if _, err := r.MarshalJSON(); err != nil {
			if !errors.Is(err, conversation.ErrInvalid) {
				t.Fatalf("error %v, want ErrInvalid", err)
			}
			return
		}
		sameRecord(t, r)
	})
}
