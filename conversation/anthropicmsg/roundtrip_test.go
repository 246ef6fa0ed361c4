package anthropicmsg_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// blockTable has a block of each kind that the provider documents, also in beta, and
// blocks of unknown kinds.
var blockTable = []struct{ name, role, block string }{
	{"text", "user", `{"type":"text","text":"a < b & c > d é \u2028","cache_control":{"type":"ephemeral","ttl":"1h"}}`},
	{"text with citations", "assistant", `{"type":"text","text":"the sky is blue","citations":[
		{"type":"char_location","cited_text":"blue","document_index":0,"document_title":null,"start_char_index":1,"end_char_index":5},
		{"type":"page_location","cited_text":"blue","document_index":0,"document_title":"t","start_page_number":1,"end_page_number":2},
		{"type":"content_block_location","cited_text":"b","document_index":0,"document_title":"t","start_block_index":0,"end_block_index":1},
		{"type":"web_search_result_location","cited_text":"b","encrypted_index":"Eo8B","title":"t","url":"https://example.com"},
		{"type":"search_result_location","cited_text":"b","search_result_index":0,"source":"s","title":"t","start_block_index":0,"end_block_index":1},
		{"type":"location_of_tomorrow","cited_text":"b"}]}`},
	{"image base64", "user", `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}`},
	{"image file", "user", `{"type":"image","source":{"type":"file","file_id":"file_1"},"cache_control":{"type":"ephemeral"}}`},
	{"document pdf", "user", `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="},"title":"T","context":"C","citations":{"enabled":true}}`},
	{"document file", "user", `{"type":"document","source":{"type":"file","file_id":"file_2"}}`},
	{"search result", "user", `{"type":"search_result","source":"https://example.com","title":"T","content":[{"type":"text","text":"found"}],"citations":{"enabled":true}}`},
	{"container upload", "user", `{"type":"container_upload","file_id":"file_3"}`},
	{"thinking", "assistant", `{"type":"thinking","thinking":"let me see","signature":"EqQBCgIYAhIM+/=="}`},
	{"thinking omitted", "assistant", `{"type":"thinking","thinking":"","signature":"EqQBCgIYAhIM"}`},
	{"redacted thinking", "assistant", `{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix"}`},
	{"tool use", "assistant", `{"type":"tool_use","id":"toolu_1","name":"get","input":{"z":1.0,"a":[1e5,123456789012345678901],"b":"<&>"}}`},
	{"tool use of a program", "assistant", `{"type":"tool_use","id":"toolu_2","name":"get","input":{},"caller":{"type":"code_execution_20250825","tool_id":"srvtoolu_1"}}`},
	{"tool result", "user", `{"type":"tool_result","tool_use_id":"toolu_1","content":"text alone"}`},
	{"tool result bare", "user", `{"type":"tool_result","tool_use_id":"toolu_1"}`},
	{"tool result rich", "user", `{"type":"tool_result","tool_use_id":"toolu_1","is_error":false,"cache_control":{"type":"ephemeral"},"content":[
		{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},
		{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"x"}]},
		{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"}},
		{"type":"tool_reference","tool_name":"later"}]}`},
	{"server tool use", "assistant", `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"go"}}`},
	{"web search result", "assistant", `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://go.dev","title":"Go","encrypted_content":"EqgfCioIARgB","page_age":null}]}`},
	{"web fetch result", "assistant", `{"type":"web_fetch_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"web_fetch_result","url":"https://go.dev","content":{"type":"document","source":{"type":"text","media_type":"text/plain","data":"page"},"title":"Go"},"retrieved_at":"2026-01-01T00:00:00Z"}}`},
	{"code execution result", "assistant", `{"type":"code_execution_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"code_execution_result","stdout":"1\n","stderr":"","return_code":0,"content":[{"type":"code_execution_output","file_id":"f"}]}}`},
	{"bash result", "assistant", `{"type":"bash_code_execution_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"bash_code_execution_result","stdout":"ok","stderr":"","return_code":0,"content":[]}}`},
	{"text editor result", "assistant", `{"type":"text_editor_code_execution_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"text_editor_code_execution_view_result","content":"line","file_type":"text","num_lines":1,"start_line":1,"total_lines":1}}`},
	{"tool search result", "assistant", `{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"a"}]}}`},
	{"mcp use", "assistant", `{"type":"mcp_tool_use","id":"mcptoolu_1","name":"echo","server_name":"s","input":{"a":1}}`},
	{"mcp result", "assistant", `{"type":"mcp_tool_result","tool_use_id":"mcptoolu_1","is_error":false,"content":[{"type":"text","text":"hi"}]}`},
	{"advisor result", "assistant", `{"type":"advisor_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"advisor_result","text":"look there","stop_reason":null}}`},
	{"fallback", "assistant", `{"type":"fallback","from":{"model":"a"},"to":{"model":"b"},"trigger":null}`},
	{"mcp tools", "assistant", `{"type":"mcp_tool_listing","mcp_server_name":"s","tools":[{"name":"echo","description":"d","input_schema":{"type":"object"}}]}`},
	{"tool addition", "user", `{"type":"tool_addition","tool":{"type":"tool_reference","name":"a"}}`},
	{"tool removal", "user", `{"type":"tool_removal","tool":{"type":"tool_reference","name":"a"}}`},
	{"compaction", "assistant", `{"type":"compaction","content":"what was said"}`},
	{"unknown", "assistant", `{"type":"hologram","of":{"deep":[1,{"x":null}]},"signature":"abc"}`},
	{"unknown field", "user", `{"type":"text","text":"hi","mood":"good"}`},
	{"no type", "user", `{"beam":true}`},
}

