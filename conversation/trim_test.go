package conversation_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func providerMessage(p Provider, role Role, format string, args ...any) Message {
	return Message{Role: role, Raw: fmt.Appendf(nil, format, args...), RawProvider: p}
}

func TestSafeCuts(t *testing.T) {
	u, a := UserText("u"), AssistantText("a")
	item := func(text string) Message { return providerMessage(OpenAIResponses, Assistant, "%s", text) }
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
		"reasoning in one with its call": {[]Message{u, item(`[{"type":"reasoning"},{"type":"function_call","call_id":"x","id":"f"}]`), result(`{"type":"function_call_output","call_id":"x"}`), u}, []int{1, 3}},
		"reasoning, two calls":           {[]Message{u, item(`{"type":"reasoning"}`), call("x"), call("y"), ToolResult("x", ""), ToolResult("y", ""), u}, []int{1, 6}},
		"reasoning of nothing":           {[]Message{u, item(`{"type":"reasoning"}`), u, a}, []int{1, 2, 3}},
		"a computer call":                {[]Message{item(`{"type":"computer_call","id":"i","call_id":"c"}`), providerMessage(OpenAIResponses, User, `{"type":"computer_call_output","call_id":"c"}`), u}, []int{2}},
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
	compacted := call("1")
	compacted.RawProvider = OpenAIResponses
	compacted.Raw = []byte(`[{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAA"},{"type":"function_call","call_id":"1","name":"tool","arguments":"{}"}]`)
	for name, c := range map[string]struct {
		msgs []Message
		o    TrimOptions
		want string
	}{
		"nothing":                      {nil, TrimOptions{KeepLast: 1}, ""},
		"all":                          {tools, TrimOptions{}, "x a (1) =1 (2) =2 b"},
		"negative is no bound":         {tools, TrimOptions{KeepLast: -1, KeepTokens: -1}, "x a (1) =1 (2) =2 b"},
		"the question stays":           {tools, TrimOptions{KeepLast: 1}, "x a b"},
		"a unit is whole":              {tools, TrimOptions{KeepLast: 2}, "x a (2) =2 b"},
		"back to the user":             {[]Message{u("a"), a("b"), u("c"), a("d"), u("e")}, TrimOptions{KeepLast: 2}, "c d e"},
		"nobody asked":                 {[]Message{a("a"), a("b")}, TrimOptions{KeepLast: 1}, "b"},
		"the unit of a compaction":     {[]Message{u("a"), compacted, ToolResult("1", ""), a("b"), u("c"), a("d")}, TrimOptions{KeepLast: 2}, "a (1) =1 b c d"},
		"system messages alone":        {[]Message{sys("x"), sys("y")}, TrimOptions{KeepLast: 1}, "x y"},
		"an open call":                 {[]Message{u("a"), a("b"), u("c"), call("1"), u("d"), u("e")}, TrimOptions{KeepLast: 1}, "c (1) d e"},
		"tokens":                       {[]Message{u("aaa"), a("bbb"), u("ccc"), a("ddd")}, TrimOptions{KeepTokens: 7, CountTokens: length}, "ccc ddd"},
		"tokens, back to the user":     {[]Message{u("aaa"), a("bbb"), u("ccc"), a("ddd")}, TrimOptions{KeepTokens: 9, CountTokens: length}, "aaa bbb ccc ddd"},
		"both: the shorter end":        {[]Message{u("aaa"), u("bbb"), u("ccc"), u("ddd")}, TrimOptions{KeepLast: 3, KeepTokens: 6, CountTokens: length}, "ccc ddd"},
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

// compactions are messages in which a provider carries what came before.
var compactions = map[string]Message{
	"of OpenAI":               providerMessage(OpenAIResponses, Assistant, `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAA"}`),
	"of OpenAI among items":   providerMessage(OpenAIResponses, Assistant, `[{"type":"compaction","id":"cmp_1","encrypted_content":"gAAAA"},{"type":"message","role":"assistant","content":"hi"}]`),
	"of Anthropic":            providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"compaction","content":"what was said"},{"type":"text","text":"hi"}]}`),
	"of Anthropic, encrypted": providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"compaction","content":null,"encrypted_content":"gAAAA"}]}`),
}

