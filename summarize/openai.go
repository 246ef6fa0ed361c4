package summarize

import (
	"encoding/json"
	"net/http"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// OpenAI returns a summarizer that asks a model through the Chat Completions API,
// at OpenAI or at any server that has this API. For Ollama,
// [ProviderOptions.BaseURL] is http://localhost:11434/v1. Otherwise it works as the
// one of [Anthropic].
//
// The tokens spent are those of the answer's usage, or an estimate if there is none.
// For a base URL other than OpenAI's, the usage is also checked: if a request had
// 2,000 tokens or more and prompt_tokens is less than half, the call fails. Some
// servers drop what does not fit into their context without an error, and the
// summary would cover only a part of the file. A fake server in a test should
// return either no usage or a true one.
func OpenAI(o ProviderOptions) (workspace.Summarizer, error) {
	return newProvider(&openaiAPI, o, hooks{})
}

var openaiAPI = api{
	method:   "openai",
	variable: "OPENAI_API_KEY",
	base:     "https://api.openai.com/v1",
	model:    "gpt-4.1-mini",
	window:   120_000, // of a million; accounts have a limit of tokens per minute
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
