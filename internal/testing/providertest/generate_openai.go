package providertest

import (
	"github.com/agent-scratchpad/scratchpad/conversation"
)

// chatForm writes messages of chat completions.
type chatForm struct{ *generator }

func (f chatForm) raw(m conversation.Message, members ...any) conversation.Message {
	return withRaw(m, conversation.OpenAIChat, object(members))
}

func (f chatForm) system(text string) conversation.Message {
	return f.raw(conversation.SystemText(text), "role", pick(f.generator, "system", "developer"), "content", text)
}

func (f chatForm) user(parts []conversation.Part) conversation.Message {
	m := plainForm{}.user(parts)
	if m.Content != "" && f.one(2) {
		return f.raw(m, "role", "user", "content", m.Content)
	}
	list := []any{}
	for _, p := range parts {
		if p.Type == conversation.TextPart {
			list = append(list, object{"type", "text", "text", p.Text})
		} else {
			list = append(list, object{"type", "image_url", "image_url", object{"url", dataURL(p), "detail", "low"}})
		}
	}
	return f.raw(m, "role", "user", "content", list, "name", "somebody")
}

func (f chatForm) model(s said) []conversation.Message {
	m := conversation.Message{Role: conversation.Assistant, Content: s.text, ToolCalls: s.calls}
	members := []any{"role", "assistant", "content", orNull(s.text), "refusal", nil}
	if f.one(4) {
		members = append(members, "reasoning_content", f.text())
	}
	var calls []any
	for _, c := range s.calls {
		calls = append(calls, object{"id", c.ID, "type", "function", "function",
			object{"name", c.Name, "arguments", string(c.Arguments)}})
	}
	if calls != nil {
		members = append(members, "tool_calls", calls)
	}
	return []conversation.Message{f.raw(m, members...)}
}

func (f chatForm) results(_ map[string]conversation.ToolCall, results []conversation.Message) {
	for i, m := range results {
		var text any = m.Text()
		if f.one(4) && text != "" {
			text = []any{object{"type", "text", "text", text}}
		}
		results[i] = f.raw(m, "role", "tool", "tool_call_id", m.ToolCallID, "content", text)
	}
}

func (f chatForm) further(text string) conversation.Message {
	return f.raw(conversation.UserText(text), "role", "user", "content", text)
}

// responsesForm writes input items of the Responses API.
type responsesForm struct{ *generator }

func (f responsesForm) raw(m conversation.Message, members ...any) conversation.Message {
	return withRaw(m, conversation.OpenAIResponses, object(members))
}

func (f responsesForm) system(text string) conversation.Message {
	return f.raw(conversation.SystemText(text), "role", pick(f.generator, "system", "developer"), "content", text)
}

func (f responsesForm) user(parts []conversation.Part) conversation.Message {
	m := plainForm{}.user(parts)
	if m.Content != "" && f.one(2) {
		return f.raw(m, "role", "user", "content", m.Content)
	}
	list := f.parts(parts)
	if f.one(10) {
		list = append(list, object{"type", "input_file", "filename", "plan.txt", "file_data",
			"data:text/plain;base64,cGxhbg=="})
		m.Content, m.Parts = "", append(content(m), conversation.Part{Type: conversation.TextPart,
			Text: "plan.txt:\nplan"})
	}
	return f.raw(m, "type", "message", "role", "user", "content", list)
}

func (f responsesForm) parts(parts []conversation.Part) []any {
	list := []any{}
	for _, p := range parts {
		if p.Type == conversation.TextPart {
			list = append(list, object{"type", "input_text", "text", p.Text})
		} else {
			list = append(list, object{"type", "input_image", "image_url", dataURL(p), "detail", "auto"})
		}
	}
	return list
}

// An itemWriter gives the items of one answer their ids. Each reasoning begins a group.
type itemWriter struct {
	responsesForm
	group, place int // 0: there was no reasoning
	pieces       []piece
}

// A piece is one item, with the message that has only this item.
type piece struct {
	msg  conversation.Message
	item object
}

func (w *itemWriter) add(m conversation.Message, item object) {
	m.Role = conversation.Assistant
	w.pieces = append(w.pieces, piece{m, item})
}

func (w *itemWriter) id(prefix string) string {
	if w.group == 0 {
		w.calls++
		return loneID(prefix, w.calls)
	}
	w.place++
	return followingID(prefix, w.group, w.place)
}

