package openaimsg

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/member"
)

// ToChat returns the messages of a chat completions request, in order. Messages from
// chat completions are sent as they came. Others are made from their fields, as the
// comment of the package says. Errors: [conversation.ErrInvalid] for an unknown role,
// and for a Raw that is not of chat completions.
func ToChat(msgs []conversation.Message) ([]openai.ChatCompletionMessageParamUnion, error) {
	w := chatWriter{
		ids:       newCallIDs(msgs, conversation.OpenAIChat, chatIDBytes),
		functions: functionCalls(msgs),
		params:    make([]openai.ChatCompletionMessageParamUnion, 0, len(msgs)),
	}
	for i, m := range msgs {
		if m.Role != conversation.Tool {
			w.flush()
		}
		if err := w.write(m); err != nil {
			return nil, fmt.Errorf("translate message %d to OpenAI's form: %w", i, err)
		}
	}
	w.flush()
	return w.params, nil
}

type chatWriter struct {
	ids       callIDs
	functions map[string]string // the name of a function_call by its id
	params    []openai.ChatCompletionMessageParamUnion
	images    []openai.ChatCompletionContentPartUnionParam // for a user message after the results
}

// functionCalls finds the calls whose results have the role function.
func functionCalls(msgs []conversation.Message) map[string]string {
	functions := map[string]string{}
	for _, m := range msgs {
		if m.RawProvider != conversation.OpenAIChat || len(m.ToolCalls) == 0 {
			continue
		}
		if o, err := parse(m.Raw); err == nil {
			if name := o.object("function_call").text("name"); name != "" {
				functions[unnamedID(name)] = name
			}
		}
	}
	return functions
}

func (w *chatWriter) write(m conversation.Message) error {
	if m.RawProvider == conversation.OpenAIChat {
		raw, err := chatRaw(m.Raw)
		if err != nil {
			return err
		}
		w.params = append(w.params, param.Override[openai.ChatCompletionMessageParamUnion](raw))
		return nil
	}
	if !says(m) {
		return nil
	}
	switch m.Role {
	case conversation.System:
		w.params = append(w.params, openai.SystemMessage(m.Text()))
	case conversation.User:
		w.params = append(w.params, chatUser(m))
		return nil
	case conversation.Assistant:
		w.params = append(w.params, w.assistant(m))
	case conversation.Tool:
		w.params = append(w.params, w.result(m))
	default:
		return fmt.Errorf("the role is %.64q, allowed are system, user, assistant and tool: %w", string(m.Role),
			conversation.ErrInvalid)
	}
	if found := images(m); len(found) > 0 {
		w.images = append(w.images, openai.TextContentPart(imagesFrom(m)))
		w.images = append(w.images, chatParts(found)...)
	}
	return nil
}

// flush writes the images that wait for the end of the results.
func (w *chatWriter) flush() {
	if len(w.images) > 0 {
		w.params = append(w.params, openai.UserMessage(w.images))
		w.images = nil
	}
}

// chatRaw returns a copy of Raw to send, without what only answers have: annotations, and
// the audio except for its id.
func chatRaw(raw json.RawMessage) (json.RawMessage, error) {
	o, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("its Raw: %w", err)
	}
	id, spoken := o.object("audio")["id"]
	return bytes.Clone(member.Edit(raw, func(name string, value json.RawMessage) json.RawMessage {
		switch {
		case name == "annotations":
			return nil
		case name == "audio" && spoken:
			return encode(map[string]json.RawMessage{"id": id})
		}
		return value
	})), nil
}

func chatUser(m conversation.Message) openai.ChatCompletionMessageParamUnion {
	if len(images(m)) == 0 {
		return openai.UserMessage(m.Text())
	}
	return openai.UserMessage(chatParts(m.Parts))
}

func chatParts(parts []conversation.Part) []openai.ChatCompletionContentPartUnionParam {
	out := make([]openai.ChatCompletionContentPartUnionParam, len(parts))
	for i, p := range parts {
		if p.Type == conversation.TextPart {
			out[i] = openai.TextContentPart(p.Text)
		} else {
			out[i] = openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: imageURL(p)})
		}
	}
	return out
}

func (w *chatWriter) assistant(m conversation.Message) openai.ChatCompletionMessageParamUnion {
	var p openai.ChatCompletionAssistantMessageParam
	if text := m.Text(); text != "" || len(m.ToolCalls) == 0 {
		p.Content.OfString = openai.String(text)
	}
	for _, c := range m.ToolCalls {
		p.ToolCalls = append(p.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: w.ids.id(c.ID),
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name:      toolName(c.Name),
					Arguments: callArguments(c),
				},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &p}
}

func (w *chatWriter) result(m conversation.Message) openai.ChatCompletionMessageParamUnion {
	text := resultText(m)
	if text == "" && len(images(m)) > 0 {
		text = "[image]"
	}
	if name, ok := w.functions[m.ToolCallID]; ok {
		return openai.ChatCompletionMessageParamOfFunction(text, name)
	}
	return openai.ToolMessage(text, w.ids.id(m.ToolCallID))
}
