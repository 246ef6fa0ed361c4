package openaimsg

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// result writes a result in the form that its call needs. A call without Raw is the
// call of a function.
func (w *itemWriter) result(m conversation.Message) error {
	id := w.ids.id(m.ToolCallID)
	it, ok := w.calls[m.ToolCallID]
	if !ok {
		w.add(functionResult(m, id))
		return nil
	}
	caller := it.object["caller"]
	if string(caller) == "null" {
		caller = nil
	}
	switch t := it.itemType(); t {
	case "custom_tool_call":
		out := customResult(m, id)
		out.OfCustomToolCallOutput.Caller = sameCaller[responses.ResponseCustomToolCallOutputCallerUnionParam](caller)
		w.add(out)
	case "computer_call":
		if it.pendingChecks() {
			return errUnchecked
		}
		return w.screenshot(m, id)
	case "local_shell_call":
		w.add(localShellResult(m, id))
		w.later(m)
	case "shell_call":
		out := shellResult(m, id)
		out.OfShellCallOutput.Caller = sameCaller[responses.ResponseInputItemShellCallOutputCallerUnionParam](caller)
		if most, err := strconv.ParseInt(string(it.object.object("action")["max_output_length"]), 10, 64); err == nil {
			out.OfShellCallOutput.MaxOutputLength = param.NewOpt(most)
		}
		w.add(out)
		w.later(m)
	case "apply_patch_call":
		out := patchResult(m, id)
		out.OfApplyPatchCallOutput.Caller =
			sameCaller[responses.ResponseInputItemApplyPatchCallOutputCallerUnionParam](caller)
		w.add(out)
		w.later(m)
	case "mcp_approval_request":
		w.add(approval(m, id))
	case "tool_search_call":
		return fmt.Errorf("the result of a tool search must have tools, and this one is a text: make the item "+
			"tool_search_output and read it with FromItems: %w", conversation.ErrInvalid)
	default:
		out := functionResult(m, id)
		out.OfFunctionCallOutput.Caller =
			sameCaller[responses.ResponseInputItemFunctionCallOutputCallerUnionParam](caller)
		w.add(out)
	}
	return nil
}

// sameCaller returns the caller of a call for its result. Most calls have none.
func sameCaller[T param.ParamStruct, P param.InferPtr[T]](caller json.RawMessage) (none T) {
	if caller == nil {
		return none
	}
	return param.Override[T, P](caller)
}

// errUnchecked is for a call of the computer with safety checks. The adapter must not
// acknowledge them: that is for the user to do.
var errUnchecked = fmt.Errorf("the computer's call has pending_safety_checks: show them to the user; "+
	"if the user agrees, make the item computer_call_output with these checks as acknowledged_safety_checks, "+
	"and read it with FromItems: %w", conversation.ErrInvalid)

func functionResult(m conversation.Message, id string) responses.ResponseInputItemUnionParam {
	out := responses.ResponseInputItemFunctionCallOutputParam{CallID: param.NewOpt(id)}
	if len(images(m)) == 0 {
		out.Output.OfString = param.NewOpt(resultText(m))
		return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &out}
	}
	for _, p := range resultParts(m) {
		var part responses.ResponseFunctionCallOutputItemUnionParam
		if p.Type == conversation.TextPart {
			part.OfInputText = &responses.ResponseInputTextContentParam{Text: p.Text}
		} else {
			part.OfInputImage = &responses.ResponseInputImageContentParam{ImageURL: param.NewOpt(imageURL(p))}
		}
		out.Output.OfResponseFunctionCallOutputItemArray = append(out.Output.OfResponseFunctionCallOutputItemArray,
			part)
	}
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &out}
}

func customResult(m conversation.Message, id string) responses.ResponseInputItemUnionParam {
	out := responses.ResponseCustomToolCallOutputParam{CallID: id}
	if len(images(m)) == 0 {
		out.Output.OfString = param.NewOpt(resultText(m))
		return responses.ResponseInputItemUnionParam{OfCustomToolCallOutput: &out}
	}
	for _, p := range itemParts(resultParts(m)) {
		out.Output.OfOutputContentList = append(out.Output.OfOutputContentList,
			responses.ResponseCustomToolCallOutputOutputOutputContentListItemUnionParam{
				OfInputText: p.OfInputText, OfInputImage: p.OfInputImage,
			})
	}
	return responses.ResponseInputItemUnionParam{OfCustomToolCallOutput: &out}
}

// resultParts returns the parts of a result. If it failed, a text that says so comes
// first.
func resultParts(m conversation.Message) []conversation.Part {
	parts := pieces(m)
	if !m.IsError {
		return parts
	}
	return append(textPart(failed("")), parts...)
}

func (w *itemWriter) screenshot(m conversation.Message, id string) error {
	found := images(m)
	if len(found) == 0 {
		return fmt.Errorf("the computer's result has no image: put the screenshot into Parts: %w",
			conversation.ErrInvalid)
	}
	last := found[len(found)-1]
	w.add(responses.ResponseInputItemParamOfComputerCallOutput(id,
		responses.ResponseComputerToolCallOutputScreenshotParam{
			ImageURL: param.NewOpt(imageURL(last)),
		}))
	return nil
}

// localShellResult names the call with the member call_id, which the API needs. The
// client's type has another one: openai/openai-agents-python#1855.
func localShellResult(m conversation.Message, id string) responses.ResponseInputItemUnionParam {
	out := responses.ResponseInputItemLocalShellCallOutputParam{Output: resultText(m)}
	out.SetExtraFields(map[string]any{"call_id": id, "id": param.Omit})
	return responses.ResponseInputItemUnionParam{OfLocalShellCallOutput: &out}
}

func shellResult(m conversation.Message, id string) responses.ResponseInputItemUnionParam {
	out := responses.ResponseFunctionShellCallOutputContentParam{Stdout: m.Text()}
	exit := responses.ResponseFunctionShellCallOutputContentOutcomeExitParam{}
	if m.IsError {
		out.Stdout, out.Stderr = "", m.Text()
		exit.ExitCode = 1
	}
	out.Outcome.OfExit = &exit
	return responses.ResponseInputItemParamOfShellCallOutput(id,
		[]responses.ResponseFunctionShellCallOutputContentParam{out})
}

func patchResult(m conversation.Message, id string) responses.ResponseInputItemUnionParam {
	status := "completed"
	if m.IsError {
		status = "failed"
	}
	out := responses.ResponseInputItemParamOfApplyPatchCallOutput(id, status)
	if text := m.Text(); text != "" {
		out.OfApplyPatchCallOutput.Output = param.NewOpt(text)
	}
	return out
}

// approval approves if the text is approved, and denies otherwise.
func approval(m conversation.Message, id string) responses.ResponseInputItemUnionParam {
	text := m.Text()
	out := responses.ResponseInputItemParamOfMcpApprovalResponse(id, text == approved && !m.IsError)
	if text != approved && text != "" {
		out.OfMcpApprovalResponse.Reason = param.NewOpt(text)
	}
	return out
}
