package providertest

import (
	"github.com/agent-scratchpad/scratchpad/conversation"
)

// geminiForm writes contents of generateContent.
type geminiForm struct{ *generator }

// system leaves out Raw: in this API instructions are not contents.
func (f geminiForm) system(text string) conversation.Message { return conversation.SystemText(text) }

func (f geminiForm) raw(m conversation.Message, role string, parts []any) conversation.Message {
	return withRaw(m, conversation.Gemini, object{"role", role, "parts", parts})
}

func (f geminiForm) parts(parts []conversation.Part) []any {
	list := []any{}
	for _, p := range parts {
		switch p.Type {
		case conversation.TextPart:
			list = append(list, object{"text", p.Text})
		case conversation.ImagePart:
			list = append(list, object{"fileData", object{"mimeType", "image/png", "fileUri", p.URL}})
		default:
			list = append(list, object{"inlineData", object{"mimeType", p.MediaType, "data", p.Data}})
		}
	}
	return list
}

func (f geminiForm) user(parts []conversation.Part) conversation.Message {
	return f.raw(plainForm{}.user(parts), "user", f.parts(parts))
}

// model signs the first call, as the newest models do, and sometimes a text.
func (f geminiForm) model(s said) []conversation.Message {
	var parts []any
	if f.one(3) {
		parts = append(parts, object{"text", f.text(), "thought", true})
	}
	if s.text != "" {
		p := object{"text", s.text}
		if len(s.calls) == 0 && f.one(2) {
			p = append(p, "thoughtSignature", Signature(string(encode(p))))
		}
		parts = append(parts, p)
	}
	ids := f.one(2)
	for i, c := range s.calls {
		call := object{"name", c.Name, "args", c.Arguments}
		if ids {
			call = append(call, "id", c.ID)
		}
		p := object{"functionCall", call}
		if i == 0 {
			p = append(p, "thoughtSignature", Signature(string(encode(p))))
		}
		parts = append(parts, p)
	}
	m := conversation.Message{Role: conversation.Assistant, Content: s.text, ToolCalls: s.calls}
	return []conversation.Message{f.raw(m, "model", parts)}
}

// results leaves out Raw if there are several: they are one content of the API, and
// several messages.
func (f geminiForm) results(calls map[string]conversation.ToolCall, results []conversation.Message) {
	if len(calls) > 1 {
		return
	}
	for i, m := range results {
		name := "output"
		if m.IsError {
			name = "error"
		}
		response := object{"name", calls[m.ToolCallID].Name, "response", object{name, m.Text()}}
		if m.Parts != nil {
			response = append(response, "parts", f.parts(m.Parts)[1:])
		}
		if f.one(2) {
			response = append(response, "id", m.ToolCallID)
		}
		results[i] = f.raw(m, "user", []any{object{"functionResponse", response}})
	}
}

func (f geminiForm) further(text string) conversation.Message {
	return f.user(content(conversation.UserText(text)))
}