func (w *itemWriter) reasoning() {
	w.groups++
	w.group, w.place = w.groups, 0
	id, summary := reasoningID(w.group), []any{}
	if w.one(2) {
		summary = append(summary, object{"type", "summary_text", "text", w.text()})
	}
	w.add(conversation.Message{}, object{"type", "reasoning", "id", id, "summary", summary, "encrypted_content",
		Signature(id)})
}

// serverTool adds a call of a tool that the provider runs: one item with its result.
func (w *itemWriter) serverTool() {
	if w.one(2) {
		w.add(conversation.Message{}, object{"type", "web_search_call", "id", w.id("ws"), "status", "completed",
			"action", object{"type", "search", "query", w.text()}})
	} else {
		w.add(conversation.Message{}, object{"type", "mcp_call", "id", w.id("mcp"), "server_label", "example", "name",
			"echo", "arguments", "{}", "output", w.text()})
	}
}

func (w *itemWriter) call(c conversation.ToolCall) {
	m := conversation.Message{ToolCalls: []conversation.ToolCall{c}}
	if w.own && w.one(12) {
		w.custom[c.ID] = true
		w.add(m, object{"type", "custom_tool_call", "id", w.id("ctc"), "call_id", c.ID, "name", c.Name, "input",
			string(c.Arguments)})
		return
	}
	item := object{"type", "function_call", "call_id", c.ID, "name", c.Name, "arguments", string(c.Arguments)}
	if w.group != 0 || w.one(2) {
		item = append(item, "id", w.id("fc"), "status", "completed")
	}
	w.add(m, item)
}

// model writes one message with all items, one for each item, or a mix. Items that mean
// nothing to other providers are written only if Raw is sent.
func (f responsesForm) model(s said) []conversation.Message {
	w := &itemWriter{responsesForm: f}
	thinks := f.one(2)
	if thinks && f.own {
		w.reasoning()
	}
	if f.own && f.one(6) {
		w.serverTool()
		if thinks && f.one(2) {
			w.reasoning()
		}
	}
	if s.text != "" {
		w.add(conversation.AssistantText(s.text), object{"type", "message", "id", w.id("msg"), "role", "assistant",
			"status", "completed",
			"content", []any{object{"type", "output_text", "text", s.text, "annotations", []any{}}}})
	}
	for i, c := range s.calls {
		if thinks && f.own && w.place > 0 && i > 0 && f.one(5) {
			w.reasoning()
		}
		w.call(c)
	}
	return w.messages()
}

// messages groups the pieces into messages.
func (w *itemWriter) messages() []conversation.Message {
	style := w.r.IntN(3)
	if !w.own {
		style = 0 // another API does not accept two messages
	}
	var msgs []conversation.Message
	var items []any
	var m conversation.Message
	for i, p := range w.pieces {
		if style == 1 || style == 2 && i > 0 && w.one(2) {
			msgs, items, m = w.flush(msgs, m, items), nil, conversation.Message{}
		}
		m.Role = conversation.Assistant
		m.Content += p.msg.Content
		m.ToolCalls = append(m.ToolCalls, p.msg.ToolCalls...)
		items = append(items, p.item)
	}
	return w.flush(msgs, m, items)
}

func (w *itemWriter) flush(msgs []conversation.Message, m conversation.Message, items []any) []conversation.Message {
	switch {
	case len(items) == 0:
		return msgs
	case len(items) == 1 && w.one(2):
		return append(msgs, withRaw(m, conversation.OpenAIResponses, items[0]))
	}
	return append(msgs, withRaw(m, conversation.OpenAIResponses, items))
}

func (f responsesForm) results(_ map[string]conversation.ToolCall, results []conversation.Message) {
	for i, m := range results {
		kind := "function_call_output"
		if f.custom[m.ToolCallID] {
			kind = "custom_tool_call_output"
		}
		item := object{"type", kind, "call_id", m.ToolCallID, "output", m.Text()}
		if m.Parts != nil || m.Content != "" && f.one(4) {
			item[5] = f.parts(content(m))
		}
		if f.one(6) {
			results[i] = withRaw(m, conversation.OpenAIResponses, []any{item})
			continue
		}
		results[i] = withRaw(m, conversation.OpenAIResponses, item)
	}
}

func (f responsesForm) further(text string) conversation.Message {
	return f.raw(conversation.UserText(text), "role", "user", "content", text)
}
