package openaimsg

import (
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// FromChat returns one message for each param. Errors: [conversation.ErrInvalid] for a
// param without a role of chat completions, and for a result that names no call.
func FromChat(params ...openai.ChatCompletionMessageParamUnion) ([]conversation.Message, error) {
	msgs := make([]conversation.Message, len(params))
	for i, p := range params {
		raw, err := rawOf(p)
		if err == nil {
			msgs[i], err = readChat(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("translate message %d from OpenAI's form: %w", i, err)
		}
	}
	return msgs, nil
}

// FromChatMessage returns the message of a choice, as it came. If it was accumulated
// from a stream, its fields are read. Errors: [conversation.ErrInvalid].
func FromChatMessage(m openai.ChatCompletionMessage) (conversation.Message, error) {
	raw := json.RawMessage(m.RawJSON())
	if len(raw) == 0 {
		raw = encodeChat(m)
	}
	msg, err := readChat(raw)
	if err == nil && msg.Role != conversation.Assistant {
		err = fmt.Errorf("the role of an answer is assistant, not %s: %w", msg.Role, conversation.ErrInvalid)
	}
	if err != nil {
		return conversation.Message{}, fmt.Errorf("translate a response of OpenAI: %w", err)
	}
	return msg, nil
}

// rawOf returns the JSON of a param: the bytes that it was made of, or the JSON that
// the client would send.
func rawOf(p interface {
	Overrides() (any, bool)
	MarshalJSON() ([]byte, error)
}) (json.RawMessage, error) {
	if o, ok := p.Overrides(); ok {
		if raw, ok := o.(json.RawMessage); ok {
			return append(json.RawMessage{}, raw...), nil
		}
	}
	raw, err := p.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", err, conversation.ErrInvalid)
	}
	return append(json.RawMessage{}, raw...), nil
}

// encodeChat returns the JSON of a message from a stream, which has none of its own.
func encodeChat(m openai.ChatCompletionMessage) json.RawMessage {
	w := map[string]any{"role": "assistant"}
	if m.Content != "" {
		w["content"] = m.Content
	}
	if m.Refusal != "" {
		w["refusal"] = m.Refusal
	}
	if m.Audio.ID != "" {
		w["audio"] = map[string]any{"id": m.Audio.ID, "data": m.Audio.Data, "expires_at": m.Audio.ExpiresAt, "transcript": m.Audio.Transcript}
	}
	//lint:ignore SA1019 servers still answer with it
	if f := m.FunctionCall; f.Name != "" {
		w["function_call"] = map[string]any{"name": f.Name, "arguments": f.Arguments}
	}
	var calls []any
	for _, c := range m.ToolCalls {
		if c.Type == "custom" || c.Custom.Name != "" {
			calls = append(calls, map[string]any{"id": c.ID, "type": "custom", "custom": map[string]any{"name": c.Custom.Name, "input": c.Custom.Input}})
			continue
		}
		calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Function.Name, "arguments": c.Function.Arguments}})
	}
	if calls != nil {
		w["tool_calls"] = calls
	}
	if len(w) == 1 {
		w["content"] = ""
	}
	return encode(w)
}

// readChat returns the message for raw, and keeps raw in it.
func readChat(raw json.RawMessage) (conversation.Message, error) {
	o, err := parse(raw)
	if err != nil {
		return conversation.Message{}, err
	}
	m := conversation.Message{Raw: raw, RawProvider: conversation.OpenAIChat}
	parts := readParts(o["content"])
	switch role := o.text("role"); role {
	case "system", "developer":
		m.Role = conversation.System
	case "user":
		m.Role = conversation.User
	case "assistant":
		m.Role = conversation.Assistant
		parts = append(parts, textPart(o.text("refusal"))...)
		if audio := o.object("audio"); audio != nil && len(parts) == 0 {
			parts = spoken(audio)
		}
		m.ToolCalls = readChatCalls(o)
	case "tool", "function":
		m.Role = conversation.Tool
		if m.ToolCallID, err = chatCallID(o); err != nil {
			return conversation.Message{}, err
		}
	default:
		return conversation.Message{}, fmt.Errorf("the role is %.64q, allowed are developer, system, user, assistant, tool and function: %w", role, conversation.ErrInvalid)
	}
	setParts(&m, parts)
	return m, nil
}

// spoken returns the text of an answer in audio.
func spoken(audio object) []conversation.Part {
	if text := audio.text("transcript"); text != "" {
		return textPart(text)
	}
	return textPart("[audio]")
}

// chatCallID returns the id of the call that a result answers. If it names only a
// function, the id is made from that name.
func chatCallID(o object) (string, error) {
	if id := o.text("tool_call_id"); id != "" {
		return id, nil
	}
	if name := o.text("name"); name != "" {
		return unnamedID(name), nil
	}
	return "", fmt.Errorf("a result has no tool_call_id: name the call that it answers: %w", conversation.ErrInvalid)
}

func readChatCalls(o object) []conversation.ToolCall {
	var calls []conversation.ToolCall
	for _, c := range o.objects("tool_calls") {
		call := readChatCall(c)
		call.ID = c.text("id")
		if call.ID == "" {
			call.ID = unnamedID(call.Name)
		}
		calls = append(calls, call)
	}
	if f := o.object("function_call"); f.text("name") != "" {
		name := f.text("name")
		calls = append(calls, conversation.ToolCall{ID: unnamedID(name), Name: name, Arguments: f.arguments("arguments")})
	}
	return calls
}

func readChatCall(c object) conversation.ToolCall {
	if f := c.object("function"); f != nil {
		return conversation.ToolCall{Name: f.text("name"), Arguments: f.arguments("arguments")}
	}
	if f := c.object("custom"); f != nil {
		return conversation.ToolCall{Name: f.text("name"), Arguments: customArguments(f)}
	}
	kind := c.text("type")
	return conversation.ToolCall{Name: kind, Arguments: c.arguments(kind)}
}

// customArguments returns the input of a custom tool, which may be any text, as
// arguments.
func customArguments(o object) json.RawMessage {
	return encode(map[string]string{"input": o.text("input")})
}
