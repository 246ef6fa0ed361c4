package conversation

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// What is not text, as the providers document it. The sizes are of the decoded bytes.
const (
	messageTokens = 4 // the form of a message, around its text

	// platform.claude.com/docs/en/build-with-claude/vision: an image is scaled down to
	// about 1,600 tokens. developers.openai.com/api/docs/guides/images-vision: to 1,536
	// patches.
	imageTokens = 1600

	// platform.claude.com/docs/en/build-with-claude/pdf-support: a page has 1,500 to
	// 3,000 tokens, and a request has 600 pages at most.
	// developers.openai.com/api/docs/guides/file-inputs: text and image of each page.
	// A page is taken to have 50 kB.
	pageTokens = 3000
	pageBytes  = 50_000
	mostPages  = 600

	// platform.openai.com/docs/guides/realtime-costs: a token is 50 ms to 100 ms of
	// audio. ai.google.dev/gemini-api/docs/tokens: a second has 32 tokens of audio, or
	// 263 of video. With 16 kB a second of audio, a token has 500 bytes to 1,600 bytes.
	soundBytes = 500

	// Encrypted reasoning, compactions and search results are text. A token of text has
	// about 4 bytes.
	secretBytes = 4
)

// EstimateTokens returns about how many tokens a message has. It is rather too high than
// too low. It is the default of the CountTokens options.
//
// What is not text counts by its kind, wherever it stands in the message. An image has
// 1,600 tokens. A file that is not text, such as a PDF, has 3,000 for each 50 kB or part
// of it, and at most 600 times as many. A file that is given by its id or URL counts as
// one of 50 kB. A second of sound has about 32 tokens. What is encrypted counts as text of
// its size.
func EstimateTokens(m Message) int {
	n := messageTokens + tokens.Estimate(m.Content)
	for _, p := range m.Parts {
		switch p.Type {
		case TextPart:
			n += tokens.Estimate(p.Text)
		default:
			n += imageTokens
		}
	}
	for _, c := range m.ToolCalls {
		n += messageTokens + tokens.Estimate(c.Name) + tokens.EstimateBytes(c.Arguments)
	}
	if m.Raw == nil {
		return n
	}
	var v any
	if json.Unmarshal(m.Raw, &v) != nil {
		return max(n, messageTokens+tokens.EstimateBytes(m.Raw))
	}
	return max(n, messageTokens+valueTokens(v))
}

// valueTokens returns the tokens of the texts in a provider's form of a message, and of
// what is not text. Ids and settings do not count.
func valueTokens(v any) int {
	n := 0
	switch v := v.(type) {
	case string:
		return tokens.Estimate(v)
	case []any:
		for _, e := range v {
			n += valueTokens(e)
		}
	case map[string]any:
		if n, ok := mediaTokens(v); ok {
			return n
		}
		for key, e := range v {
			n += memberTokens(v, key, e)
		}
	}
	return n
}

// memberTokens returns the tokens of a member of an object.
func memberTokens(o map[string]any, key string, value any) int {
	text, _ := value.(string)
	switch key {
	case "type", "role", "id", "call_id", "tool_use_id", "file_id", "container_id", "media_type", "cache_control",
		"status",
		"annotations", "citations", "logprobs", "created_by", "fingerprint":
		return 0
	case "encrypted_content", "encrypted_stdout":
		return secretTokens(text)
	case "signature", "thoughtSignature", "thought_signature":
		if said, ok := o["thinking"].(string); ok && said != "" {
			return 0 // the text of the reasoning is there
		}
		return secretTokens(text)
	case "audio", "input_audio":
		if sound, ok := value.(map[string]any); ok {
			said, _ := sound["transcript"].(string)
			return dataTokens("audio/", sound["data"]) + tokens.Estimate(said)
		}
	case "result":
		if o["type"] == "image_generation_call" {
			return imageTokens
		}
	case "url": // of a video or a sound for servers that are compatible with OpenAI
		if strings.HasPrefix(text, "data:") {
			return dataTokens("", text)
		}
	case "data":
		if o["type"] == "redacted_thinking" || o["type"] == "reasoning.encrypted" { // of OpenRouter
			return secretTokens(text)
		}
	}
	return valueTokens(value)
}

// mediaTokens returns the tokens of an object that is an image, a file or a sound.
func mediaTokens(o map[string]any) (n int, ok bool) {
	text := func(name string) string { s, _ := o[name].(string); return s }
	switch text("type") {
	case "image", "input_image", "image_url", "computer_screenshot":
		return imageTokens, true
	case "input_file":
		return dataTokens("", o["file_data"]), true
	case "file": // of chat completions; a source of Anthropic has no file in it
		file, _ := o["file"].(map[string]any)
		return dataTokens("", file["file_data"]), true
	case "base64": // the source of a document
		return dataTokens(text("media_type"), o["data"]), true
	case "document":
		if source, _ := o["source"].(map[string]any); source["type"] == "url" {
			return pageTokens + tokens.Estimate(text("title")) + tokens.Estimate(text("context")), true
		}
	}
	for _, name := range []string{"inlineData", "inline_data", "fileData", "file_data"} { // of Gemini
		if blob, ok := o[name].(map[string]any); ok {
			media, ok := blob["mimeType"].(string)
			if !ok {
				media, _ = blob["mime_type"].(string)
			}
			return dataTokens(media, blob["data"]), true
		}
	}
	return 0, false
}

// dataTokens returns the tokens of data in base64, which may be a data URL. If the data is
// not in the message, it counts as one page.
func dataTokens(media string, value any) int {
	text, _ := value.(string)
	if head, rest, ok := strings.Cut(text, ","); ok && strings.HasPrefix(head, "data:") {
		media, text = strings.TrimPrefix(head, "data:"), rest
	}
	size := base64.StdEncoding.DecodedLen(len(text))
	if text == "" {
		size = pageBytes - 1
	}
	switch kind, _, _ := strings.Cut(media, "/"); {
	case kind == "image":
		return imageTokens
	case kind == "audio" || kind == "video":
		return size/soundBytes + 1
	}
	if data, err := base64.StdEncoding.DecodeString(text); err == nil && isText(data) {
		return tokens.EstimateBytes(data)
	}
	return pageTokens * min(mostPages, size/pageBytes+1)
}

// isText reports whether a file has text that the provider takes as it is.
func isText(data []byte) bool {
	text := string(data)
	return text != "" && !strings.HasPrefix(text, "%PDF") && utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// secretTokens returns the tokens of a text that is encrypted, in base64.
func secretTokens(text string) int {
	return base64.StdEncoding.DecodedLen(len(text)) / secretBytes
}
