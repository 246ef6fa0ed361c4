package openaimsg

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/member"
)

// ToItems returns the messages as the input of a Responses request, in order. Messages
// from the Responses API are sent as they came, except for members of output that no
// input may have, such as created_by. Others are made from their fields, as
// the comment of the package says.
//
// A result without Raw gets the form that its call needs; the call is found in the
// messages. So [conversation.ToolResult] also answers a custom tool, a shell or a
// patch. Answer a computer with a message of role tool that has the screenshot as a
// part. If the call has pending_safety_checks, which are among its arguments, ToItems
// never acknowledges them. Make the item computer_call_output, with
// acknowledged_safety_checks, and read it with [FromItems].
//
// Errors: [conversation.ErrInvalid] for an unknown role, for a Raw that is not of the
// Responses API, and for a result that cannot have the form of its call.
func ToItems(msgs []conversation.Message) ([]responses.ResponseInputItemUnionParam, error) {
	w := itemWriter{
		ids:   newCallIDs(msgs, conversation.OpenAIResponses, responsesIDBytes),
		calls: map[string]item{},
		items: make([]responses.ResponseInputItemUnionParam, 0, len(msgs)),
	}
	for i, m := range msgs {
		if m.Role != conversation.Tool {
			w.flush()
		}
		if err := w.write(m); err != nil {
			return nil, fmt.Errorf("translate message %d to OpenAI's items: %w", i, err)
		}
	}
	w.flush()
	return w.items, nil
}

// outputOnly are the members of output items that no input item may have.
var outputOnly = []string{
	"apply_patch_call.created_by",
	"apply_patch_call_output.created_by",
	"compaction.created_by",
	"computer_call_output.created_by",
	"custom_tool_call_output.created_by",
	"custom_tool_call_output.status",
	"function_call_output.created_by",
	"shell_call.created_by",
	"shell_call_output.created_by",
	"shell_call_output.output.created_by",
	"tool_search_call.created_by",
	"tool_search_output.created_by",
}

type itemWriter struct {
	ids    callIDs
	calls  map[string]item // the calls of messages with Raw, by id
	items  []responses.ResponseInputItemUnionParam
	images responses.ResponseInputMessageContentListParam // for a user message after the results
}

func (w *itemWriter) add(items ...responses.ResponseInputItemUnionParam) {
	w.items = append(w.items, items...)
}

func (w *itemWriter) write(m conversation.Message) error {
	if m.RawProvider == conversation.OpenAIResponses {
		return w.raw(m.Raw)
	}
	if !says(m) {
		return nil
	}
	switch m.Role {
	case conversation.System:
		w.add(responses.ResponseInputItemParamOfMessage(m.Text(), responses.EasyInputMessageRoleSystem))
		w.later(m)
	case conversation.User:
		w.add(itemUser(m))
	case conversation.Assistant:
		if text := m.Text(); text != "" || len(m.ToolCalls) == 0 {
			w.add(responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleAssistant))
		}
		for _, c := range m.ToolCalls {
			w.add(responses.ResponseInputItemParamOfFunctionCall(callArguments(c), w.ids.id(c.ID), toolName(c.Name)))
		}
		w.later(m)
	case conversation.Tool:
		return w.result(m)
	default:
		return fmt.Errorf("the role is %.64q, allowed are system, user, assistant and tool: %w", string(m.Role),
			conversation.ErrInvalid)
	}
	return nil
}

// raw writes an item, or each item of an array, as it came.
func (w *itemWriter) raw(raw json.RawMessage) error {
	var values []json.RawMessage
	if trimmed := bytes.TrimLeft(raw, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '[' {
		values = []json.RawMessage{raw}
	} else if err := json.Unmarshal(raw, &values); err != nil {
		return fmt.Errorf("its Raw: %v: %w", err, conversation.ErrInvalid)
	}
	for _, value := range values {
		o, err := parse(value)
		if err != nil {
			return fmt.Errorf("its Raw: %w", err)
		}
		it := item{o, bytes.Clone(member.Drop(value, outputOnly))}
		if it.kind() == call {
			w.calls[it.callID()] = it
		}
		w.add(param.Override[responses.ResponseInputItemUnionParam](it.raw))
	}
	return nil
}

// later keeps the images of a message that must not have them, for flush.
func (w *itemWriter) later(m conversation.Message) {
	if found := images(m); len(found) > 0 {
		w.images = append(w.images, responses.ResponseInputContentParamOfInputText(imagesFrom(m)))
		w.images = append(w.images, itemParts(found)...)
	}
}

// flush writes the images that later kept.
func (w *itemWriter) flush() {
	if len(w.images) > 0 {
		w.add(responses.ResponseInputItemParamOfMessage(w.images, responses.EasyInputMessageRoleUser))
		w.images = nil
	}
}

func itemUser(m conversation.Message) responses.ResponseInputItemUnionParam {
	if len(images(m)) == 0 {
		return responses.ResponseInputItemParamOfMessage(m.Text(), responses.EasyInputMessageRoleUser)
	}
	return responses.ResponseInputItemParamOfMessage(itemParts(m.Parts), responses.EasyInputMessageRoleUser)
}

func itemParts(parts []conversation.Part) responses.ResponseInputMessageContentListParam {
	out := make(responses.ResponseInputMessageContentListParam, len(parts))
	for i, p := range parts {
		if p.Type == conversation.TextPart {
			out[i] = responses.ResponseInputContentParamOfInputText(p.Text)
			continue
		}
		out[i] = responses.ResponseInputContentParamOfInputImage(responses.ResponseInputImageDetailAuto)
		out[i].OfInputImage.ImageURL = param.NewOpt(imageURL(p))
	}
	return out
}
