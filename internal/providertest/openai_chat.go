package providertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

type chatRequest struct {
	Model    string          `json:"model"`
	Messages json.RawMessage `json:"messages"`

	messages []chatMessage
}

type chatMessage struct {
	Role         *string         `json:"role"`
	Content      json.RawMessage `json:"content"`
	Refusal      json.RawMessage `json:"refusal"`
	Audio        json.RawMessage `json:"audio"`
	FunctionCall json.RawMessage `json:"function_call"`
	ToolCalls    json.RawMessage `json:"tool_calls"`
	ToolCallID   *string         `json:"tool_call_id"`

	calls []chatCall
}

type chatCall struct {
	ID       *string `json:"id"`
	Type     *string `json:"type"`
	Function *struct {
		Name      *string         `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Custom json.RawMessage `json:"custom"`
}

func (m *chatMessage) role() string { return text(m.Role) }

// ValidateOpenAIChat returns nil if the provider accepts a body of POST
// /v1/chat/completions, and a [*Refusal] otherwise.
//
// The shapes were measured in public on gpt-5.6 in 2026-08 and -09. For calls and
// results see checkPairs.
func ValidateOpenAIChat(body []byte) error {
	var req chatRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return refuseOpenAI("", "", "We could not parse the JSON body of your request. (%v)", err)
	}
	if req.Model == "" {
		return refuseOpenAI("", "", "you must provide a model parameter")
	}
	for _, check := range []func() error{req.decode, req.checkRoles, req.checkParts, req.checkCalls, req.checkContent, req.checkPairs} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (r *chatRequest) decode() error {
	if r.Messages == nil {
		return refuseMissing("messages")
	}
	var raws []json.RawMessage
	if json.Unmarshal(r.Messages, &raws) != nil {
		return refuseType("messages", "an array of objects", r.Messages)
	}
	if len(raws) == 0 {
		return refuseEmptyArray("messages")
	}
	r.messages = make([]chatMessage, len(raws))
	for i, raw := range raws {
		if json.Unmarshal(raw, &r.messages[i]) != nil {
			return refuseType(fmt.Sprintf("messages[%d]", i), "an object", raw)
		}
	}
	return nil
}

func (r *chatRequest) checkRoles() error {
	roles := []string{"system", "assistant", "user", "function", "tool", "developer"}
	for i, m := range r.messages {
		param := fmt.Sprintf("messages[%d].role", i)
		if m.Role == nil {
			return refuseMissing(param)
		}
		if !slices.Contains(roles, *m.Role) {
			return refuseOpenAI(param, "invalid_value", "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", *m.Role)
		}
	}
	return nil
}

// checkParts checks a content, which is a text or parts. Only a message of the user may
// have images (strands-agents/sdk-python#320).
func (r *chatRequest) checkParts() error {
	types := []string{"text", "image_url", "input_audio", "refusal", "audio", "file"}
	for i, m := range r.messages {
		param := fmt.Sprintf("messages[%d].content", i)
		if m.Content == nil || isNull(m.Content) || isString(m.Content) {
			continue
		}
		var parts []struct {
			Type *string         `json:"type"`
			Text json.RawMessage `json:"text"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			return refuseType(param, "one of a string or array of objects", m.Content)
		}
		for j, p := range parts {
			param := fmt.Sprintf("%s[%d]", param, j)
			switch {
			case p.Type == nil:
				return refuseMissing(param + ".type")
			case !slices.Contains(types, *p.Type):
				return refuseOpenAI(param+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.", *p.Type)
			case *p.Type == "text" && p.Text == nil:
				return refuseMissing(param + ".text")
			case *p.Type == "image_url" && m.role() != "user":
				return refuseOpenAI(fmt.Sprintf("messages[%d]", i), "invalid_value", "Invalid 'messages[%d]'. Image URLs are only allowed for messages with role 'user', but this message with role '%s' contains an image URL.", i, m.role())
			}
		}
	}
	return nil
}

