package openaimsg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3/responses"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// ErrNoContent: a response has nothing that could be sent back.
var ErrNoContent = errors.New("no content")

// FromItems returns the messages of input items, in order. Consecutive items of the
// model (reasoning, text, calls, actions of the provider) are one message of the
// assistant. Its Raw is the item, or the array of the items. Any other item is a
// message of its own. Errors: [conversation.ErrInvalid] for an item that is not a JSON
// object.
//
// For a response, use [FromOutput], which knows where the answer begins and ends.
func FromItems(items ...responses.ResponseInputItemUnionParam) ([]conversation.Message, error) {
	var g grouper
	for i, p := range items {
		raw, err := rawOf(p)
		if err == nil {
			err = g.add(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("translate item %d from OpenAI's form: %w", i, err)
		}
	}
	g.close()
	return g.msgs, nil
}

// FromOutput returns the output of one response, response.Output, as one message of
// the assistant. If the output has the result of a call, the provider ran it, and the
// call is in Raw only. Reasoning at the end, of an answer that was cut off, is left out:
// the API refuses reasoning without the item that it led to. Errors: [ErrNoContent] if
// nothing is left. [conversation.ErrInvalid] for an item without JSON, which no response
// has.
func FromOutput(output ...responses.ResponseOutputItemUnion) (conversation.Message, error) {
	items := make([]item, len(output))
	for i, out := range output {
		o, err := parse([]byte(out.RawJSON()))
		if err != nil {
			return conversation.Message{}, fmt.Errorf("translate output item %d from OpenAI's form: %w", i, err)
		}
		items[i] = item{o, json.RawMessage(out.RawJSON())}
	}
	for len(items) > 0 && items[len(items)-1].itemType() == "reasoning" {
		items = items[:len(items)-1]
	}
	if len(items) == 0 {
		return conversation.Message{}, fmt.Errorf("translate a response of OpenAI: %w: see its status and error",
			ErrNoContent)
	}
	return answer(items), nil
}

// An item is an item of the Responses API, with its bytes.
type item struct {
	object
	raw json.RawMessage
}

// A kind says what an item is in a conversation.
type kind int

const (
	written  kind = iota // by the model, or by the provider in its answer
	call                 // a call of the model that the caller answers
	result               // the result of such a call
	said                 // by the user
	standing             // an instruction, tools, settings
)

// callTypes maps the types of calls that the caller answers to those of their results.
var callTypes = map[string]string{
	"function_call":        "function_call_output",
	"custom_tool_call":     "custom_tool_call_output",
	"computer_call":        "computer_call_output",
	"local_shell_call":     "local_shell_call_output",
	"shell_call":           "shell_call_output",
	"apply_patch_call":     "apply_patch_call_output",
	"mcp_approval_request": "mcp_approval_response",
	"tool_search_call":     "tool_search_output",
}

var resultTypes = func() map[string]bool {
	types := map[string]bool{}
	for _, t := range callTypes {
		types[t] = true
	}
	return types
}()

// itemType returns the type. A message and a reference may leave it out.
func (it item) itemType() string {
	switch {
	case it.text("type") != "":
		return it.text("type")
	case it.text("role") != "":
		return "message"
	case it.text("id") != "":
		return "item_reference"
	}
	return ""
}

// callID returns the id that ties a call to its result.
func (it item) callID() string {
	switch it.itemType() {
	case "mcp_approval_request":
		return it.text("id")
	case "mcp_approval_response":
		return it.text("approval_request_id")
	case "local_shell_call_output":
		if it.text("call_id") == "" {
			return it.text("id")
		}
	}
	return it.text("call_id")
}

func (it item) kind() kind {
	switch t := it.itemType(); {
	case t == "message":
		switch it.text("role") {
		case "user":
			return said
		case "system", "developer":
			return standing
		}
	case t == "additional_tools", t == "configuration_update", t == "compaction_trigger":
		return standing
	case t == "tool_search_call" && it.text("execution") != "client", t == "tool_search_output" &&
		it.text("execution") != "client":
		return written
	case t == "shell_call" && it.object.object("environment").text("type") == "container_reference":
		return written
	case callTypes[t] != "" && it.callID() != "":
		return call
	case resultTypes[t] && it.callID() != "":
		return result
	case resultTypes[t]: // a tool sent it without a call
		return said
	}
	return written
}

// A grouper groups items into messages.
type grouper struct {
	msgs  []conversation.Message
	open  []item          // items of the model that are not a message yet
	hosts map[string]bool // ids of calls that the provider runs
}

func (g *grouper) add(raw json.RawMessage) error {
	o, err := parse(raw)
	if err != nil {
		return err
	}
	it := item{o, raw}
	k := it.kind()
	if id := it.callID(); k == written && id != "" {
		if g.hosts == nil {
			g.hosts = map[string]bool{}
		}
		g.hosts[id] = true
	} else if k == result && g.hosts[id] {
		k = written
	}
	if k == written || k == call {
		g.open = append(g.open, it)
		return nil
	}
	g.close()
	g.msgs = append(g.msgs, single(it, k))
	return nil
}

func (g *grouper) close() {
	if len(g.open) > 0 {
		g.msgs = append(g.msgs, answer(g.open))
		g.open = nil
	}
}

// single returns the message of an item that the model did not write.
func single(it item, k kind) conversation.Message {
	m := conversation.Message{Raw: bytes.Clone(it.raw), RawProvider: conversation.OpenAIResponses}
	switch k {
	case said:
		m.Role = conversation.User
	case standing:
		m.Role = conversation.System
	case result:
		m.Role = conversation.Tool
		m.ToolCallID = it.callID()
	}
	if it.itemType() == "message" {
		setParts(&m, readParts(it.object["content"]))
	} else if resultTypes[it.itemType()] {
		setParts(&m, readResult(it))
		m.IsError = k == result && it.itemType() == "apply_patch_call_output" && it.text("status") == "failed"
	}
	return m
}

// answer returns the message for the items of an answer.
func answer(items []item) conversation.Message {
	m := conversation.Message{Role: conversation.Assistant, Raw: rawItems(items),
		RawProvider: conversation.OpenAIResponses}
	answered := map[string]bool{}
	for _, it := range items {
		if resultTypes[it.itemType()] {
			answered[it.callID()] = true
		}
	}
	var parts []conversation.Part
	for _, it := range items {
		switch {
		case it.itemType() == "message":
			parts = append(parts, readParts(it.object["content"])...)
		case it.kind() == call && !answered[it.callID()]:
			m.ToolCalls = append(m.ToolCalls, readCall(it))
		default:
			parts = append(parts, describe(it)...)
		}
	}
	setParts(&m, parts)
	return m
}

// rawItems returns the item, or the array of items.
func rawItems(items []item) json.RawMessage {
	if len(items) == 1 {
		return bytes.Clone(items[0].raw)
	}
	raw := json.RawMessage("[")
	for i, it := range items {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(raw, it.raw...)
	}
	return append(raw, ']')
}
