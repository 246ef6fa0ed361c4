package conversation

import "encoding/json"

// A chatMessage is the part of a chat completions message that the checks read.
type chatMessage struct {
	Role         loose           `json:"role"`
	Content      json.RawMessage `json:"content"`
	ToolCallID   loose           `json:"tool_call_id"`
	ToolCalls    []chatCall      `json:"tool_calls"`
	FunctionCall json.RawMessage `json:"function_call"`
	Refusal      loose           `json:"refusal"`
	Audio        json.RawMessage `json:"audio"`
}

type chatCall struct {
	ID       loose `json:"id"`
	Type     loose `json:"type"`
	Function struct {
		Name      loose `json:"name"`
		Arguments loose `json:"arguments"`
	} `json:"function"`
	Custom struct {
		Name loose `json:"name"`
	} `json:"custom"`
}

// A chatList follows the messages of chat completions. The results of a message
// with calls follow that message.
type chatList struct{ *checker }

func (c *chatList) finish() { c.endTurn() }

func (c *chatList) fields(i int, m *Message) {
	switch m.Role {
	case User:
		c.interrupt()
		for k := range m.Parts {
			if p := &m.Parts[k]; p.Type == ImageB64Part {
				c.imageType(i, p.MediaType)
			}
		}
		return
	case Tool:
		c.result(i, m.ToolCallID)
		for k := range m.Parts {
			if m.Parts[k].Type != TextPart {
				c.add(i, RuleImage, "a result has an image, which is sent after the results, as a message of the "+
					"user: say in the result that it follows")
				return
			}
		}
		return
	case Assistant:
		c.endTurn()
		for _, call := range m.ToolCalls {
			c.toolCall(i, call)
		}
	default:
		c.interrupt()
	}
	c.noImages(i, m)
}

func (c *chatList) toolCall(i int, call ToolCall) {
	c.checkCall(i, call)
	if c.call(i, call.ID, call.Name) {
		c.duplicate(i, call.ID)
	}
}

func (c *chatList) raw(i int, m *Message) {
	var raw chatMessage
	if json.Unmarshal(m.Raw, &raw) != nil || raw.Role == "" {
		c.badRaw(i, "a message of chat completions")
		return
	}
	c.content(i, &raw)
	switch raw.Role {
	case "tool":
		c.result(i, string(raw.ToolCallID))
	case "assistant":
		c.endTurn()
		if raw.ToolCalls != nil && len(raw.ToolCalls) == 0 {
			c.add(i, RuleRawForm, "tool_calls is an empty list: drop the member")
		}
		for k := range raw.ToolCalls {
			call := &raw.ToolCalls[k]
			name, arguments := call.Function.Name, call.Function.Arguments
			if call.Type == "custom" {
				name, arguments = call.Custom.Name, ""
			}
			c.toolCall(i, ToolCall{string(call.ID), string(name), []byte(arguments)})
		}
	case "function":
	default:
		c.interrupt()
	}
}

// content checks the content of a message. A message of the assistant may have
// something else instead.
func (c *chatList) content(i int, raw *chatMessage) {
	instead := raw.Role == "assistant" && (len(raw.ToolCalls) > 0 || isObject(raw.FunctionCall) ||
		isObject(raw.Audio) || raw.Refusal != "")
	var parts []struct {
		Type loose `json:"type"`
	}
	switch firstByte(raw.Content) {
	case '"':
		return
	case '[':
		if json.Unmarshal(raw.Content, &parts) != nil {
			c.badRaw(i, "a message of chat completions")
			return
		}
	}
	if len(parts) == 0 && !instead {
		c.add(i, RuleEmptyContent, "the content is null or an empty list: give it a text, even an empty one")
	}
	if raw.Role == "user" {
		return
	}
	for _, p := range parts {
		if p.Type == "image_url" {
			c.imageOf(i, Role(raw.Role))
			return
		}
	}
}

func isObject(text []byte) bool { return firstByte(text) == '{' }
