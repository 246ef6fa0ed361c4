package anthropicmsg_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The provider accepts what To makes of any conversation of other providers, and
// nothing that was said is missing.
func TestToSendsWhatIsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs, said := drawConversation(t)
		msgs = append(append([]conversation.Message{conversation.UserText("first.")}, msgs...), conversation.UserText("last."))
		_, messages, err := anthropicmsg.To(msgs)
		testkit.Must(t, err)
		text, err := json.Marshal(messages)
		testkit.Must(t, err)
		for _, s := range said {
			if n := strings.Count(string(text), s); n != 1 {
				t.Fatalf("%s is sent %d times: %s", s, n, text)
			}
		}
		// From reads what was sent.
		again, err := anthropicmsg.From(messages...)
		testkit.Must(t, err)
		if problems := conversation.Check(again, conversation.Anthropic); problems != nil {
			t.Fatalf("%v: %s", problems, text)
		}
		_, back, err := anthropicmsg.To(again)
		testkit.Must(t, err)
		if second, _ := json.Marshal(back); string(second) != string(text) {
			t.Fatalf("sent again\n%s\nwas\n%s", second, text)
		}
	})
}

// drawConversation returns the messages of an agent, and each text in them.
func drawConversation(t *rapid.T) (msgs []conversation.Message, said []string) {
	word := func() string {
		if rapid.IntRange(0, 4).Draw(t, "blank") == 0 {
			return rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "empty")
		}
		said = append(said, fmt.Sprintf("word%d.", len(said)))
		return said[len(said)-1]
	}
	content := func(m conversation.Message, images bool) conversation.Message {
		if rapid.Bool().Draw(t, "plain") {
			m.Content = word()
			return m
		}
		m.Parts = []conversation.Part{}
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			if images && rapid.Bool().Draw(t, "image") {
				m.Parts = append(m.Parts, rapid.SampledFrom([]conversation.Part{imageURL, imageB64}).Draw(t, "kind"))
				continue
			}
			m.Parts = append(m.Parts, textPart(word()))
		}
		return m
	}
	for n := range rapid.IntRange(0, 8).Draw(t, "turns") {
		switch rapid.IntRange(0, 3).Draw(t, "turn") {
		case 0:
			msgs = append(msgs, content(conversation.Message{Role: conversation.User}, true))
		case 1:
			msgs = append(msgs, content(conversation.Message{Role: conversation.Assistant}, false))
		case 2:
			msgs = append(msgs, content(conversation.Message{Role: conversation.System}, false))
		case 3:
			m := content(conversation.Message{Role: conversation.Assistant}, false)
			var results []conversation.Message
			for i := range rapid.IntRange(1, 3).Draw(t, "calls") {
				id := fmt.Sprintf(rapid.SampledFrom([]string{"call_%d_%d", "call:%d|%d"}).Draw(t, "id"), n, i)
				said = append(said, fmt.Sprintf("argument%d.", len(said)))
				arguments := fmt.Sprintf(rapid.SampledFrom([]string{`{"a":%q}`, `{"a":%q`, `[%q]`}).Draw(t, "arguments"), said[len(said)-1])
				m.ToolCalls = append(m.ToolCalls, call(id, "f", arguments))
				r := content(conversation.Message{Role: conversation.Tool, ToolCallID: id}, true)
				r.IsError = rapid.Bool().Draw(t, "failed")
				results = append(results, r)
				if rapid.IntRange(0, 3).Draw(t, "between") == 0 {
					results = append(results, content(conversation.Message{Role: conversation.User}, true))
				}
			}
			msgs = append(append(msgs, m), rapid.Permutation(results).Draw(t, "order")...)
		}
	}
	return msgs, said
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

func TestFallbackWithoutAnAnswerIsNoContent(t *testing.T) {
	t.Parallel()
	for _, content := range []string{firstThinks + "," + fallbackBlock, firstCalls + "," + fallbackBlock, fallbackBlock + "," + secondThinks} {
		answer := response(t, "["+content+"]")
		if m, err := anthropicmsg.FromResponse(&answer); !errors.Is(err, anthropicmsg.ErrNoContent) {
			t.Errorf("%s: %+v, %v, want ErrNoContent", content, m, err)
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
		`{"type":"code_execution_tool_result","tool_use_id":"s","content":{"type":"code_execution_result","stdout":"1","stderr":"","return_code":0,"content":[]}}`:                                                               "[code_execution_tool_result]\n1",
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
