package conversation

import (
	"encoding/json"
	"strings"
)

// responsesItems pairs the items of the Responses API: an output may come anywhere
// behind its call, but reasoning directly before what came of it.
type responsesItems struct {
	*checker
	calls      []responsesCall
	places     map[string]int      // of the calls, by id
	items      map[string]struct{} // the ids of items
	reasoning  int                 // the message whose reasoning waits for its item; -1: none
	referenced bool                // something is kept on the provider's side
}

type responsesCall struct {
	id       string
	kind     string // the type of its output; "": of a message without Raw, any
	index    int    // of the message
	before   int    // the place of the call before with this id; -1: none
	answered bool
}

// A responsesItem has of an item what is looked at.
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

func (c *checker) responses() {
	r := responsesItems{checker: c, reasoning: -1}
	for i := range c.msgs {
		if m := &c.msgs[i]; !c.usable(i) {
			continue
		} else if c.raw(m) {
			r.rawItems(i, m)
		} else {
			r.fields(i, m)
		}
	}
	r.endReasoning()
	if r.referenced {
		r.problems = dropStrays(r.problems, r.orphans)
		r.orphans = nil
		return
	}
	for k := range r.calls {
		if call := &r.calls[k]; !call.answered {
			r.unanswered(call.index, call.id)
		}
	}
}

// dropStrays takes the problems back: what is missing may be on the provider's side.
func dropStrays(problems []Problem, strays []stray) []Problem {
	for _, s := range strays {
		problems[s.problem].Rule = ""
	}
	return problems
}

func (r *responsesItems) fields(i int, m *Message) {
	switch m.Role {
	case Tool:
		r.endReasoning()
		r.output(i, m.ToolCallID, "")
	case Assistant:
		r.reasoning = -1
		r.noImages(i, m)
		for k := range m.ToolCalls {
			call := &m.ToolCalls[k]
			r.callForm(i, call.ID, call.Name, call.Arguments)
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

// endReasoning says that what comes next is not of the model.
func (r *responsesItems) endReasoning() {
	if r.reasoning < 0 {
		return
	}
	r.add(r.reasoning, ruleReasoning, "a reasoning item is not followed by what came of it: keep the message or the call behind it, or drop the reasoning too")
	r.reasoning = -1
}

func (r *responsesItems) call(i int, id, kind string) {
	if id == "" {
		return
	}
	if r.places == nil {
		r.places = make(map[string]int, len(r.msgs)/4)
	}
	before, ok := r.places[id]
	if !ok {
		before = -1
	} else {
		r.duplicate(i, id)
	}
	r.places[id] = len(r.calls)
	r.calls = append(r.calls, responsesCall{id: id, kind: kind, index: i, before: before})
}

func (r *responsesItems) output(i int, id, kind string) {
	place, ok := r.places[id]
	if !ok || kind != "" && r.calls[place].kind != "" && kind != r.calls[place].kind {
		r.orphan(i, id)
		return
	}
	for r.calls[place].answered {
		if r.calls[place].before < 0 {
			r.twice(i, id)
			return
		}
		place = r.calls[place].before
	}
	r.calls[place].answered = true
}

func (r *responsesItems) rawItems(i int, m *Message) {
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
		r.badRaw(i, "an input item, nor an array of items")
		return
	}
	for k := range items {
		r.item(i, &items[k])
	}
}

// outputs says which item answers a call. What the provider runs itself, and
// answers itself, is not among them.
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
		r.badRaw(i, "an input item, nor an array of items")
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
		r.callForm(i, id, string(item.Name), []byte(arguments))
	case "custom_tool_call":
		r.callForm(i, id, string(item.Name), nil)
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
			r.add(i, ruleImage, "an image in a message of role assistant: put it into a message of the user")
			return
		}
	}
}
