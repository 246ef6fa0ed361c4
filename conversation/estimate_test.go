package conversation_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func provided(p conversation.Provider, role conversation.Role, format string, args ...any) conversation.Message {
	return conversation.Message{Role: role, RawProvider: p, Raw: fmt.Appendf(nil, format, args...)}
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
	m    conversation.Message
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
	for _, cases := range []map[string]estimated{estimatesOfClaude(pdf), estimatesOfOthers(pdf, words)} {
		for name, c := range cases {
			if n := conversation.EstimateTokens(c.m); n < c.want[0] || n > c.want[1] {
				t.Errorf("%s: %d tokens, want %d to %d", name, n, c.want[0], c.want[1])
			}
		}
	}
}

func estimatesOfClaude(pdf string) map[string]estimated {
	const claude = conversation.Anthropic
	pdfSource := `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + pdf + `"}}`
	pngSource := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pdf + `"}}`
	return map[string]estimated{
		"claude pdf":                {provided(claude, "user", `{"role":"user","content":[%s]}`, pdfSource), tokensOfFile},
		"claude pdf in a result":    {provided(claude, "tool", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[%s]}]}`, pdfSource), tokensOfFile},
		"claude pdf fetched":        {provided(claude, "assistant", `{"role":"assistant","content":[{"type":"web_fetch_tool_result","tool_use_id":"s","content":{"type":"web_fetch_result","url":"u","content":%s}}]}`, pdfSource), tokensOfFile},
		"claude document by URL":    {provided(claude, "user", `{"role":"user","content":[{"type":"document","source":{"type":"url","url":"https://x.test/a.pdf"}}]}`), tokensOfPage},
		"claude document of text":   {provided(claude, "user", `{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"%s"}}]}`, strings.Repeat("plain words of a file ", 1000)), tokensOfProse},
		"claude document of blocks": {provided(claude, "user", `{"role":"user","content":[{"type":"document","source":{"type":"content","content":[%s]}}]}`, pngSource), tokensOfImage},
		"claude image":              {provided(claude, "user", `{"role":"user","content":[%s]}`, pngSource), tokensOfImage},
		"claude compaction":         {provided(claude, "assistant", `{"role":"assistant","content":[{"type":"compaction","content":null,"encrypted_content":"%s"}]}`, pdf), tokensOfSecret},
		"claude redacted thinking":  {provided(claude, "assistant", `{"role":"assistant","content":[{"type":"redacted_thinking","data":"%s"},{"type":"text","text":"a"}]}`, pdf), tokensOfSecret},
		"claude omitted thinking":   {provided(claude, "assistant", `{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"%s"},{"type":"text","text":"a"}]}`, pdf), tokensOfSecret},
	}
}

func estimatesOfOthers(pdf, words string) map[string]estimated {
	const chat, items, gemini = conversation.OpenAIChat, conversation.OpenAIResponses, conversation.Gemini
	return map[string]estimated{
		"chat file":                 {provided(chat, "user", `{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,%s"}}]}`, pdf), tokensOfFile},
		"chat image":                {provided(chat, "user", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}]}`, pdf), tokensOfImage},
		"chat audio":                {provided(chat, "user", `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"%s","format":"mp3"}}]}`, pdf), tokensOfSound},
		"chat reasoning, encrypted": {provided(chat, "assistant", `{"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.encrypted","data":"%s"}]}`, pdf), tokensOfSecret},
		"chat audio heard":          {provided(chat, "assistant", `{"role":"assistant","audio":{"id":"a","data":"%s","transcript":"hello"}}`, pdf), tokensOfSound},

		"file":                      {provided(items, "user", `{"role":"user","content":[{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,%s"}]}`, pdf), tokensOfFile},
		"file without a URL's head": {provided(items, "user", `{"role":"user","content":[{"type":"input_file","file_data":"%s"}]}`, pdf), tokensOfFile},
		"file by URL":               {provided(items, "user", `{"role":"user","content":[{"type":"input_file","file_url":"https://x.test/a.pdf"}]}`), tokensOfPage},
		"file of text":              {provided(items, "user", `{"role":"user","content":[{"type":"input_file","filename":"a.md","file_data":"data:text/markdown;base64,%s"}]}`, words), tokensOfProse},
		"file in an output":         {provided(items, "tool", `{"type":"function_call_output","call_id":"c","output":[{"type":"input_file","filename":"a.pdf","file_data":"%s"}]}`, pdf), tokensOfFile},
		"image in an output":        {provided(items, "tool", `{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,%s"}]}`, pdf), tokensOfImage},
		"screenshot":                {provided(items, "tool", `{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,%s"}}`, pdf), tokensOfImage},
		"image among items":         {provided(items, "assistant", `[{"type":"reasoning","id":"r","summary":[]},{"type":"image_generation_call","id":"i","result":"%s"}]`, pdf), tokensOfImage},
		"image of the interpreter":  {provided(items, "assistant", `{"type":"code_interpreter_call","code":"f()","outputs":[{"type":"image","url":"data:image/png;base64,%s"}]}`, pdf), tokensOfImage},
		"compaction":                {provided(items, "assistant", `{"type":"compaction","id":"cmp_1","encrypted_content":"%s"}`, pdf), tokensOfSecret},
		"annotations and logprobs":  {provided(items, "assistant", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[{"type":"url_citation","title":"%[1]s"}],"logprobs":[{"token":"%[1]s"}]}]}`, words), [2]int{1, 100}},

		"gemini image":        {provided(gemini, "user", `{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"%s"}}]}`, pdf), tokensOfImage},
		"gemini pdf":          {provided(gemini, "user", `{"role":"user","parts":[{"inline_data":{"mime_type":"application/pdf","data":"%s"}}]}`, pdf), tokensOfFile},
		"gemini video by URL": {provided(gemini, "user", `{"role":"user","parts":[{"fileData":{"mimeType":"video/mp4","fileUri":"gs://a"}}]}`), [2]int{50, 2000}},
		"gemini file":         {provided(gemini, "user", `{"role":"user","parts":[{"fileData":{"mimeType":"application/pdf","fileUri":"gs://a"}}]}`), tokensOfPage},
	}
}

func TestTrimCountsFiles(t *testing.T) {
	testkit.SkipInShort(t)
	data := strings.Repeat("QUJD", 100_000)
	made := provided(conversation.OpenAIResponses, conversation.Assistant, `{"type":"image_generation_call","id":"i","result":"%s"}`, data)
	msgs := []conversation.Message{conversation.UserText("a cat"), made, conversation.UserText("thanks")}
	if got := conversation.Trim(msgs, conversation.TrimOptions{KeepTokens: 100_000}); len(got) != 3 {
		t.Errorf("%d messages are kept, want the image among 3", len(got))
	}
	var files []conversation.Message
	for range 10 {
		files = append(files, provided(conversation.Anthropic, conversation.User,
			`{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"%s"}}]}`, data))
	}
	if got := conversation.Trim(files, conversation.TrimOptions{KeepTokens: 200}); len(got) != 1 {
		t.Errorf("%d files are kept in 200 tokens, want the newest message alone", len(got))
	}
}