// line puts a block on one line, and changes nothing else.
func line(block string) string {
	return strings.NewReplacer("\n", "", "\t", "").Replace(block)
}

func TestResponseRoundTrips(t *testing.T) {
	var blocks []string
	for _, c := range blockTable {
		if c.role == "assistant" && c.name != "fallback" { // blocks before a fallback are left out
			blocks = append(blocks, line(c.block))
		}
	}
	// The provider writes spaces, and members that requests do not have.
	blocks = append(blocks, `{"type": "text", "text": "a < b",  "citations": null}`, `{"citations":null,"type":"text","text":"c"}`)
	for i := range blocks {
		list := append(slices.Clone(blocks[i:min(i+3, len(blocks))]), blocks[0]) // an answer does not end with thinking
		content := "[" + strings.Join(list, ",") + "]"
		m := response(t, content)
		got, err := anthropicmsg.FromResponse(&m)
		testkit.Must(t, err)
		valid(t, []conversation.Message{got})
		if want := `{"content":` + content + `,"role":"assistant"}`; string(got.Raw) != want {
			t.Errorf("Raw is\n%s\nwant\n%s", got.Raw, want)
		}
		if got, want := sent(t, to(t, got)), sent(t, []anthropic.MessageParam{rawParam(string(got.Raw))}); got != want {
			t.Errorf("sent\n%s\nwant\n%s", got, want)
		}
	}
}

func response(t testing.TB, content string) anthropic.Message {
	t.Helper()
	var m anthropic.Message
	text := `{"id":"msg_1","type":"message","role":"assistant","model":"m","stop_reason":"end_turn","content":` + content + `}`
	testkit.Must(t, json.Unmarshal([]byte(text), &m))
	return m
}

func TestFromRefuses(t *testing.T) {
	for name, p := range map[string]anthropic.MessageParam{
		"zero":             {},
		"no content":       {OfUser: &anthropic.UserMessageParam{}},
		"no role":          rawParam(`{"content":[{"type":"text","text":"a"}]}`),
		"two of the types": {OfUser: anthropic.NewUserMessage(anthropic.NewTextBlock("a")).OfUser, OfAssistant: anthropic.NewAssistantMessage(anthropic.NewTextBlock("b")).OfAssistant},
		"role":             rawParam(`{"role":"tool","content":"a"}`),
		"role of a number": rawParam(`{"role":1,"content":"a"}`),
		"two contents":     rawParam(`{"role":"user","content":"a","content":"b"}`),
		"two roles":        rawParam(`{"role":"user","role":"assistant","content":"a"}`),
		"null":             rawParam(`null`),
		"content null":     rawParam(`{"role":"user","content":null}`),
		"block":            rawParam(`{"role":"user","content":["a"]}`),
		"result of none":   rawParam(`{"role":"user","content":[{"type":"tool_result","content":"a"}]}`),
		"no UTF-8":         rawParam("{\"role\":\"user\",\"content\":\"\xff\"}"),
	} {
		msgs, err := anthropicmsg.From(anthropic.NewUserMessage(anthropic.NewTextBlock("fine")), p)
		if err == nil || msgs != nil {
			t.Errorf("%s: there is %v, want an error", name, msgs)
			continue
		}
		if !strings.Contains(err.Error(), "message 1") {
			t.Errorf("%s: the error is %q, want one that names message 1", name, err)
		}
	}
}

