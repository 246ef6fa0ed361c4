package conversation

import (
	"encoding/json"
	"strings"
)

// responsesItems follows the items of the Responses API. An output may come
// anywhere after its call. Reasoning stands directly before the item that it led to.
type responsesItems struct {
	*checker
	calls      callList
	items      map[string]struct{} // ids of items
	reasoning  int                 // message with reasoning that waits for its item; -1: none
	referenced bool                // an item is stored at the provider
}

// A responsesItem is the part of an item that the checks read.
type responsesItem struct {
	Type       loose           `json:"type"`
	Role       loose           `json:"role"`
	ID         loose           `json:"id"`
	CallID     loose           `json:"call_id"`
	ApprovalID loose           `json:"approval_request_id"`
	Name       loose           `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Content    json.RawMessage `json:"content"`
}

func (r *responsesItems) finish() {
	r.endReasoning()
	if r.referenced { // the other half of a pair may be stored at the provider
		for _, s := range r.orphans {
			r.problems[s.problem].Rule = ""
		}
		r.orphans = nil
		return
	}
	for _, call := range r.calls.calls {
		if !call.answered {
			r.unanswered(call.index, call.id)
		}
	}
}

func (r *responsesItems) fields(i int, m *Message) {
	switch m.Role {
	case Tool:
		r.endReasoning()
		r.output(i, m.ToolCallID, "")
	case Assistant:
		r.reasoning = -1
		r.noImages(i, m)
		for _, call := range m.ToolCalls {
			r.checkCall(i, call)
			r.call(i, call.ID, "")
		}
		return
	default:
		r.endReasoning()
	}
	for k := range m.Parts {
		if p := &m.Parts[k]; p.Type == ImageB64Part {
			r.imageType(i, p.MediaType)
		}
	}
}

// endReasoning notes that the next item is not the model's.
func (r *responsesItems) endReasoning() {
	if r.reasoning < 0 {
		return
	}
	r.add(r.reasoning, RuleOrphanedReasoning, "a reasoning item is not followed by its message or call: keep that "+
		"item, or drop the reasoning too")
	r.reasoning = -1
}

func (r *responsesItems) call(i int, id, kind string) {
	if id != "" && r.calls.list(listedCall{id: id, kind: kind, index: i}) {
		r.duplicate(i, id)
	}
}

func (r *responsesItems) output(i int, id, kind string) {
	place := r.calls.find(id)
	switch {
	case place < 0 || kind != "" && r.calls.calls[place].kind != "" && kind != r.calls.calls[place].kind:
		r.orphan(i, id)
	case r.calls.calls[place].answered:
		r.twice(i, id)
	default:
		r.calls.calls[place].answered = true
	}
}

func (r *responsesItems) raw(i int, m *Message) {
	var items []responsesItem
	var err error
	switch firstByte(m.Raw) {
	case '[':
		err = json.Unmarshal(m.Raw, &items)
	default:
		items = make([]responsesItem, 1)
		err = json.Unmarshal(m.Raw, &items[0])
	}
	if err != nil {
		r.badRaw(i, "an input item, or an array of items")
		return
	}
	for k := range items {
		r.item(i, &items[k])
	}
}

// outputs maps the type of a call to the type of the item that answers it. Calls
// that the provider runs itself are not in it: it answers them itself.
var outputs = map[loose]string{
	"function_call":        "function_call_output",
	"custom_tool_call":     "custom_tool_call_output",
	"computer_call":        "computer_call_output",
	"local_shell_call":     "local_shell_call_output",
	"shell_call":           "shell_call_output",
	"apply_patch_call":     "apply_patch_call_output",
	"tool_search_call":     "tool_search_output",
	"mcp_approval_request": "mcp_approval_response",
}

func (r *responsesItems) item(i int, item *responsesItem) {
	kind := item.Type
	if kind == "" && item.Role == "" {
		r.badRaw(i, "an input item, or an array of items")
		return
	}
	message := kind == "" || kind == "message"
	answer := strings.HasSuffix(string(kind), "_output") || kind == "mcp_approval_response"
	switch {
	case kind == "reasoning":
		r.reasoning = i
	case answer, message && item.Role != "assistant":
		r.endReasoning()
	default:
		r.reasoning = -1
	}
	if kind == "item_reference" {
		r.referenced = true
	}
	if item.ID != "" && !answer {
		r.itemID(i, string(item.ID))
	}
	switch {
	case answer:
		r.rawOutput(i, item)
	case outputs[kind] != "":
		r.rawCall(i, item)
	case message && item.Role == "assistant":
		r.rawContent(i, item.Content)
	}
}

func (r *responsesItems) itemID(i int, id string) {
	if r.items == nil {
		r.items = make(map[string]struct{})
	}
	if _, ok := r.items[id]; ok {
		r.duplicate(i, id)
	}
	r.items[id] = struct{}{}
}

func (r *responsesItems) rawCall(i int, item *responsesItem) {
	id := string(item.CallID)
	switch item.Type {
	case "function_call":
		var arguments loose
		if json.Unmarshal(item.Arguments, &arguments) != nil {
			arguments = ""
		}
		r.checkCall(i, ToolCall{id, string(item.Name), []byte(arguments)})
	case "custom_tool_call":
		r.checkCall(i, ToolCall{ID: id, Name: string(item.Name)})
	case "mcp_approval_request":
		id = string(item.ID)
	}
	r.call(i, id, outputs[item.Type])
}

func (r *responsesItems) rawOutput(i int, item *responsesItem) {
	id := string(item.CallID)
	switch item.Type {
	case "mcp_approval_response":
		id = string(item.ApprovalID)
	case "local_shell_call_output":
		if id == "" {
			id = string(item.ID)
		}
	case "program_output":
		return
	}
	if id != "" {
		r.output(i, id, string(item.Type))
	}
}

func (r *responsesItems) rawContent(i int, content []byte) {
	var parts []struct {
		Type loose `json:"type"`
	}
	if firstByte(content) != '[' || json.Unmarshal(content, &parts) != nil {
		return
	}
	for _, p := range parts {
		if p.Type == "input_image" {
			r.imageOf(i, Assistant)
			return
		}
	}
}