// noCompactions look like them.
var noCompactions = map[string]Message{
	"failed":     providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"compaction","content":null},{"type":"text","text":"hi"}]}`),
	"a text":     providerMessage(Anthropic, Assistant, `{"role":"assistant","content":[{"type":"text","text":"compaction"}]}`),
	"not a Raw":  AssistantText("compaction"),
	"of a tool":  providerMessage(OpenAIResponses, Assistant, `{"type":"message","role":"assistant","content":"compaction"}`),
	"a trigger":  providerMessage(OpenAIResponses, System, `{"type":"compaction_trigger"}`),
	"of nothing": providerMessage(OpenAIResponses, Assistant, `{"type":"compaction","id":"cmp_1","encrypted_content":""}`),
}

func roundAbout(m Message) []Message {
	return []Message{SystemText("Be terse."), UserText("q0"), AssistantText("a0"), UserText("q"), m,
		UserText("q1"), AssistantText("a1"), UserText("q2"), AssistantText("a2")}
}

// The newest compaction is kept, and what follows.
func TestTrimKeepsTheNewestCompaction(t *testing.T) {
	t.Parallel()
	for name, m := range compactions {
		for _, o := range []TrimOptions{{KeepLast: 2}, {KeepTokens: 20}, {KeepLast: 1, KeepTokens: 1}} {
			got := Trim(roundAbout(m), o)
			if len(got) != 7 || string(got[2].Raw) != string(m.Raw) || got[1].Content != "q" {
				t.Errorf("%s, %+v: kept %s", name, o, texts(got))
			}
		}
		twice := append(roundAbout(m), roundAbout(m)[1:]...)
		if got := Trim(twice, TrimOptions{KeepLast: 2}); len(got) != 7 {
			t.Errorf("%s twice: kept %d messages, want those from the newest on", name, len(got))
		}
	}
	for name, m := range noCompactions {
		if got := Trim(roundAbout(m), TrimOptions{KeepLast: 2}); len(got) != 3 {
			t.Errorf("%s: kept %s, want the last question and answer", name, texts(got))
		}
	}
}

// A summary replaces what came before the newest compaction, and nothing after it.
func TestSummaryKeepsTheNewestCompaction(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, m := range compactions {
		var summarized []string
		memory, err := New(Options{SummarizeAt: 6, KeepLast: 2, OnError: func(err error) { t.Error(err) },
			Summarize: func(_ context.Context, r Request) (string, error) {
				summarized = append(summarized, Transcript(r.Messages))
				return "short", nil
			}})
		testkit.Must(t, err)
		for _, m := range roundAbout(m) {
			testkit.Must(t, memory.Append(ctx, m))
		}
		found := false
		for _, kept := range memory.Messages() {
			found = found || string(kept.Raw) == string(m.Raw)
		}
		if !found || strings.Contains(strings.Join(summarized, ""), "q1") {
			t.Errorf("%s: kept %s, summarised %q", name, texts(memory.Messages()), summarized)
		}
	}
}

// The tokens that each kind has, from and to.
var (
	tokensOfImage  = [2]int{1000, 2500}
	tokensOfFile   = [2]int{10_000, 30_000}
	tokensOfPage   = [2]int{1500, 4000}
	tokensOfProse  = [2]int{4000, 9000}
	tokensOfSecret = [2]int{50_000, 110_000}
	tokensOfSound  = [2]int{200, 2000}
)

type estimated struct {
	m    Message
	want [2]int
}

// What is not text counts by kind and size, wherever it stands.
func TestEstimateOfWhatIsNotText(t *testing.T) {
	testkit.SkipInShort(t)
	random := make([]byte, 300_000)
	for i := range random {
		random[i] = byte(i * i >> 3)
	}
	pdf := base64.StdEncoding.EncodeToString(append([]byte("%PDF-1.7\n"), random...)) // 400 kB
	words := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("plain words of a file ", 1000)))
	for name, c := range estimates(pdf, words) {
		if n := EstimateTokens(c.m); n < c.want[0] || n > c.want[1] {
			t.Errorf("%s: %d tokens, want %d to %d", name, n, c.want[0], c.want[1])
		}
	}
}

func estimates(pdf, words string) map[string]estimated {
	const claude, chat, items, gemini = Anthropic, OpenAIChat, OpenAIResponses, Gemini
	pdfSource := `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + pdf + `"}}`
	pngSource := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pdf + `"}}`
	return map[string]estimated{
		"claude pdf":                {providerMessage(claude, "user", `{"role":"user","content":[%s]}`, pdfSource), tokensOfFile},
		"claude pdf fetched":        {providerMessage(claude, "assistant", `{"role":"assistant","content":[{"type":"web_fetch_tool_result","tool_use_id":"s","content":{"type":"web_fetch_result","url":"u","content":%s}}]}`, pdfSource), tokensOfFile},
		"claude document by URL":    {providerMessage(claude, "user", `{"role":"user","content":[{"type":"document","source":{"type":"url","url":"https://x.test/a.pdf"}}]}`), tokensOfPage},
		"claude document of text":   {providerMessage(claude, "user", `{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"%s"}}]}`, strings.Repeat("plain words of a file ", 1000)), tokensOfProse},
		"claude document of blocks": {providerMessage(claude, "user", `{"role":"user","content":[{"type":"document","source":{"type":"content","content":[%s]}}]}`, pngSource), tokensOfImage},
		"claude compaction":         {providerMessage(claude, "assistant", `{"role":"assistant","content":[{"type":"compaction","content":null,"encrypted_content":"%s"}]}`, pdf), tokensOfSecret},
		"claude omitted thinking":   {providerMessage(claude, "assistant", `{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"%s"},{"type":"text","text":"a"}]}`, pdf), tokensOfSecret},

		"chat file":                 {providerMessage(chat, "user", `{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,%s"}}]}`, pdf), tokensOfFile},
		"chat audio":                {providerMessage(chat, "user", `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"%s","format":"mp3"}}]}`, pdf), tokensOfSound},
		"chat reasoning, encrypted": {providerMessage(chat, "assistant", `{"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.encrypted","data":"%s"}]}`, pdf), tokensOfSecret},
		"chat audio heard":          {providerMessage(chat, "assistant", `{"role":"assistant","audio":{"id":"a","data":"%s","transcript":"hello"}}`, pdf), tokensOfSound},

		"file":                     {providerMessage(items, "user", `{"role":"user","content":[{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,%s"}]}`, pdf), tokensOfFile},
		"file by URL":              {providerMessage(items, "user", `{"role":"user","content":[{"type":"input_file","file_url":"https://x.test/a.pdf"}]}`), tokensOfPage},
		"file of text":             {providerMessage(items, "user", `{"role":"user","content":[{"type":"input_file","filename":"a.md","file_data":"data:text/markdown;base64,%s"}]}`, words), tokensOfProse},
		"screenshot":               {providerMessage(items, "tool", `{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,%s"}}`, pdf), tokensOfImage},
		"image among items":        {providerMessage(items, "assistant", `[{"type":"reasoning","id":"r","summary":[]},{"type":"image_generation_call","id":"i","result":"%s"}]`, pdf), tokensOfImage},
		"compaction":               {providerMessage(items, "assistant", `{"type":"compaction","id":"cmp_1","encrypted_content":"%s"}`, pdf), tokensOfSecret},
		"annotations and logprobs": {providerMessage(items, "assistant", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[{"type":"url_citation","title":"%[1]s"}],"logprobs":[{"token":"%[1]s"}]}]}`, words), [2]int{1, 100}},

		"gemini pdf":          {providerMessage(gemini, "user", `{"role":"user","parts":[{"inline_data":{"mime_type":"application/pdf","data":"%s"}}]}`, pdf), tokensOfFile},
		"gemini video by URL": {providerMessage(gemini, "user", `{"role":"user","parts":[{"fileData":{"mimeType":"video/mp4","fileUri":"gs://a"}}]}`), [2]int{50, 2000}},
	}
}
