package providertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

type responsesRequest struct {
	Model              string          `json:"model"`
	Input              json.RawMessage `json:"input"`
	Store              *bool           `json:"store"`
	Include            []string        `json:"include"`
	PreviousResponseID string          `json:"previous_response_id"`
	Conversation       json.RawMessage `json:"conversation"`

	items []responsesItem
}

type responsesItem struct {
	Type             *string         `json:"type"`
	Role             *string         `json:"role"`
	ID               *string         `json:"id"`
	CallID           *string         `json:"call_id"`
	Name             *string         `json:"name"`
	Arguments        json.RawMessage `json:"arguments"`
	Input            json.RawMessage `json:"input"`
	Output           json.RawMessage `json:"output"`
	Content          json.RawMessage `json:"content"`
	Summary          json.RawMessage `json:"summary"`
	EncryptedContent *string         `json:"encrypted_content"`
}

func (it *responsesItem) kind() string {
	if it.Type == nil {
		return "message"
	}
	return *it.Type
}

// A responsesCall is a type of call that the user's side answers.
type responsesCall struct{ output, name string } // type of its result; its name in errors

var responsesCalls = map[string]responsesCall{
	"function_call":    {"function_call_output", "function call"},
	"custom_tool_call": {"custom_tool_call_output", "custom tool call"},
	"computer_call":    {"computer_call_output", "computer call"},
	"shell_call":       {"shell_call_output", "shell call"},
	"local_shell_call": {"local_shell_call_output", "local shell call"},
	"apply_patch_call": {"apply_patch_call_output", "apply patch call"},
}

// callOf returns the type of call for a type of result.
func callOf(output string) (kind string, ok bool) {
	for kind, c := range responsesCalls {
		if c.output == output {
			return kind, true
		}
	}
	return "", false
}

// The types of items that are not part of a pair: platform.openai.com/docs/api-reference/responses.
var responsesOther = []string{"message", "reasoning", "item_reference", "web_search_call", "file_search_call", "code_interpreter_call",
	"image_generation_call", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "mcp_call", "tool_search_call", "tool_search_output",
	"additional_tools", "program", "program_output", "compaction", "compaction_trigger"}