func (r *chatRequest) checkCalls() error {
	for i := range r.messages {
		m := &r.messages[i]
		param := fmt.Sprintf("messages[%d].tool_calls", i)
		if m.role() != "assistant" || m.ToolCalls == nil || isNull(m.ToolCalls) {
			continue
		}
		if json.Unmarshal(m.ToolCalls, &m.calls) != nil {
			return refuseType(param, "an array of objects", m.ToolCalls)
		}
		if len(m.calls) == 0 {
			return refuseEmptyArray(param)
		}
		for j, c := range m.calls {
			if err := c.check(fmt.Sprintf("%s[%d]", param, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c chatCall) check(param string) error {
	switch {
	case c.ID == nil:
		return refuseMissing(param + ".id")
	case *c.ID == "":
		return refuseEmptyString(param + ".id")
	case len(*c.ID) > 40:
		return refuseLong(param+".id", 40, len(*c.ID))
	case c.Type == nil:
		return refuseMissing(param + ".type")
	case *c.Type == "custom" && c.Custom != nil:
		return nil
	case *c.Type != "function":
		return refuseOpenAI(param+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'function' and 'custom'.", *c.Type)
	case c.Function == nil:
		return refuseMissing(param + ".function")
	case c.Function.Name == nil:
		return refuseMissing(param + ".function.name")
	case c.Function.Arguments == nil:
		return refuseMissing(param + ".function.arguments")
	case !isString(c.Function.Arguments):
		return refuseType(param+".function.arguments", "a string", c.Function.Arguments)
	}
	return checkName(param+".function.name", *c.Function.Name)
}

// checkContent refuses a message without content. A message of the assistant may have
// something else in its place.
func (r *chatRequest) checkContent() error {
	for i, m := range r.messages {
		if m.Content != nil && !isNull(m.Content) {
			continue
		}
		if m.role() == "developer" {
			if param := fmt.Sprintf("messages[%d].content", i); m.Content == nil {
				return refuseMissing(param)
			} else {
				return refuseType(param, "one of a string or array of objects", m.Content)
			}
		}
		stands := len(m.calls) > 0
		for _, raw := range []json.RawMessage{m.Refusal, m.Audio, m.FunctionCall} {
			stands = stands || raw != nil && !isNull(raw)
		}
		if m.role() != "assistant" || !stands {
			return refuseOpenAI(fmt.Sprintf("messages.[%d].content", i), "", "Invalid value for 'content': expected a string, got null.")
		}
	}
	return nil
}

// checkPairs checks that the results of all calls follow them directly, each once. The
// texts are quoted in hundreds of threads; see archestra-ai, agno-agi/agno#5116 (an id
// twice).
func (r *chatRequest) checkPairs() error {
	at := -1
	var open, answered []string // the ids of the calls at that index
	for i, m := range r.messages {
		if m.role() == "tool" {
			if err := m.checkResult(i, at, open, answered); err != nil {
				return err
			}
			answered = append(answered, *m.ToolCallID)
			continue
		}
		if err := checkAnswered(at, open, answered); err != nil {
			return err
		}
		at, open, answered = -1, nil, nil
		for _, c := range m.calls {
			if slices.Contains(open, *c.ID) {
				return refuseDuplicate(*c.ID, i)
			}
			at, open = i, append(open, *c.ID)
		}
	}
	return checkAnswered(at, open, answered)
}

func (m *chatMessage) checkResult(i, at int, open, answered []string) error {
	param := fmt.Sprintf("messages.[%d].tool_call_id", i)
	switch {
	case m.ToolCallID == nil:
		return refuseOpenAI(param, "", "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.")
	case at < 0:
		return refuseOpenAI(fmt.Sprintf("messages.[%d].role", i), "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
	case !slices.Contains(open, *m.ToolCallID):
		return refuseOpenAI(param, "", "Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", *m.ToolCallID)
	case slices.Contains(answered, *m.ToolCallID):
		return refuseDuplicate(*m.ToolCallID, i)
	}
	return nil
}

func refuseDuplicate(id string, i int) error {
	return refuseOpenAI(fmt.Sprintf("messages.[%d]", i), "", "Invalid parameter: Duplicate value for 'tool_call_id' of '%s' in message[%d]", id, i)
}

func checkAnswered(at int, open, answered []string) error {
	var missing []string
	for _, id := range open {
		if !slices.Contains(answered, id) {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return refuseOpenAI(fmt.Sprintf("messages.[%d].role", at), "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "+
		"The following tool_call_ids did not have response messages: %s", strings.Join(missing, ", "))
}

// CallID returns the id of a call in the OpenAI APIs.
func CallID(n int) string { return fmt.Sprintf("call_%024d", n) }

func answerChat(body []byte, from origin, r Reply) any {
	var req chatRequest
	if err := json.Unmarshal(body, &req); err != nil {
		panic(err) // the body is valid
	}
	message := map[string]any{"role": "assistant", "content": orNull(r.Text), "refusal": nil, "annotations": []any{}}
	finish := "stop"
	if len(r.Calls) == 0 {
		message["content"] = r.Text
	} else {
		finish = "tool_calls"
		calls := make([]any, len(r.Calls))
		for i, c := range r.Calls {
			calls[i] = map[string]any{"id": CallID(from.number()*100 + i), "type": "function",
				"function": map[string]any{"name": c.Name, "arguments": c.arguments()}}
		}
		message["tool_calls"] = calls
	}
	in, out, reasoning := len(body)/4+1, (len(r.Text)+len(r.Thinking))/4+1, len(r.Thinking)/4
	return map[string]any{
		"id": fmt.Sprintf("chatcmpl-%012d", from.number()), "object": "chat.completion", "created": time.Now().Unix(), "model": req.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": finish}},
		"usage": map[string]any{
			"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out,
			"prompt_tokens_details":     map[string]any{"cached_tokens": 0, "audio_tokens": 0},
			"completion_tokens_details": map[string]any{"reasoning_tokens": reasoning, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
		},
		"service_tier": "default", "system_fingerprint": "fp_providertest",
	}
}
