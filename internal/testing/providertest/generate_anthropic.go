package providertest

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// anthropicForm writes messages of the Messages API.
type anthropicForm struct{ *generator }

// system leaves out Raw: in this API instructions are not messages.
func (f anthropicForm) system(text string) conversation.Message { return conversation.SystemText(text) }

func (f anthropicForm) raw(m conversation.Message, role string, blocks []any) conversation.Message {
	return withRaw(m, conversation.Anthropic, object{"role", role, "content", blocks})
}

func (f anthropicForm) user(parts []conversation.Part) conversation.Message {
	m := plainForm{}.user(parts)
	if len(parts) == 1 && m.Content != "" && f.one(3) {
		return withRaw(m, conversation.Anthropic, object{"role", "user", "content", m.Content})
	}
	blocks := f.blocks(parts)
	if f.one(10) {
		name, text := "plan.txt", f.text()
		blocks = append(blocks, object{"type", "document", "title", name, "source",
			object{"type", "text", "media_type", "text/plain", "data", text}})
		m.Content, m.Parts = "", append(content(m), conversation.Part{Type: conversation.TextPart, Text: name + ":\n" +
			text})
	}
	return f.raw(m, "user", blocks)
}

// blocks returns texts and images. Some have cache_control.
func (f anthropicForm) blocks(parts []conversation.Part) []any {
	blocks := []any{}
	for _, p := range parts {
		var b object
		switch p.Type {
		case conversation.TextPart:
			b = object{"type", "text", "text", p.Text}
		case conversation.ImagePart:
			b = object{"type", "image", "source", object{"type", "url", "url", p.URL}}
		default:
			b = object{"type", "image", "source", object{"type", "base64", "media_type", p.MediaType, "data", p.Data}}
		}
		if f.marks < 4 && f.one(10) {
			f.marks++
			b = append(b, "cache_control", object{"type", "ephemeral"})
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func (f anthropicForm) thinking() object {
	if f.one(5) {
		return object{"type", "redacted_thinking", "data", Signature(f.text())}
	}
	text := f.text()
	if f.one(8) {
		text = "" // the model does not show it
	}
	return object{"type", "thinking", "thinking", text, "signature", Signature(text)}
}

func (f anthropicForm) model(s said) []conversation.Message {
	var blocks []any
	thinks := f.one(2)
	if thinks {
		blocks = append(blocks, f.thinking())
		if f.one(4) {
			blocks = append(blocks, f.thinking())
		}
	}
	var paused []conversation.Message
	if f.own && f.one(6) {
		paused, blocks = f.serverTool(blocks)
		thinks = thinks && paused == nil
	}
	if s.text != "" {
		b := object{"type", "text", "text", s.text}
		if f.one(8) {
			b = append(b, "citations", []any{object{"type", "char_location", "cited_text", "the", "document_index", 0,
				"document_title", nil, "start_char_index", 0, "end_char_index", 3}})
		}
		blocks = append(blocks, b)
	}
	for i, c := range s.calls {
		if thinks && f.one(6) {
			blocks = append(blocks, f.thinking())
		}
		b := object{"type", "tool_use", "id", c.ID, "name", c.Name, "input", c.Arguments}
		if i > 0 && f.one(10) {
			b = append(b, "caller", object{"type", "direct"})
		}
		blocks = append(blocks, b)
	}
	m := conversation.Message{Role: conversation.Assistant, Content: s.text, ToolCalls: s.calls}
	return append(paused, f.raw(m, "assistant", blocks))
}

// serverTool adds a call of a tool that the provider runs. Its result is in the same
// message, or after a pause in the next one; then serverTool returns the first.
func (f anthropicForm) serverTool(blocks []any) (paused []conversation.Message, rest []any) {
	f.calls++
	text := f.text()
	var use, result object
	if f.one(3) {
		id := fmt.Sprintf("mcptoolu_01%022d", f.calls)
		use = object{"type", "mcp_tool_use", "id", id, "name", "echo", "server_name", "example", "input",
			object{"text", f.text()}}
		result = object{"type", "mcp_tool_result", "tool_use_id", id, "is_error", f.one(3), "content",
			[]any{object{"type", "text", "text", f.text()}}}
	} else {
		id := fmt.Sprintf("srvtoolu_01%022d", f.calls)
		use = object{"type", "server_tool_use", "id", id, "name", "web_search", "input", object{"query", f.text()}}
		result = object{"type", "web_search_tool_result", "tool_use_id", id, "content", []any{object{
			"type", "web_search_result", "url", "https://example.com", "title", f.text(), "encrypted_content",
			"RXhhbXBsZQ==", "page_age", nil}}}
	}
	blocks = append(blocks, object{"type", "text", "text", text}, use)
	if f.one(3) {
		return []conversation.Message{f.raw(conversation.AssistantText(text), "assistant", blocks)}, []any{result}
	}
	return nil, append(blocks, result)
}

// results returns messages of their own, or pieces of one message.
func (f anthropicForm) results(_ map[string]conversation.ToolCall, results []conversation.Message) {
	pieces := f.one(2)
	for i, m := range results {
		b := object{"type", "tool_result", "tool_use_id", m.ToolCallID}
		switch parts := content(m); {
		case len(parts) == 0:
		case len(parts) == 1 && f.one(2):
			b = append(b, "content", m.Content)
		default:
			b = append(b, "content", f.blocks(parts))
		}
		if m.IsError {
			b = append(b, "is_error", true)
		}
		if pieces && i > 0 {
			results[i] = withRaw(m, conversation.Anthropic, []any{b})
		} else {
			results[i] = f.raw(m, "user", []any{b})
		}
	}
}

func (f anthropicForm) further(text string) conversation.Message {
	m := conversation.UserText(text)
	blocks := f.blocks(content(m))
	if f.one(2) {
		return withRaw(m, conversation.Anthropic, blocks)
	}
	return f.raw(m, "user", blocks)
}