// ValidateOpenAIResponses returns nil if the provider accepts a body of POST
// /v1/responses, and a [*Refusal] otherwise. It does not know the items of a
// previous_response_id or a conversation. If the body names one, a result needs no call,
// and an item needs no reasoning.
func ValidateOpenAIResponses(body []byte) error {
	var req responsesRequest
	if err := req.decode(body); err != nil {
		return err
	}
	for _, check := range []func() error{req.checkItems, req.checkIDs, req.checkReasoning, req.checkPairs} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (r *responsesRequest) decode(body []byte) error {
	if err := json.Unmarshal(body, r); err != nil {
		return refuseOpenAI("", "", "We could not parse the JSON body of your request. (%v)", err)
	}
	if r.Model == "" {
		return refuseMissing("model")
	}
	if r.Input == nil && !r.continues() {
		return refuseOpenAI("input", "missing_required_parameter", `One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.`)
	}
	if r.Input == nil || isString(r.Input) {
		return nil
	}
	if json.Unmarshal(r.Input, &r.items) != nil {
		return refuseType("input", "one of a string or array of input items", r.Input)
	}
	return nil
}

func (r *responsesRequest) continues() bool {
	return r.PreviousResponseID != "" || r.Conversation != nil && !isNull(r.Conversation)
}

func (r *responsesRequest) checkItems() error {
	for i := range r.items {
		it, param := &r.items[i], fmt.Sprintf("input[%d]", i)
		kind := it.kind()
		_, answers := callOf(kind)
		call, asks := responsesCalls[kind]
		var err error
		switch {
		case kind == "message":
			err = it.checkMessage(param)
		case kind == "reasoning":
			if it.Summary == nil {
				err = refuseMissing(param + ".summary")
			}
		case kind == "item_reference":
			if it.ID == nil {
				err = refuseMissing(param + ".id")
			}
		case asks:
			err = it.checkCall(param, call)
		case answers:
			err = it.checkOutput(param)
		case !slices.Contains(responsesOther, kind):
			err = refuseOpenAI(param, "invalid_value", "Invalid value: '%s'. Supported values are: '%s'.", kind, strings.Join(responsesOther, "', '"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkMessage checks a message. The content of the assistant has types of its own
// (langchain-ai, "Invalid value: 'input_text'").
func (it *responsesItem) checkMessage(param string) error {
	roles := []string{"assistant", "system", "developer", "user"}
	switch {
	case it.Role == nil:
		return refuseMissing(param + ".role")
	case !slices.Contains(roles, *it.Role):
		return refuseOpenAI(param+".role", "invalid_value", "Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", *it.Role)
	case it.Content == nil:
		return refuseMissing(param + ".content")
	case isString(it.Content):
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(it.Content, &parts) != nil || isNull(it.Content) {
		return refuseType(param+".content", "one of an array of objects or string", it.Content)
	}
	for j, p := range parts {
		param := fmt.Sprintf("%s.content[%d]", param, j)
		mine := p.Type == "output_text" || p.Type == "refusal"
		switch {
		case *it.Role == "assistant" && !mine:
			return refuseOpenAI(param, "invalid_value", "Invalid value: '%s'. Supported values are: 'output_text' and 'refusal'.", p.Type)
		case !mine && p.Type != "input_text" && p.Type != "input_image" && p.Type != "input_file" && p.Type != "input_audio":
			return refuseOpenAI(param, "invalid_value", "Invalid value: '%s'. Supported values are: 'input_text', 'input_image', 'output_text', 'refusal', 'input_file', 'computer_screenshot', and 'summary_text'.", p.Type)
		}
	}
	return nil
}

func (it *responsesItem) checkCall(param string, call responsesCall) error {
	if err := it.checkCallID(param); err != nil {
		return err
	}
	if call.output != "function_call_output" && call.output != "custom_tool_call_output" {
		return nil
	}
	said, field := it.Arguments, ".arguments"
	if call.output == "custom_tool_call_output" {
		said, field = it.Input, ".input"
	}
	switch {
	case it.Name == nil:
		return refuseMissing(param + ".name")
	case said == nil:
		return refuseMissing(param + field)
	case !isString(said):
		return refuseType(param+field, "a string", said)
	}
	return checkName(param+".name", *it.Name)
}

func (it *responsesItem) checkOutput(param string) error {
	if err := it.checkCallID(param); err != nil {
		return err
	}
	if it.Output == nil {
		return refuseMissing(param + ".output")
	}
	if isNull(it.Output) {
		return refuseType(param+".output", "one of an array of objects or string", it.Output)
	}
	return nil
}

func (it *responsesItem) checkCallID(param string) error {
	switch {
	case it.CallID == nil:
		return refuseMissing(param + ".call_id")
	case *it.CallID == "":
		return refuseEmptyString(param + ".call_id")
	case len(*it.CallID) > 64:
		return refuseLong(param+".call_id", 64, len(*it.CallID))
	}
	return nil
}

// checkPairs checks that each call has one result after it. Other items may stand
// between. github/copilot-cli#4572 (no result), openai/codex (a result without a call,
// before it, or twice).
func (r *responsesRequest) checkPairs() error {
	open := map[[2]string]int{}
	for i := range r.items {
		it := &r.items[i]
		if _, asks := responsesCalls[it.kind()]; asks {
			open[[2]string{it.kind(), *it.CallID}]++
			continue
		}
		kind, answers := callOf(it.kind())
		if !answers {
			continue
		}
		if at := [2]string{kind, *it.CallID}; open[at] > 0 {
			open[at]--
		} else if !r.continues() {
			return refuseOpenAI("input", "", "No tool call found for %s output with call_id %s.", responsesCalls[kind].name, *it.CallID)
		}
	}
	for i := range r.items { // the error names the first one
		it := &r.items[i]
		if c, asks := responsesCalls[it.kind()]; asks && open[[2]string{it.kind(), *it.CallID}] > 0 {
			return refuseOpenAI("input", "", "No tool output found for %s %s.", c.name, *it.CallID)
		}
	}
	return nil
}

func answerResponses(body []byte, from origin, r Reply) any {
	var req responsesRequest
	if err := req.decode(body); err != nil {
		panic(err) // the body is valid
	}
	id := func(prefix string, n int) string { return LoneID(prefix, from.number()*100+n) }
	output := []any{}
	if r.Thinking != "" {
		reasoning := map[string]any{"id": ReasoningID(from.number()), "type": "reasoning",
			"summary": []any{map[string]any{"type": "summary_text", "text": r.Thinking}}}
		if slices.Contains(req.Include, "reasoning.encrypted_content") {
			reasoning["encrypted_content"] = EncryptedContent(ReasoningID(from.number()))
		}
		output = append(output, reasoning)
		id = func(prefix string, n int) string { return FollowingID(prefix, from.number(), n) }
	}
	n := 0
	if r.Text != "" || len(r.Calls) == 0 {
		n++
		output = append(output, map[string]any{"id": id("msg", n), "type": "message", "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": r.Text, "annotations": []any{}, "logprobs": []any{}}}})
	}
	for i, c := range r.Calls {
		n++
		output = append(output, map[string]any{"id": id("fc", n), "type": "function_call", "status": "completed",
			"call_id": CallID(from.number()*100 + i), "name": c.Name, "arguments": c.arguments()})
	}
	in, out, reasoning := len(body)/4+1, (len(r.Text)+len(r.Thinking))/4+1, len(r.Thinking)/4
	return map[string]any{
		"id": fmt.Sprintf("resp_%012d", from.number()), "object": "response", "created_at": time.Now().Unix(), "status": "completed",
		"model": req.Model, "output": output, "error": nil, "incomplete_details": nil, "instructions": nil, "metadata": map[string]any{},
		"parallel_tool_calls": true, "temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": []any{},
		"text": map[string]any{"format": map[string]any{"type": "text"}}, "previous_response_id": orNull(req.PreviousResponseID),
		"store": req.Store == nil || *req.Store,
		"usage": map[string]any{
			"input_tokens": in, "output_tokens": out, "total_tokens": in + out,
			"input_tokens_details":  map[string]any{"cached_tokens": 0},
			"output_tokens_details": map[string]any{"reasoning_tokens": reasoning},
		},
	}
}
