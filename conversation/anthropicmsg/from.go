package anthropicmsg

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/anthropics/anthropic-sdk-go/v2"
)

// ErrNoContent: a response has nothing that could be sent back.
var ErrNoContent = errors.New("no content")

// From returns the messages of a request, in order. Each param gives one message. A
// user message with tool results gives one for each result, and one for the blocks
// between results. The messages share no memory with the params. [To] returns params
// that are sent as the same JSON, except for what no request may have: see [To], and
// [FromResponse] for an answer with a fallback block.
//
// Errors: conversation.ErrInvalid for the first param that has no role or no content,
// or has a tool result that names no call.
func From(params ...anthropic.MessageParam) ([]conversation.Message, error) {
	var msgs []conversation.Message
	for i, p := range params {
		raw, err := p.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("translate message %d from Anthropic's form: %w", i, err)
		}
		translated, err := fromRaw(raw)
		if err != nil {
			return nil, fmt.Errorf("translate message %d from Anthropic's form: %w", i, err)
		}
		msgs = append(msgs, translated...)
	}
	return msgs, nil
}

// FromSystem returns a message for each text of a system prompt, with all of its
// members, such as cache_control. Put them before all other messages.
//
// Errors: conversation.ErrInvalid.
func FromSystem(texts ...anthropic.TextBlockParam) ([]conversation.Message, error) {
	var msgs []conversation.Message
	for i, t := range texts {
		raw, err := t.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("translate system text %d from Anthropic's form: %w", i, err)
		}
		m, err := fromBlocks(conversation.System, []json.RawMessage{raw})
		if err != nil {
			return nil, fmt.Errorf("translate system text %d from Anthropic's form: %w", i, err)
		}
		m.Raw = array([]json.RawMessage{raw})
		msgs = append(msgs, m)
	}
	return msgs, nil
}

// FromResponse returns the model's answer. Its blocks are kept byte for byte, even
// those that the SDK does not know. Some blocks are left out, because the provider
// sometimes sends them but does not accept them: empty texts, thinking at the end of an
// answer that was cut off, and before a fallback block the thinking and the calls of the
// model that declined. If r was accumulated from a stream, the stream
// must have been read to its end.
//
// Errors: [ErrNoContent] if nothing is left, for example because the model had nothing
// to add: ask again, or continue with a message of the user. conversation.ErrInvalid.
func FromResponse(r *anthropic.Message) (conversation.Message, error) {
	var none conversation.Message
	if r == nil {
		return none, fmt.Errorf("translate a response of Anthropic: %w", invalid("it is nil"))
	}
	if r.StopReason == "" && r.RawJSON() != "" {
		return none, fmt.Errorf("translate a response of Anthropic: %w",
			invalid("it has no stop_reason: read its stream to the end, or take the text alone"))
	}
	var list []json.RawMessage
	for i, b := range r.Content {
		raw := json.RawMessage(b.RawJSON())
		if len(raw) == 0 { // made by hand; the SDK does not encode its fields
			return none, fmt.Errorf("translate block %d of a response of Anthropic: %w",
				i, invalid("it has no JSON: unmarshal the message from the provider's answer"))
		}
		if b.Type == "text" && strings.TrimSpace(b.Text) == "" {
			continue
		}
		list = append(list, raw)
	}
	list = withoutDeclined(list)
	end := 0 // after the last block that may end a message
	for i, raw := range list {
		switch readBlock(raw).kind() {
		case "thinking", "redacted_thinking", "fallback":
		default:
			end = i + 1
		}
	}
	list = list[:end]
	if len(list) == 0 {
		return none, fmt.Errorf("translate a response of Anthropic that stopped with %q: %w: ask again, or append a "+
			"user message and no answer", r.StopReason, ErrNoContent)
	}
	msgs, err := fromRaw(append(append([]byte(`{"content":`), array(list)...), `,"role":"assistant"}`...))
	if err != nil {
		return none, fmt.Errorf("translate a response of Anthropic: %w", err)
	}
	return msgs[0], nil
}

