package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// OpenAI serves POST /v1/chat/completions and POST /v1/responses. It answers with the
// replies in order, and then with a short text. The base URL of a client is the server's URL
// with /v1 at the end.
func OpenAI(replies ...Reply) *Server { return start(nil, replies, openAIRoutes) }

// OpenAIFunc is like [OpenAI], but calls a function for the reply to each request. The
// function runs on the server's goroutines.
func OpenAIFunc(choose func(body []byte) Reply) *Server { return start(choose, nil, openAIRoutes) }

var openAIRoutes = map[string]dialect{
	"POST /v1/chat/completions": {answer: answerChat, failure: openAIFailure},
	"POST /v1/responses":        {answer: answerResponses, failure: openAIFailure},
}

func openAIFailure(status int, message string) any {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status >= 500:
		kind = "server_error"
	}
	return map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func answerChat(body []byte, from origin, r Reply) any {
	var req struct{ Model string }
	_ = json.Unmarshal(body, &req) // a fake provider takes everything
	message := map[string]any{"role": "assistant", "content": orNull(r.Text), "refusal": nil, "annotations": []any{}}
	finish := "stop"
	if len(r.Calls) == 0 {
		message["content"] = r.Text
	} else {
		finish = "tool_calls"
		calls := make([]any, len(r.Calls))
		for i, c := range r.Calls {
			calls[i] = map[string]any{"id": openAICallID(from.number()*100 + i), "type": "function",
				"function": map[string]any{"name": c.Name, "arguments": c.arguments()}}
		}
		message["tool_calls"] = calls
	}
	in, out, reasoning := len(body)/4+1, (len(r.Text)+len(r.Thinking))/4+1, len(r.Thinking)/4
	return map[string]any{
		"id": fmt.Sprintf("chatcmpl-%012d", from.number()), "object": "chat.completion", "created": time.Now().Unix(),
		"model":   req.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": finish}},
		"usage": map[string]any{
			"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out,
			"prompt_tokens_details": map[string]any{"cached_tokens": 0, "audio_tokens": 0},
			"completion_tokens_details": map[string]any{"reasoning_tokens": reasoning, "audio_tokens": 0,
				"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
		},
		"service_tier": "default", "system_fingerprint": "fp_providertest",
	}
}

func answerResponses(body []byte, from origin, r Reply) any {
	var req struct {
		Model              string
		Store              *bool
		Include            []string
		PreviousResponseID string `json:"previous_response_id"`
	}
	_ = json.Unmarshal(body, &req)
	id := func(prefix string, n int) string { return loneID(prefix, from.number()*100+n) }
	output := []any{}
	if r.Thinking != "" {
		reasoning := map[string]any{"id": reasoningID(from.number()), "type": "reasoning",
			"summary": []any{map[string]any{"type": "summary_text", "text": r.Thinking}}}
		if slices.Contains(req.Include, "reasoning.encrypted_content") {
			reasoning["encrypted_content"] = Signature(reasoningID(from.number()))
		}
		output = append(output, reasoning)
		id = func(prefix string, n int) string { return followingID(prefix, from.number(), n) }
	}
	n := 0
	if r.Text != "" || len(r.Calls) == 0 {
		n++
		output = append(output, map[string]any{"id": id("msg", n), "type": "message", "role": "assistant",
			"status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": r.Text, "annotations": []any{},
				"logprobs": []any{}}}})
	}
	for i, c := range r.Calls {
		n++
		output = append(output, map[string]any{"id": id("fc", n), "type": "function_call", "status": "completed",
			"call_id": openAICallID(from.number()*100 + i), "name": c.Name, "arguments": c.arguments()})
	}
	in, out, reasoning := len(body)/4+1, (len(r.Text)+len(r.Thinking))/4+1, len(r.Thinking)/4
	return map[string]any{
		"id": fmt.Sprintf("resp_%012d", from.number()), "object": "response", "created_at": time.Now().Unix(),
		"status": "completed",
		"model":  req.Model, "output": output, "error": nil, "incomplete_details": nil, "instructions": nil,
		"metadata":            map[string]any{},
		"parallel_tool_calls": true, "temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": []any{},
		"text":                 map[string]any{"format": map[string]any{"type": "text"}},
		"previous_response_id": orNull(req.PreviousResponseID),
		"store":                req.Store == nil || *req.Store,
		"usage": map[string]any{
			"input_tokens": in, "output_tokens": out, "total_tokens": in + out,
			"input_tokens_details":  map[string]any{"cached_tokens": 0},
			"output_tokens_details": map[string]any{"reasoning_tokens": reasoning},
		},
	}
}
