package summarize

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Anthropic returns a summarizer that asks a model through Anthropic's Messages
// API. A file beyond the window is summarised in parts, and then the summaries of
// the parts. After a failure those that are made are kept in memory, up to 2 MiB, and
// the next call for the same file pays for the others. It connects when it is first
// used, follows no redirect, uses no proxy and dials public addresses only, or those
// that [ProviderOptions] name. It is safe for concurrent use and needs no closing.
//
// A call is tried up to three times on 429, 500, 502, 503, 504, 529 and broken
// connections, as Retry-After says, where that is within the timeout. After five
// calls in a row that failed, other than by their own fault, none is made for 30 s,
// then one. A summary that came to its limit of tokens is used, and says so; where
// reasoning used them up, it is asked for once more with four times as many.
//
// Its errors wrap [workspace.ErrProvider], name the way out and never hold the
// key; Anthropic's own wraps [workspace.ErrInvalid]. What was spent is told with
// an error too, where a request that was sent and not answered counts as read.
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
