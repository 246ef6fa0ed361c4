package providertest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Gemini serves POST /v1beta/models/{model}:generateContent. It answers with the replies
// in order, and then with a short text. A refused request uses no reply.
func Gemini(replies ...Reply) *Server { return start(nil, replies, geminiRoutes) }

// GeminiFunc is like [Gemini], but calls a function for the reply to each request that
// was not refused. The function runs on the server's goroutines.
func GeminiFunc(choose func(body []byte) Reply) *Server { return start(choose, nil, geminiRoutes) }

var geminiRoutes = map[string]dialect{"POST /v1beta/models/{call}": {
	request:  geminiAsked,
	validate: ValidateGemini,
	answer:   answerGemini,
	kind:     geminiKind,
	refusal: func(r *Refusal) any {
		return map[string]any{"error": map[string]any{"code": r.Status, "message": r.Message, "status": r.Type}}
	},
}}

// geminiAsked adds to the body what the address says: the model, and whether the client
// wants a stream.
func geminiAsked(r *http.Request, body []byte) []byte {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return body
	}
	fields["model"], _ = json.Marshal("models/" + model)
	if method != "generateContent" {
		fields["stream"] = json.RawMessage("true")
	}
	asked, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return asked
}

// geminiKind is from cloud.google.com/apis/design/errors.
func geminiKind(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case http.StatusNotImplemented:
		return "UNIMPLEMENTED"
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	}
	if status >= 500 {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}

func refuseGemini(format string, args ...any) error {
	return &Refusal{Status: http.StatusBadRequest, Type: "INVALID_ARGUMENT", Message: fmt.Sprintf(format, args...)}
}

// ThoughtSignature returns a thoughtSignature, made from any text.
func ThoughtSignature(thinking string) string {
	return base64.StdEncoding.EncodeToString(append(mac([]byte("thought"), []byte(thinking)), thinking...))
}

// thoughtOK reports whether a signature is valid. Two fixed signatures are valid too;
// they mark a call of another model: ai.google.dev/gemini-api/docs/thought-signatures.
func thoughtOK(signature string) bool {
	if signature == "skip_thought_signature_validator" || signature == "context_engineering_is_the_way_to_go" {
		return true
	}
	raw, err := base64.StdEncoding.DecodeString(signature)
	const sum = 32
	return err == nil && len(raw) >= sum && signature == ThoughtSignature(string(raw[sum:]))
}

type geminiRequest struct {
	Model    string          `json:"model"`
	Contents []geminiContent `json:"contents"`
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text                *string         `json:"text"`
	InlineData          json.RawMessage `json:"inlineData"`
	FileData            json.RawMessage `json:"fileData"`
	ExecutableCode      json.RawMessage `json:"executableCode"`
	CodeExecutionResult json.RawMessage `json:"codeExecutionResult"`
	FunctionCall        *struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
	ThoughtSignature string `json:"thoughtSignature"`
}

func (p *geminiPart) empty() bool {
	for _, raw := range []json.RawMessage{p.InlineData, p.FileData, p.ExecutableCode, p.CodeExecutionResult} {
		if raw != nil {
			return false
		}
	}
	said := p.Text != nil && (*p.Text != "" || p.ThoughtSignature != "")
	return !said && p.FunctionCall == nil && p.FunctionResponse == nil
}

func (c *geminiContent) calls() int {
	n := 0
	for _, p := range c.Parts {
		if p.FunctionCall != nil {
			n++
		}
	}
	return n
}

func (c *geminiContent) responses() int {
	n := 0
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			n++
		}
	}
	return n
}

var geminiModel = regexp.MustCompile(`gemini-(\d+)(?:\.(\d+))?`)

