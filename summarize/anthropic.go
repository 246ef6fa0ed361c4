package summarize

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Anthropic returns a summarizer that asks a model through Anthropic's Messages
// API. It is safe for concurrent use and needs no closing. It connects when it is
// first used. It follows no redirects and uses no proxy. It connects only to public
// addresses, or to those that [ProviderOptions] name.
//
// A file that is longer than the window is summarised in parts; then a summary is
// made of the summaries.
//
// A call is tried up to three times if the status is 429, 500, 502, 503, 504 or 529
// or if the connection breaks. Between tries it waits up to one second, then up to
// two, or as long as Retry-After says. If that exceeds the timeout, the call ends.
//
// A summary that reaches its limit of tokens is used, with a note that it was cut.
// If the model used all tokens for reasoning, it is asked once more with four times
// as many.
//
// Errors of the summarizer wrap [workspace.ErrProvider], say what to do, and never
// contain the key. A failed call returns the tokens that it spent; a request that
// was sent but not answered counts as read. Errors of Anthropic itself, for options
// that are not valid, wrap [workspace.ErrInvalid].
func Anthropic(o ProviderOptions) (workspace.Summarizer, error) {
	return newProvider(&anthropicAPI, o, hooks{})
}

var anthropicAPI = api{
	method:   "anthropic",
	variable: "ANTHROPIC_API_KEY",
	base:     "https://api.anthropic.com",
	model:    "claude-haiku-4-5",
	window:   120_000, // of 200,000: the estimate is for another tokenizer
	endpoint: func(base string) string { return strings.TrimSuffix(base, "/v1") + "/v1/messages" },
	authorize: func(h http.Header, key string) {
		h.Set("anthropic-version", "2023-06-01")
		if key != "" {
			h.Set("x-api-key", key)
		}
	},
	request: func(q question) any {
		return anthropicRequest{
			Model: q.model, MaxTokens: q.maxTokens, System: q.system,
			Messages: []chatMessage{{Role: "user", Content: q.user}},
		}
	},
	decode: decodeAnthropic,
}

type anthropicRequest struct {
	Model     string        `json:"model"`
	MaxTokens int           `json:"max_tokens"`
	System    string        `json:"system"`
	Messages  []chatMessage `json:"messages"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func decodeAnthropic(body []byte) (answer, error) {
	var m struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
		Usage      struct {
			Input        count `json:"input_tokens"`
			CacheWritten count `json:"cache_creation_input_tokens"`
			CacheRead    count `json:"cache_read_input_tokens"`
			Output       count `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return answer{}, err
	}
	var a answer
	for _, block := range m.Content {
		if block.Type == "text" {
			a.text += block.Text
		}
	}
	a.read = int64(m.Usage.Input + m.Usage.CacheWritten + m.Usage.CacheRead)
	a.spent = a.read + int64(m.Usage.Output)
	switch m.StopReason {
	case "end_turn", "stop_sequence", "":
	case "max_tokens", "model_context_window_exceeded":
		a.stop = stopLength
	case "refusal":
		a.stop = stopRefused
	default:
		a.stop = m.StopReason
	}
	return a, nil
}
