package anthropicmsg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
)

// To returns the system prompt and the messages of a request. They share no memory
// with msgs.
//
// A message with the Raw of Anthropic is sent as it was, except for members of answers
// that no request may have, such as the file_id of a citation. If its Raw is an array, its
// blocks are added to the user message before it. The SDK's block types are used if
// they lose nothing. Other blocks, and messages with members that the SDK does not
// know, are raw JSON, with no fields set.
//
// Other messages are made from their fields:
//   - The leading system messages, such as a summary, become the system prompt, with a
//     block for each text. A later one is sent as a user's text in <system> tags,
//     because few models accept system messages there.
//   - Consecutive messages of the user, or of the model, become one, because not every
//     host accepts two. Results of tools come first in it.
//   - A text without a visible character is not sent, and neither is a message without
//     any content: the provider refuses both.
//   - The images of a failed result follow the results. An image with a URL that is not
//     https is sent as a text with the URL.
//   - Arguments that are not a JSON object, such as those of a call that was cut off,
//     are sent as {"INVALID_JSON": "what the model wrote"}.
//   - A character that the provider does not allow in a call's ID becomes an
//     underscore. A hash keeps the ID unique, and equal in call and result.
//
// To returns an error rather than lose something: an image in a system or assistant
// message, a call without ID or name, a part of an unknown type. To does not correct a
// conversation: see conversation.Check.
//
// Errors: conversation.ErrInvalid, with the index of the message.
func To(msgs []conversation.Message) (system []anthropic.TextBlockParam, messages []anthropic.MessageParam, err error) {
	lead := 0
	for lead < len(msgs) && msgs[lead].Role == conversation.System && !isObject(msgs[lead]) {
		texts, err := systemTexts(msgs[lead])
		if err != nil {
			return nil, nil, fmt.Errorf("translate message %d to Anthropic's form: %w", lead, err)
		}
		system = append(system, texts...)
		lead++
	}
	var b builder
	for i, m := range msgs[lead:] {
		if err := b.add(m); err != nil {
			return nil, nil, fmt.Errorf("translate message %d to Anthropic's form: %w", lead+i, err)
		}
	}
	for _, o := range b.out {
		p, err := o.param()
		if err != nil {
			return nil, nil, fmt.Errorf("translate to Anthropic's form: %w", err)
		}
		messages = append(messages, p)
	}
	return system, messages, nil
}

func isOwn(m conversation.Message) bool {
	return m.Raw != nil && m.RawProvider == conversation.Anthropic
}

func isObject(m conversation.Message) bool {
	return isOwn(m) && bytes.HasPrefix(bytes.TrimSpace(m.Raw), []byte("{"))
}

func systemTexts(m conversation.Message) ([]anthropic.TextBlockParam, error) {
	var texts []anthropic.TextBlockParam
	if isOwn(m) {
		list, err := continuation(m.Raw)
		if err != nil {
			return nil, err
		}
		for _, raw := range list {
			var t anthropic.TextBlockParam
			if t.UnmarshalJSON(raw) != nil || !same(t, raw) {
				t = param.Override[anthropic.TextBlockParam](json.RawMessage(bytes.Clone(raw)))
			}
			texts = append(texts, t)
		}
		return texts, nil
	}
	list, err := fieldBlocks(m)
	for _, b := range list {
		if b.OfText == nil {
			return nil, invalid("a system message has an image: put it into a user message")
		}
		texts = append(texts, *b.OfText)
	}
	return texts, err
}

// same reports whether the SDK sends the same JSON for p as for raw.
func same(p json.Marshaler, raw []byte) bool {
	text, err := p.MarshalJSON()
	return err == nil && bytes.Equal(text, compact(raw))
}

// typed returns a block as the SDK's type if that loses nothing, and as raw JSON
// otherwise.
func typed(raw json.RawMessage) anthropic.ContentBlockParamUnion {
	var b anthropic.ContentBlockParamUnion
	if b.UnmarshalJSON(raw) == nil && same(b, raw) {
		return b
	}
	return param.Override[anthropic.ContentBlockParamUnion](json.RawMessage(bytes.Clone(raw)))
}

// continuation returns the blocks of a Raw that is an array.
func continuation(raw json.RawMessage) ([]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		return nil, invalid("Raw is neither a message nor a list of blocks")
	}
	return blocks(raw)
}

// A builder builds the messages of a request.
type builder struct{ out []*outgoing }

func (b *builder) add(m conversation.Message) error {
	if isObject(m) {
		e, err := openEnvelope(bytes.Clone(sendable(m.Raw)))
		if err != nil {
			return err
		}
		b.out = append(b.out, &outgoing{role: e.role, envelope: &e})
		return nil
	}
	role := conversation.User
	if m.Role == conversation.Assistant {
		role = conversation.Assistant
	}
	if isOwn(m) && m.Role != conversation.System {
		list, err := continuation(sendable(m.Raw))
		if err != nil {
			return err
		}
		return b.last(role).appendRaw(list)
	}
	list, err := fieldBlocks(m)
	if err != nil || len(list) == 0 {
		return err
	}
	switch m.Role {
	case conversation.System:
		for i, block := range list {
			if block.OfText != nil {
				list[i] = anthropic.NewTextBlock("<system>\n" + block.OfText.Text + "\n</system>")
			}
		}
	case conversation.Assistant:
		if slices.ContainsFunc(list, func(b anthropic.ContentBlockParamUnion) bool { return b.OfImage != nil }) {
			return invalid("an assistant message has an image: put it into a user message")
		}
	case conversation.Tool:
		return b.last(role).insertResult(list)
	}
	return b.last(role).append(list)
}

// last returns the last message, or a new one if that has another role.
func (b *builder) last(role conversation.Role) *outgoing {
	if n := len(b.out); n > 0 && b.out[n-1].role == string(role) {
		return b.out[n-1]
	}
	b.out = append(b.out, &outgoing{role: string(role)})
	return b.out[len(b.out)-1]
}

// fieldBlocks returns the blocks for the fields of a message, without texts that the
// provider would refuse. The first block of a Tool message is the result.
func fieldBlocks(m conversation.Message) ([]anthropic.ContentBlockParamUnion, error) {
	parts := m.Parts
	switch {
	case m.Content != "" && m.Parts != nil:
		return nil, invalid("both Content and Parts are set")
	case m.Content != "":
		parts = []conversation.Part{{Type: conversation.TextPart, Text: m.Content}}
	}
	var list []anthropic.ContentBlockParamUnion
	for _, p := range parts {
		switch p.Type {
		case conversation.TextPart:
			if strings.TrimSpace(p.Text) != "" {
				list = append(list, anthropic.NewTextBlock(p.Text))
			}
		case conversation.ImagePart:
			list = append(list, imageBlock(p.URL))
		case conversation.ImageB64Part:
			list = append(list, anthropic.NewImageBlockBase64(p.MediaType, p.Data))
		default:
			return nil, invalid("a part has the type %q", p.Type)
		}
	}
	switch m.Role {
	case conversation.System, conversation.User:
		return list, nil
	case conversation.Tool:
		return resultBlocks(m, list)
	case conversation.Assistant:
		for _, c := range m.ToolCalls {
			if c.ID == "" || c.Name == "" {
				return nil, invalid("a call has no ID or no name")
			}
			list = append(list, anthropic.NewToolUseBlock(callID(c.ID), input(c.Arguments), c.Name))
		}
		return list, nil
	}
	return nil, invalid("the role is %q", m.Role)
}
