package summarize

import (
	"encoding/json"
	"net/http"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// OpenAI returns a summarizer that asks a model through the Chat Completions API,
// at OpenAI or at any server that speaks it: [ProviderOptions.BaseURL] of Ollama is
// http://localhost:11434/v1. It is otherwise like [Anthropic]'s.
//
// The usage in an answer is what was spent; where it is 0 or not told, an estimate.
// At another base URL it is checked: of 2,000 tokens or more, reading less than half
// (prompt_tokens) is an error, since some servers drop in silence what is beyond
// their context, and the summary would be of the rest. A stand-in in a test should
// tell no usage, or a true one.
func OpenAI(o ProviderOptions) (workspace.Summarizer, error) {
	return newProvider(&openaiAPI, o, hooks{})
}

var openaiAPI = api{
	method:   "openai",
	variable: "OPENAI_API_KEY",
	base:     "https://api.openai.com/v1",
	model:    "gpt-4.1-mini",
	window:   120_000, // of a million: accounts have limits a minute
	endpoint: func(base string) string { return base + "/chat/completions" },
	authorize: func(h http.Header, key string) {
		if key != "" {
			h.Set("Authorization", "Bearer "+key)
		}
	},
	request: func(q question) any {
		r := openaiRequest{
			Model:    q.model,
			Messages: []chatMessage{{Role: "system", Content: q.system}, {Role: "user", Content: q.user}},
		}
		if q.own {
			r.MaxCompletionTokens = q.maxTokens
		} else {
			r.MaxTokens = q.maxTokens // the older name, which all servers know
		}
		return r
	},
	decode: decodeOpenAI,
}

type openaiRequest struct {
	Model               string        `json:"model"`
	Messages            []chatMessage `json:"messages"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
}

func decodeOpenAI(body []byte) (answer, error) {
	var m struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content string `json:"content"`
				Refusal string `json:"refusal"`
			} `json:"message"`
		} `json:"choices"`
		Usage struct {
			Input  count `json:"prompt_tokens"`
			Output count `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return answer{}, err
	}
	a := answer{read: int64(m.Usage.Input), spent: int64(m.Usage.Input + m.Usage.Output)}
	if len(m.Choices) == 0 {
		return a, nil
	}
	choice := m.Choices[0]
	a.text = choice.Message.Content
	switch {
	case choice.FinishReason == "content_filter" || choice.Message.Refusal != "":
		a.stop = stopRefused
	case choice.FinishReason == "length":
		a.stop = stopLength
	case choice.FinishReason != "stop" && choice.FinishReason != "":
		a.stop = choice.FinishReason
	}
	return a, nil
}
