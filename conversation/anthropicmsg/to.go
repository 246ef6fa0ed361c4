package anthropicmsg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
)

// To returns the system prompt and the messages of a request. They share nothing
// with msgs.
//
// A message with Raw of Anthropic is sent as it was; a continuation is put to the
// user message before it. The block types of the SDK are filled in where they say
// all that Raw says; other blocks, and messages with members of their own, are
// raw JSON, their fields unset.
//
// From the fields of all others:
//   - The leading system messages, a summary among them, are the system prompt, a
//     block for each text. One further on is sent as a user's text in <system>
//     tags: few models take system messages there.
//   - A message is joined to the one before it where both are the user's, or both
//     the model's, for not every host takes two in a row. Results of tools come
//     first in it.
//   - A text without a visible character is not sent, nor is a message in which
//     nothing is left: the provider refuses both.
//   - Images of a result that is an error follow the results. An image at a URL
//     that is not https is sent as a text with the URL.
//   - Arguments that are no JSON object, as those of a call that was cut off, are
//     sent as {"INVALID_JSON": "what the model wrote"}.
//   - A character that the provider does not allow in a call's ID becomes an
//     underscore, and a hash makes the ID unique again, the same in call and result.
//
// What would be lost is an error: an image in a system or assistant message, a
// call without ID or name, a part of an unknown type. To does not mend a
// conversation: see conversation.Check. Errors: conversation.ErrInvalid, with the
// index of the message.
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
			return nil, invalid("an image in a system message: Anthropic takes text there, put it into a user message")
		}
		texts = append(texts, *b.OfText)
	}
	return texts, err
}

// same reports whether the SDK sends p as it would send raw.
func same(p json.Marshaler, raw []byte) bool {
	text, err := p.MarshalJSON()
	return err == nil && bytes.Equal(text, compact(raw))
}

// typed returns a block as the SDK's type where that says all of it.
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

// A builder makes the list of messages.
type builder struct{ out []*outgoing }

func (b *builder) add(m conversation.Message) error {
	if isObject(m) {
		e, err := openEnvelope(bytes.Clone(m.Raw))
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
		list, err := continuation(m.Raw)
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
			return invalid("an image in an assistant message: Anthropic takes none there, put it into a user message")
		}
	case conversation.Tool:
		return b.last(role).insertResult(list)
	}
	return b.last(role).append(list)
}

// last returns the last message, or a new one where that is another's.
func (b *builder) last(role conversation.Role) *outgoing {
	if n := len(b.out); n > 0 && b.out[n-1].role == string(role) {
		return b.out[n-1]
	}
	b.out = append(b.out, &outgoing{role: string(role)})
	return b.out[len(b.out)-1]
}

// fieldBlocks returns the blocks that the fields of a message are, without those
// that the provider would refuse. Of a Tool message the result is the first.
func fieldBlocks(m conversation.Message) ([]anthropic.ContentBlockParamUnion, error) {
	parts := m.Parts
	switch {
	case m.Content != "" && m.Parts != nil:
		return nil, invalid("there are both Content and Parts")
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
			return nil, invalid("a part of type %q", p.Type)
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
				return nil, invalid("a call without ID or name")
			}
			list = append(list, anthropic.NewToolUseBlock(callID(c.ID), input(c.Arguments), c.Name))
		}
		return list, nil
	}
	return nil, invalid("the role is %q", m.Role)
}