// version returns the version of the model times 10, such as 36, or 0 if the name has
// none.
func (r *geminiRequest) version() int {
	m := geminiModel.FindStringSubmatch(r.Model)
	if m == nil {
		return 0
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major*10 + minor
}

// ValidateGemini returns nil if the provider accepts a body of generateContent, and a
// [*Refusal] otherwise. The model is read from the field of the body
// (models/gemini-2.5-pro), which the server fills from the address. Without it, the rules
// of newer models do not apply. In one rule it is stricter than the provider: the first
// content must be the user's, which models before 1.5 required.
func ValidateGemini(body []byte) error {
	var req geminiRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return refuseGemini("Invalid JSON payload received. %v", err)
	}
	for _, check := range []func() error{req.checkContents, req.checkCalls, req.checkSignatures, req.checkEnds} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (r *geminiRequest) checkContents() error {
	if len(r.Contents) == 0 {
		return refuseGemini("* GenerateContentRequest.contents: contents is not specified\n")
	}
	for i, c := range r.Contents {
		if c.Role != "" && c.Role != "user" && c.Role != "model" {
			return refuseGemini("Please use a valid role: user, model.")
		}
		if len(c.Parts) == 0 {
			return refuseGemini("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.\n", i)
		}
		for j := range c.Parts {
			if err := c.Parts[j].check(fmt.Sprintf("contents[%d].parts[%d]", i, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

// check refuses an empty text, and arguments and responses that are not objects.
func (p *geminiPart) check(at string) error {
	switch {
	case p.empty():
		return refuseGemini("* GenerateContentRequest.%s.data: required oneof field 'data' must have one initialized field\n", at)
	case p.FunctionCall != nil && p.FunctionCall.Name == "":
		return refuseGemini("* GenerateContentRequest.%s.function_call.name: Name cannot be empty.\n", at)
	case p.FunctionCall != nil && !isObject(p.FunctionCall.Args):
		return refuseGemini("Invalid value at '%s.function_call.args' (type.googleapis.com/google.protobuf.Struct), %s", at, p.FunctionCall.Args)
	case p.FunctionResponse != nil && p.FunctionResponse.Name == "":
		return refuseGemini("* GenerateContentRequest.%s.function_response.name: Name cannot be empty.\n", at)
	case p.FunctionResponse != nil && !isObject(p.FunctionResponse.Response):
		return refuseGemini("Invalid value at '%s.function_response.response' (type.googleapis.com/google.protobuf.Struct), %s", at, p.FunctionResponse.Response)
	}
	return nil
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || raw[0] == '{' || string(raw) == "null"
}

// checkCalls checks that the next content has the responses to all calls. Quoted in many
// threads; run-llama/llama_index#18527 (the number).
func (r *geminiRequest) checkCalls() error {
	const (
		afterUser = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
		afterCall = "Please ensure that function response turn comes immediately after a function call turn."
		number    = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
	)
	open := 0
	for i, c := range r.Contents {
		calls, responses := c.calls(), c.responses()
		switch {
		case responses > 0 && (open == 0 || c.Role == "model"):
			return refuseGemini(afterCall)
		case responses != open:
			return refuseGemini(number)
		case calls > 0 && (c.Role != "model" || i == 0 || r.Contents[i-1].Role == "model"):
			return refuseGemini(afterUser)
		}
		open = calls
	}
	if open > 0 {
		return refuseGemini(number)
	}
	return nil
}

// checkSignatures checks that in the current turn the first call of each content is
// signed. ai.google.dev/gemini-api/docs/thought-signatures.
func (r *geminiRequest) checkSignatures() error {
	turn := 0
	for i, c := range r.Contents {
		if c.Role != "model" && c.responses() < len(c.Parts) {
			turn = i
		}
	}
	for i, c := range r.Contents {
		first := true
		for _, p := range c.Parts {
			if p.ThoughtSignature != "" && !thoughtOK(p.ThoughtSignature) {
				return refuseGemini("Corrupted thought signature.")
			}
			if p.FunctionCall == nil {
				continue
			}
			if first && p.ThoughtSignature == "" && i > turn && r.version() >= 30 {
				return refuseGemini("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "+
					"and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s` , position %d. "+
					"Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.", p.FunctionCall.Name, i+1)
			}
			first = false
		}
	}
	return nil
}

// checkEnds checks the first content and the last. A last content of the model was
// measured in public: 3.5 accepts it, 3.6 refuses it.
func (r *geminiRequest) checkEnds() error {
	if r.Contents[0].Role == "model" {
		return refuseGemini("Please ensure that multiturn requests ends with a user role or a function response.")
	}
	if r.Contents[len(r.Contents)-1].Role == "model" && r.version() >= 36 {
		return refuseGemini("Requests ending with a model turn are not supported.")
	}
	return nil
}

func answerGemini(body []byte, from origin, r Reply) any {
	var req geminiRequest
	if err := json.Unmarshal(body, &req); err != nil {
		panic(err) // the body is valid
	}
	parts := []any{}
	if r.Thinking != "" {
		parts = append(parts, map[string]any{"text": r.Thinking, "thought": true})
	}
	if r.Text != "" {
		parts = append(parts, map[string]any{"text": r.Text})
	}
	for i, c := range r.Calls {
		part := map[string]any{"functionCall": map[string]any{
			"id": fmt.Sprintf("call-%d-%d", from.number(), i+1), "name": c.Name, "args": json.RawMessage(c.arguments())}}
		if i == 0 && (r.Thinking != "" || req.version() >= 30) {
			part["thoughtSignature"] = ThoughtSignature(r.Thinking)
		}
		parts = append(parts, part)
	}
	in, out, thoughts := len(body)/4+1, len(r.Text)/4+1, len(r.Thinking)/4
	return map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": in, "candidatesTokenCount": out, "thoughtsTokenCount": thoughts, "totalTokenCount": in + out + thoughts},
		"modelVersion":  strings.TrimPrefix(req.Model, "models/"), "responseId": fmt.Sprintf("providertest-%d", from.number()),
	}
}
