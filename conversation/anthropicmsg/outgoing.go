package anthropicmsg

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/member"
	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
)

// outputOnly are the members of answers that no request may have. The provider refuses
// them: "Extra inputs are not permitted".
var outputOnly = []string{
	"text.citations[char_location].file_id",
	"text.citations[content_block_location].file_id",
	"text.citations[page_location].file_id",
	"mcp_tool_result.content[text].citations[char_location].file_id",
	"mcp_tool_result.content[text].citations[content_block_location].file_id",
	"mcp_tool_result.content[text].citations[page_location].file_id",
}

// sendable returns Raw without the members that no request may have.
func sendable(raw json.RawMessage) json.RawMessage {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return member.Drop(raw, outputOnly)
	}
	return member.Edit(raw, func(name string, value json.RawMessage) json.RawMessage {
		if name == "content" {
			return member.Drop(value, outputOnly)
		}
		return value
	})
}

// An outgoing message is built from a message of the provider, from the fields of
// other messages, or from both.
type outgoing struct {
	role     string
	envelope *envelope // the message of the provider, or nil
	opened   bool      // blocks has the blocks of envelope
	blocks   []outgoingBlock
}

type outgoingBlock struct {
	anthropic.ContentBlockParamUnion
	result bool
}

// open takes the blocks out of the envelope, so that others can be added.
func (o *outgoing) open() error {
	if o.envelope == nil || o.opened {
		return nil
	}
	o.opened = true
	list, err := blocks(o.envelope.content)
	if err != nil {
		return err
	}
	o.blocks = fromRawBlocks(list)
	return nil
}

func fromRawBlocks(list []json.RawMessage) []outgoingBlock {
	out := make([]outgoingBlock, len(list))
	for i, raw := range list {
		out[i].ContentBlockParamUnion = typed(raw)
		out[i].result = out[i].OfToolResult != nil || bytes.Contains(raw, []byte("tool_result")) &&
			readBlock(raw).kind() == "tool_result"
	}
	return out
}

func (o *outgoing) appendRaw(list []json.RawMessage) error {
	err := o.open()
	o.blocks = append(o.blocks, fromRawBlocks(list)...)
	return err
}

func (o *outgoing) append(list []anthropic.ContentBlockParamUnion) error {
	err := o.open()
	for _, b := range list {
		o.blocks = append(o.blocks, outgoingBlock{b, false})
	}
	return err
}

// insertResult puts a result after the results at the beginning of the message, and
// the blocks that belong to it at the end.
func (o *outgoing) insertResult(list []anthropic.ContentBlockParamUnion) error {
	err := o.open()
	at := 0
	for at < len(o.blocks) && o.blocks[at].result {
		at++
	}
	o.blocks = slices.Insert(o.blocks, at, outgoingBlock{list[0], true})
	for _, b := range list[1:] {
		o.blocks = append(o.blocks, outgoingBlock{b, false})
	}
	return err
}

// param returns the message as the SDK's type if that loses nothing, and as raw JSON
// otherwise.
func (o *outgoing) param() (anthropic.MessageParam, error) {
	if o.envelope != nil && !o.envelope.plain() {
		raw := o.envelope.raw
		if o.opened {
			content, err := json.Marshal(o.content())
			if err != nil {
				return anthropic.MessageParam{}, err
			}
			raw = o.envelope.with(content)
		}
		return param.Override[anthropic.MessageParam](raw), nil
	}
	if err := o.open(); err != nil {
		return anthropic.MessageParam{}, err
	}
	return o.typed()
}

// typed returns the message as the SDK's type for its role.
func (o *outgoing) typed() (anthropic.MessageParam, error) {
	switch o.role {
	case string(conversation.Assistant):
		return anthropic.NewAssistantMessage(o.content()...), nil
	case string(conversation.System):
		texts := make([]anthropic.TextBlockParam, len(o.blocks))
		for i, b := range o.blocks {
			if b.OfText != nil {
				texts[i] = *b.OfText
				continue
			}
			raw, err := json.Marshal(b.ContentBlockParamUnion)
			if err != nil {
				return anthropic.MessageParam{}, err
			}
			texts[i] = param.Override[anthropic.TextBlockParam](json.RawMessage(raw))
		}
		return anthropic.MessageParam{OfSystem: &anthropic.SystemMessageParam{Content: texts}}, nil
	}
	return anthropic.NewUserMessage(o.content()...), nil
}

func (o *outgoing) content() []anthropic.ContentBlockParamUnion {
	list := make([]anthropic.ContentBlockParamUnion, len(o.blocks)) // not nil: an empty list is sent as one
	for i, b := range o.blocks {
		list[i] = b.ContentBlockParamUnion
	}
	return list
}
