package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
)

// OpenAI serves POST /v1/chat/completions and POST /v1/responses. It answers with the
// replies in order, and then with a short text. A refused request uses no reply. The
// base URL of a client is the server's URL with /v1 at the end.
func OpenAI(replies ...Reply) *Server { return start(nil, replies, openAIRoutes) }

// OpenAIFunc is like [OpenAI], but calls a function for the reply to each request that
// was not refused. The function runs on the server's goroutines.
func OpenAIFunc(choose func(body []byte) Reply) *Server { return start(choose, nil, openAIRoutes) }

var openAIRoutes = map[string]dialect{
	"POST /v1/chat/completions": {validate: ValidateOpenAIChat, answer: answerChat, refusal: openAIRefusal, kind: openAIKind},
	"POST /v1/responses":        {validate: ValidateOpenAIResponses, answer: answerResponses, refusal: openAIRefusal, kind: openAIKind},
}

func openAIRefusal(r *Refusal) any {
	return map[string]any{"error": map[string]any{
		"message": r.Message, "type": r.Type, "param": orNull(r.Param), "code": orNull(r.Code),
	}}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func openAIKind(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

func refuseOpenAI(param, code, format string, args ...any) error {
	return &Refusal{Status: http.StatusBadRequest, Type: "invalid_request_error",
		Message: fmt.Sprintf(format, args...), Param: param, Code: code}
}

// The refusals that both APIs have.

func refuseMissing(param string) error {
	return refuseOpenAI(param, "missing_required_parameter", "Missing required parameter: '%s'.", param)
}

func refuseType(param, want string, got json.RawMessage) error {
	return refuseOpenAI(param, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", param, want, kindOf(got))
}

func refuseEmptyString(param string) error {
	return refuseOpenAI(param, "empty_string", "Invalid '%s': empty string. Expected a string with minimum length 1, but got an empty string instead.", param)
}

func refuseEmptyArray(param string) error {
	return refuseOpenAI(param, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", param)
}

func refuseLong(param string, most, n int) error {
	return refuseOpenAI(param, "string_above_max_length", "Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", param, most, n)
}

// kindOf returns the type of a JSON value, in the words of the errors.
func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "null"
	}
	switch raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	if bytes.ContainsAny(raw, ".eE") {
		return "a decimal number"
	}
	return "an integer"
}

func isString(raw json.RawMessage) bool { return kindOf(raw) == "a string" }
func isNull(raw json.RawMessage) bool   { return kindOf(raw) == "null" }

var openAIName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// checkName checks the name of a function: platform.openai.com/docs/api-reference.
func checkName(param, name string) error {
	switch {
	case name == "":
		return refuseEmptyString(param)
	case len(name) > 64:
		return refuseLong(param, 64, len(name))
	case !openAIName.MatchString(name):
		return refuseOpenAI(param, "invalid_value", "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '%s'.", param, openAIName)
	}
	return nil
}
