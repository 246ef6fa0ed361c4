package anthropicmsg_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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
