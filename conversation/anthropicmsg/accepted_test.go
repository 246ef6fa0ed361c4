package anthropicmsg_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The provider accepts what To makes of the conversations of any provider, but for ids that
// were used again before. From reads what was sent, and every call has its result.
func TestToSendsWhatIsAccepted(t *testing.T) {
	testkit.SkipInShort(t)
	for _, origin := range []conversation.Provider{conversation.Anthropic, conversation.OpenAIChat, conversation.OpenAIResponses, conversation.Gemini} {
		for seed := range testkit.Pick[uint64](15, 40, 300) {
			msgs := providertest.Conversation(rand.New(rand.NewPCG(seed, 5)), origin, providertest.GenerateOptions{Messages: int(1 + seed%20)})
			_, messages, err := anthropicmsg.To(msgs)
			testkit.Must(t, err)
			text := sent(t, messages)
			again := from(t, messages...)
			for _, p := range conversation.Check(again, conversation.Anthropic) {
				if p.Rule != conversation.RuleDuplicateID || origin == conversation.Anthropic {
					t.Fatalf("%s: %+v: %s", origin, p, text)
				}
			}
			said := ""
			for _, m := range again {
				said += m.Text() + "\n"
			}
			calls, results := 0, 0
			for _, m := range msgs {
				if m.Role != conversation.System && !strings.Contains(said, m.Content) {
					t.Fatalf("%s: %q was not sent: %s", origin, m.Content, text)
				}
				calls, results = calls+len(m.ToolCalls), results+strings.Count(string(m.Role), string(conversation.Tool))
			}
			if strings.Count(text, `"type":"tool_use"`) != calls || strings.Count(text, `"type":"tool_result"`) != results {
				t.Fatalf("%s: sent %s, want %d calls and %d results", origin, text, calls, results)
			}
			if second := sent(t, to(t, again...)); second != text {
				t.Fatalf("%s: sent again\n%s\nwas\n%s", origin, second, text)
			}
		}
	}
}

const (
	fallbackBlock = `{"type":"fallback","from":{"model":"a"},"to":{"model":"b"}}`
	firstThinks   = `{"type":"thinking","thinking":"one","signature":"Eq1"}`
	secondThinks  = `{"type":"thinking","thinking":"two","signature":"Eq2"}`
	firstCalls    = `{"type":"tool_use","id":"toolu_a","name":"f","input":{}}`
	secondCalls   = `{"type":"tool_use","id":"toolu_b","name":"f","input":{}}`
	searches      = `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`
	found         = `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`
)

// What a model did before it declined is not sent back, and needs no result.
func TestWhatADecliningModelDidIsLeftOut(t *testing.T) {
	t.Parallel()
	says := func(text string) string { return `{"type":"text","text":"` + text + `"}` }
	for _, c := range []struct{ in, want []string }{
		{[]string{firstThinks, firstCalls, fallbackBlock, secondThinks, secondCalls}, []string{fallbackBlock, secondThinks, secondCalls}},
		{[]string{firstThinks, fallbackBlock, secondThinks, firstCalls, fallbackBlock, secondCalls}, []string{fallbackBlock, fallbackBlock, secondCalls}},
		{[]string{says("I begin."), firstThinks, fallbackBlock, says("I go on."), secondCalls}, []string{says("I begin."), fallbackBlock, says("I go on."), secondCalls}},
		{[]string{searches, found, fallbackBlock, secondCalls}, []string{searches, found, fallbackBlock, secondCalls}},
		{[]string{searches, fallbackBlock, secondCalls}, []string{fallbackBlock, secondCalls}},
		{[]string{`{"type":"mcp_tool_use","id":"mcptoolu_1","name":"f","server_name":"s","input":{}}`, fallbackBlock, secondCalls}, []string{fallbackBlock, secondCalls}},
		{[]string{`{"type":"redacted_thinking","data":"Eq"}`, fallbackBlock, secondThinks, secondCalls}, []string{fallbackBlock, secondThinks, secondCalls}},
	} {
		answer := response(t, "["+strings.Join(c.in, ",")+"]")
		m, err := anthropicmsg.FromResponse(&answer)
		testkit.Must(t, err)
		want := `[{"content":[` + strings.Join(c.want, ",") + `],"role":"assistant"}]`
		if got := sent(t, to(t, m)); !sameJSON(t, got, want) {
			t.Errorf("sent\n%s\nwant\n%s", got, want)
		}
		again := from(t, rawParam(`{"role":"assistant","content":[`+strings.Join(c.in, ",")+`]}`))
		if got := sent(t, to(t, again...)); !sameJSON(t, got, want) {
			t.Errorf("as a param: sent\n%s\nwant\n%s", got, want)
		}
		msgs := []conversation.Message{conversation.UserText("q"), m, conversation.ToolResult("toolu_b", "ok"), conversation.AssistantText("done"), conversation.UserText("next")}
		if open := conversation.OpenCalls(msgs); len(open) > 0 {
			t.Errorf("open calls %+v", open)
		}
		if problems := conversation.Check(msgs, conversation.Anthropic); problems != nil {
			t.Errorf("problems %v", problems)
		}
		if cuts := conversation.SafeCuts(msgs); len(cuts) != 3 {
			t.Errorf("it may be cut at %v, want three places", cuts)
		}
		if text := conversation.Transcript(msgs); strings.Contains(text, "fallback") || strings.Contains(text, "toolu_a") {
			t.Errorf("the transcript is %s", text)
		}
	}
}

