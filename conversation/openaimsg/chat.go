package openaimsg

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openai/openai-go/v3"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/member"
)

// FromChat returns one message for each param. A call without an id, as some servers send,
// is given one, in Raw too. A result without an id answers the first such call that has
// none yet, of its name if it has one. Errors: [conversation.ErrInvalid] for a param
// without a role of chat completions, and for a result that names no call.
func FromChat(params ...openai.ChatCompletionMessageParamUnion) ([]conversation.Message, error) {
	msgs := make([]conversation.Message, len(params))
	var r chatReader
	for i, p := range params {
		raw, err := rawOf(p)
		if err == nil {
			msgs[i], err = r.read(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("translate message %d from OpenAI's form: %w", i, err)
		}
	}
	return msgs, nil
}

// FromChatMessage returns the message of a choice, as it came. If it was accumulated
// from a stream, its fields are read. A call without an id is given one, in Raw too.
// Errors: [conversation.ErrInvalid].
func FromChatMessage(m openai.ChatCompletionMessage) (conversation.Message, error) {
	raw := json.RawMessage(m.RawJSON())
	if len(raw) == 0 {
		raw = encodeChat(m)
	}
	var r chatReader
	msg, err := r.read(raw)
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
		w["audio"] = map[string]any{"id": m.Audio.ID, "data": m.Audio.Data, "expires_at": m.Audio.ExpiresAt,
			"transcript": m.Audio.Transcript}
	}
	//lint:ignore SA1019 servers still answer with it
	if f := m.FunctionCall; f.Name != "" {
		w["function_call"] = map[string]any{"name": f.Name, "arguments": f.Arguments}
	}
	var calls []any
	for _, c := range m.ToolCalls {
		if c.Type == "custom" || c.Custom.Name != "" {
			calls = append(calls, map[string]any{"id": c.ID, "type": "custom",
				"custom": map[string]any{"name": c.Custom.Name, "input": c.Custom.Input}})
			continue
		}
		calls = append(calls, map[string]any{"id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Function.Name, "arguments": c.Function.Arguments}})
	}
	if calls != nil {
		w["tool_calls"] = calls
	}
	if len(w) == 1 {
		w["content"] = ""
	}
	return encode(w)
}

// A chatReader reads the messages of one conversation, in order.
type chatReader struct {
	unnamed []conversation.ToolCall // calls that came without an id, and have no result yet
}

// read returns the message for raw, and keeps raw in it.
func (r *chatReader) read(raw json.RawMessage) (conversation.Message, error) {
	o, err := parse(raw)
	if err != nil {
		return conversation.Message{}, err
	}
	if role := o.text("role"); role == "assistant" || role == "tool" {
		if named := r.withIDs(o, raw); !bytes.Equal(named, raw) {
			raw = named
			if o, err = parse(raw); err != nil {
				return conversation.Message{}, err
			}
		}
	}
	return readChat(o, raw)
}

// withIDs gives an id to each call of a message that has none, and to a result the id of
// the call that it answers.
func (r *chatReader) withIDs(o object, raw json.RawMessage) json.RawMessage {
	if o.text("role") == "tool" {
		name := o.text("name")
		i := slices.IndexFunc(r.unnamed, func(c conversation.ToolCall) bool { return name == "" || c.Name == name })
		if o.text("tool_call_id") != "" || i < 0 {
			return raw
		}
		id := r.unnamed[i].ID
		r.unnamed = slices.Delete(r.unnamed, i, i+1)
		return member.Set(raw, "tool_call_id", encode(id))
	}
	return member.Edit(raw, func(name string, value json.RawMessage) json.RawMessage {
		if name != "tool_calls" {
			return value
		}
		return member.Each(value, func(_ int, raw json.RawMessage) json.RawMessage {
			var call object
			if json.Unmarshal(raw, &call) != nil || call == nil || call.text("id") != "" {
				return raw
			}
			c := readChatCall(call)
			c.ID = "call_" + rand.Text()
			r.unnamed = append(r.unnamed, c)
			return member.Set(raw, "id", encode(c.ID))
		})
	})
}

// readChat returns the message for raw, which o is.
func readChat(o object, raw json.RawMessage) (conversation.Message, error) {
	var err error
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
		return conversation.Message{}, fmt.Errorf("the role is %.64q, allowed are developer, system, user, "+
			"assistant, tool and function: %w", role, conversation.ErrInvalid)
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
		calls = append(calls, call)
	}
	if f := o.object("function_call"); f.text("name") != "" {
		name := f.text("name")
		calls = append(calls, conversation.ToolCall{ID: unnamedID(name), Name: name,
			Arguments: f.arguments("arguments")})
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
