package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Anthropic serves POST /v1/messages. It answers with the replies in order, and then
// with a short text.
func Anthropic(replies ...Reply) *Server {
	return start(nil, replies, map[string]dialect{"POST /v1/messages": anthropicDialect})
}

// AnthropicFunc is like [Anthropic], but calls a function for the reply to each request.
// The function runs on the server's goroutines.
func AnthropicFunc(choose func(body []byte) Reply) *Server {
	return start(choose, nil, map[string]dialect{"POST /v1/messages": anthropicDialect})
}

var anthropicDialect = dialect{
	answer: answerAnthropic,
	failure: func(status int, message string) any {
		return map[string]any{
			"type":       "error",
			"error":      map[string]any{"type": anthropicKind(status), "message": message},
			"request_id": "req_providertest",
		}
	},
}

// anthropicKind is from platform.claude.com/docs/en/api/errors.
func anthropicKind(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusPaymentRequired:
		return "billing_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

func answerAnthropic(body []byte, from origin, r Reply) any {
	var req struct{ Model string }
	_ = json.Unmarshal(body, &req) // a fake provider takes everything
	content := []any{}
	if r.Thinking != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": r.Thinking,
			"signature": Signature(r.Thinking)})
	}
	if r.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": r.Text, "citations": nil})
	}
	stop := "end_turn"
	for i, c := range r.Calls {
		stop = "tool_use"
		content = append(content, map[string]any{
			"type": "tool_use", "id": fmt.Sprintf("toolu_%012d_%d", from.number(), i+1),
			"name": c.Name, "input": json.RawMessage(c.arguments()),
		})
	}
	return map[string]any{
		"id": fmt.Sprintf("msg_%012d", from.number()), "type": "message", "role": "assistant", "model": req.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{
			"input_tokens": len(body)/4 + 1, "output_tokens": len(r.Text)/4 + len(r.Thinking)/4 + 1,
			"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "service_tier": "standard",
		},
	}
}