func TestSystemRoundTrips(t *testing.T) {
	texts := []anthropic.TextBlockParam{
		{Text: "You review code."},
		{Text: "Tools: <list>", CacheControl: anthropic.NewCacheControlEphemeralParam()},
	}
	testkit.Must(t, json.Unmarshal([]byte(`{"type":"text","text":"cited","citations":[]}`), &texts[0]))
	msgs, err := anthropicmsg.FromSystem(texts...)
	testkit.Must(t, err)
	valid(t, msgs)
	if got := []string{msgs[0].Content, msgs[1].Content}; !slices.Equal(got, []string{"cited", "Tools: <list>"}) {
		t.Errorf("the texts are %q", got)
	}
	system, messages, err := anthropicmsg.To(append(msgs, conversation.SystemText("Summary of prior conversation: x")))
	if err != nil || messages != nil {
		t.Fatalf("messages %v, %v", messages, err)
	}
	want := append(slices.Clone(texts), anthropic.TextBlockParam{Text: "Summary of prior conversation: x"})
	if diff := cmp.Diff(mustJSON(t, want), mustJSON(t, system)); diff != "" {
		t.Errorf("the system prompt (-want +got):\n%s", diff)
	}
}

func mustJSON(t rapid.TB, v any) string {
	text, err := json.Marshal(v)
	testkit.Must(t, err)
	return string(text)
}

// From refuses any list of messages, or From and then To send the same JSON. The list is
// tried as raw JSON, and as the SDK decodes it.
func FuzzRoundTrip(f *testing.F) {
	for _, c := range blockTable {
		block := line(c.block)
		for _, text := range []string{
			`{"role":"` + c.role + `","content":[` + block + `]}`,
			`{"content":[` + block + `],"role":"` + c.role + `"}`, // the SDK's order
			`{"role":"` + c.role + `","content":[{"type":"text","text":"a"},` + block + `,{"type":"text","text":"b"}]}`,
			`{"since":"2026","role":"` + c.role + `","x":{"y":[1]},"content":[` + block + `,` + block + `],"z":1.50}`,
			" { \"role\" : \"" + c.role + "\" ,\n \"content\" : [ " + block + " , " + block + " ] } ",
		} {
			from(f, rawParam(text)) // is not refused
			f.Add([]byte("[" + text + "]"))
		}
	}
	f.Add([]byte(`[{"role":"user","content":"a"},{"content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"b"},{"type":"tool_result","tool_use_id":"2","content":"c"}],"role":"user","x":[1.0]}]`))
	f.Add([]byte(`[{"role":"assistant","content":[]},{"role":"system","content":"s"},{"rol\u0065":"user","content":"\ud800 \u2028"}]`))
	f.Add([]byte(`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[null]}]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil || !utf8.Valid(text) {
			return
		}
		if bytes.Contains(text, []byte("citations")) && bytes.Contains(text, []byte("file_id")) {
			return // TestMembersOfAnswersAreNotSent
		}
		var asRaw, asTypes []anthropic.MessageParam
		for _, raw := range list {
			asRaw = append(asRaw, rawParam(string(raw)))
			var p anthropic.MessageParam
			if json.Unmarshal(raw, &p) == nil {
				asTypes = append(asTypes, p)
			}
		}
		roundTrip(t, asRaw)
		roundTrip(t, asTypes)
	})
}

func roundTrip(t *testing.T, params []anthropic.MessageParam) {
	msgs, err := anthropicmsg.From(params...)
	if err != nil {
		if msgs != nil {
			t.Fatalf("there are messages beside the error %v", err)
		}
		if _, broken := (anthropic.MessageNewParams{Messages: params}).MarshalJSON(); broken == nil && !errors.Is(err, conversation.ErrInvalid) {
			t.Fatalf("the error is no ErrInvalid: %v", err)
		}
		return
	}
	valid(t, msgs)
	if got, want := sent(t, to(t, msgs...)), sent(t, params); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	for i := range params { // each alone, as an agent appends them
		if got, want := sent(t, to(t, from(t, params[i])...)), sent(t, params[i:i+1]); got != want {
			t.Errorf("message %d alone: sent\n%s\nwant\n%s", i, got, want)
		}
	}
}
