package conversation

import "encoding/json"

// A chatMessage has of a message of chat completions what is looked at.
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

func (c *checker) chat() {
	for i := range c.msgs {
		if m := &c.msgs[i]; !c.usable(i) {
			continue
		} else if c.raw(m) {
			c.chatRaw(i, m)
		} else {
			c.chatFields(i, m)
		}
	}
	c.endTurn()
}

func (c *checker) chatFields(i int, m *Message) {
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
				c.add(i, ruleImage, "an image in a result: it is sent behind the results, as a message of the user; say in the result that it follows")
				return
			}
		}
		return
	case Assistant:
		c.endTurn()
		for k := range m.ToolCalls {
			call := &m.ToolCalls[k]
			c.callForm(i, call.ID, call.Name, call.Arguments)
			c.chatCall(i, call.ID, call.Name)
		}
	default:
		c.interrupt()
	}
	c.noImages(i, m)
}

func (c *checker) chatCall(i int, id, name string) {
	if id != "" && c.turn.find(id) >= 0 {
		c.duplicate(i, id)
	}
	c.call(i, id, name)
}

func (c *checker) chatRaw(i int, m *Message) {
	var raw chatMessage
	if json.Unmarshal(m.Raw, &raw) != nil || raw.Role == "" {
		c.badRaw(i, "a message of chat completions")
		return
	}
	c.chatContent(i, &raw)
	switch raw.Role {
	case "tool":
		c.result(i, string(raw.ToolCallID))
	case "assistant":
		c.endTurn()
		if raw.ToolCalls != nil && len(raw.ToolCalls) == 0 {
			c.add(i, ruleRaw, "tool_calls is an empty list: drop the member")
		}
		for k := range raw.ToolCalls {
			call := &raw.ToolCalls[k]
			name, arguments := call.Function.Name, call.Function.Arguments
			if call.Type == "custom" {
				name, arguments = call.Custom.Name, ""
			}
			c.callForm(i, string(call.ID), string(name), []byte(arguments))
			c.chatCall(i, string(call.ID), string(name))
		}
	case "function":
	default:
		c.interrupt()
	}
}

func (c *checker) chatContent(i int, raw *chatMessage) {
	instead := raw.Role == "assistant" && (len(raw.ToolCalls) > 0 || isObject(raw.FunctionCall) || isObject(raw.Audio) || raw.Refusal != "")
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
		c.add(i, ruleEmpty, "the content is null or an empty list: give it a text, which may be empty")
	}
	if raw.Role == "user" {
		return
	}
	for _, p := range parts {
		if p.Type == "image_url" {
			c.add(i, ruleImage, "an image in a message of role %s: put it into a message of the user", clip(string(raw.Role)))
			return
		}
	}
}

func isObject(text []byte) bool { return firstByte(text) == '{' }