// fromRaw returns the messages for one message of the provider. They keep raw.
func fromRaw(raw json.RawMessage) ([]conversation.Message, error) {
	e, err := openEnvelope(raw)
	if err != nil {
		return nil, err
	}
	list, err := blocks(e.content)
	if err != nil {
		return nil, err
	}
	role := conversation.Role(e.role)
	if role == conversation.Assistant {
		if kept := withoutDeclined(list); len(kept) < len(list) {
			list = kept
			e.raw = e.with(array(list))
		}
	}
	pieces := [][]json.RawMessage{list}
	if role == conversation.User {
		pieces = split(list)
	}
	msgs := make([]conversation.Message, len(pieces))
	for i, piece := range pieces {
		if msgs[i], err = fromBlocks(role, piece); err != nil {
			return nil, err
		}
		switch {
		case len(pieces) == 1:
			msgs[i].Raw = e.raw
		case i == 0:
			msgs[i].Raw = e.with(array(piece))
		default:
			msgs[i].Raw = array(piece)
		}
	}
	return msgs, nil
}

// withoutDeclined leaves out what a model did before it declined and the model of the
// last fallback block took over: its thinking, and its calls without a result. The
// provider refuses them. Texts stay, and so does the fallback block. See
// anthropic.BetaFallbackBlockParam, and lib/betafallback in the SDK.
func withoutDeclined(list []json.RawMessage) []json.RawMessage {
	last := -1
	answered := map[string]bool{}
	for i, raw := range list {
		switch b := readBlock(raw); {
		case b.kind() == "fallback":
			last = i
		case strings.HasSuffix(b.kind(), "_tool_result"):
			answered[b.text("tool_use_id")] = true
		}
	}
	if last < 0 {
		return list
	}
	var kept []json.RawMessage
	for i, raw := range list {
		if i < last {
			switch b := readBlock(raw); b.kind() {
			case "thinking", "redacted_thinking", "connector_text", "tool_use":
				continue
			case "server_tool_use", "mcp_tool_use":
				if !answered[b.text("id")] {
					continue
				}
			}
		}
		kept = append(kept, raw)
	}
	return kept
}

// split cuts the blocks of a user message before and after each tool result.
func split(list []json.RawMessage) [][]json.RawMessage {
	var pieces [][]json.RawMessage
	open := false // the last piece may grow
	for _, b := range list {
		result := readBlock(b).kind() == "tool_result"
		if open && !result {
			pieces[len(pieces)-1] = append(pieces[len(pieces)-1], b)
			continue
		}
		pieces = append(pieces, []json.RawMessage{b})
		open = !result
	}
	if pieces == nil {
		return [][]json.RawMessage{nil}
	}
	return pieces
}

// fromBlocks returns the message for some blocks, without its Raw.
func fromBlocks(role conversation.Role, list []json.RawMessage) (conversation.Message, error) {
	m := conversation.Message{Role: role, RawProvider: conversation.Anthropic}
	if role == conversation.User && len(list) == 1 {
		if b := readBlock(list[0]); b.kind() == "tool_result" {
			return fromResult(b)
		}
	}
	var parts []conversation.Part
	wasText := false
	for _, raw := range list {
		b := readBlock(raw)
		if role == conversation.Assistant && b.kind() == "tool_use" {
			m.ToolCalls = append(m.ToolCalls, conversation.ToolCall{
				ID: b.text("id"), Name: b.text("name"), Arguments: b["input"],
			})
			wasText = false
			continue
		}
		// Citations split the model's sentences into blocks.
		text := b.kind() == "text"
		if role == conversation.Assistant && text && wasText {
			parts[len(parts)-1].Text += b.text("text")
			continue
		}
		wasText = text
		parts = append(parts, b.parts()...)
	}
	setContent(&m, parts)
	return m, nil
}

func fromResult(b block) (conversation.Message, error) {
	m := conversation.Message{Role: conversation.Tool, RawProvider: conversation.Anthropic,
		ToolCallID: b.text("tool_use_id")}
	if m.ToolCallID == "" {
		return m, invalid("a tool_result has no tool_use_id")
	}
	m.IsError = string(b["is_error"]) == "true"
	parts, err := b.contentParts()
	if err != nil {
		return m, err
	}
	setContent(&m, parts)
	return m, nil
}

// setContent puts one text into Content, and everything else into Parts.
func setContent(m *conversation.Message, parts []conversation.Part) {
	if len(parts) == 1 && parts[0].Type == conversation.TextPart {
		m.Content = parts[0].Text
		return
	}
	m.Parts = parts
}