// Other providers and a summariser read that a tool of the provider failed, and no data.
func TestServerToolsAreDescribed(t *testing.T) {
	t.Parallel()
	for block, want := range map[string]string{
		`{"type":"mcp_tool_result","tool_use_id":"m","is_error":true,"content":[{"type":"text","text":"disk full"}]}`:                                                                                                            "[mcp_tool_result]\n[error]\ndisk full",
		`{"type":"mcp_tool_result","tool_use_id":"m","is_error":false,"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}`:                                                           "[mcp_tool_result]\n[image]",
		`{"type":"bash_code_execution_tool_result","tool_use_id":"s","content":{"type":"bash_code_execution_result","stdout":"","stderr":"","return_code":2,"content":[]}}`:                                                      "[bash_code_execution_tool_result]\n[return code 2]",
		`{"type":"code_execution_tool_result","tool_use_id":"s","content":{"type":"code_execution_result","stdout":"<data:image/png;base64,AAAA>","stderr":"` + strings.Repeat("QUJD", 100) + `","return_code":0,"content":[]}}`: "[code_execution_tool_result]\n[data]\n<[image]>",
		`{"type":"server_tool_use","id":"s","name":"code_execution","input":{"code":"show('data:audio/wav;base64,AAAA')"}}`:                                                                                                      "[server_tool_use]\n{\"code\":\"show('[audio]')\"}\ncode_execution",
		`{"type":"web_fetch_tool_result","tool_use_id":"s","content":{"type":"web_fetch_tool_result_error","error_code":"url_not_accessible"}}`:                                                                                  "[web_fetch_tool_result]\nurl_not_accessible",
	} {
		if got := from(t, rawParam(`{"role":"assistant","content":[`+block+`]}`))[0].Content; got != want {
			t.Errorf("%s\nis described as %q\nwant %q", block, got, want)
		}
	}
}

// The SDK says which members only answers have. If a new version adds one, this test
// fails until outputOnly has it.
func TestMembersOfAnswersAreNotSent(t *testing.T) {
	t.Parallel()
	paths := append(
		providertest.OutputOnly(reflect.TypeFor[anthropic.ContentBlockUnion](), reflect.TypeFor[anthropic.ContentBlockParamUnion]()),
		providertest.OutputOnly(reflect.TypeFor[anthropic.BetaContentBlockUnion](), reflect.TypeFor[anthropic.BetaContentBlockParamUnion]())...)
	if !slices.Contains(paths, "text.citations[char_location].file_id") {
		t.Errorf("the paths are %q, want the file of a citation among them", paths)
	}
	for _, path := range paths {
		block := strings.Replace(providertest.Example(path), `{"type":"text",`, `{"type":"text","text":"x",`, 1)
		answer := response(t, `[`+block+`,{"type":"text","text":"end"}]`)
		m, err := anthropicmsg.FromResponse(&answer)
		testkit.Must(t, err)
		if !strings.Contains(string(m.Raw), block) {
			t.Errorf("%s: Raw is %s, want it as the provider sent it", path, m.Raw)
		}
		got := sent(t, to(t, m))
		if !strings.Contains(path, ".") || strings.HasSuffix(path, "]") || strings.Contains(got, "output only") {
			t.Errorf("%s is sent, and no request may have it: %s", path, got)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: sent %s", path, got)
		}
	}
}

// The table of blocks has every kind that the SDK knows, of requests and of answers. If a
// new version adds one, look at what it needs, and add it to the table.
func TestTableHasEveryKindOfTheSDK(t *testing.T) {
	t.Parallel()
	var have []string
	for _, c := range blockTable {
		var b struct{ Type string }
		testkit.Must(t, json.Unmarshal([]byte(c.block), &b))
		have = append(have, b.Type)
	}
	for _, union := range []reflect.Type{
		reflect.TypeFor[anthropic.ContentBlockUnion](), reflect.TypeFor[anthropic.ContentBlockParamUnion](),
		reflect.TypeFor[anthropic.BetaContentBlockUnion](), reflect.TypeFor[anthropic.BetaContentBlockParamUnion](),
	} {
		for _, kind := range providertest.Variants(union) {
			if !slices.Contains(have, kind) {
				t.Errorf("%s has the kind %s, and the table has not", union.Name(), kind)
			}
		}
	}
}
