package openaimsg

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// readCall returns the call of an item. The arguments of the API's own tools are the
// members that say what to do.
func readCall(it item) conversation.ToolCall {
	c := conversation.ToolCall{ID: it.callID(), Name: it.text("name")}
	switch t := it.itemType(); t {
	case "custom_tool_call":
		c.Arguments = customArguments(it.object)
	case "computer_call":
		names := []string{"action", "actions"}
		if it.pendingChecks() {
			names = append(names, "pending_safety_checks")
		}
		c.Name, c.Arguments = "computer", it.members(names...)
	case "local_shell_call", "shell_call":
		c.Name, c.Arguments = strings.TrimSuffix(t, "_call"), it.arguments("action")
	case "apply_patch_call":
		c.Name, c.Arguments = "apply_patch", it.arguments("operation")
	case "tool_search_call":
		c.Name, c.Arguments = "tool_search", it.arguments("arguments")
	default:
		c.Arguments = it.arguments("arguments")
	}
	return c
}

// pendingChecks reports whether a call of the computer waits until the user has agreed.
func (o object) pendingChecks() bool { return len(o.list("pending_safety_checks")) > 0 }

// members returns an object of the members with these names, as far as they exist.
func (o object) members(names ...string) json.RawMessage {
	some := object{}
	for _, name := range names {
		if value, ok := o[name]; ok && string(value) != "null" {
			some[name] = value
		}
	}
	return encode(some)
}

// readResult returns the content of a result.
func readResult(it item) []conversation.Part {
	switch it.itemType() {
	case "computer_call_output":
		return readPart(it.object.object("output"))
	case "shell_call_output":
		return readShell(it)
	case "mcp_approval_response":
		return textPart(readApproval(it))
	case "tool_search_output":
		return textPart(readTools(it))
	}
	return readParts(it.object["output"])
}

// readShell returns the output of each command, with its exit code if that is not 0.
func readShell(it item) []conversation.Part {
	var parts []conversation.Part
	for _, o := range it.objects("output") {
		parts = append(parts, textPart(o.text("stdout")+o.text("stderr")+outcome(o))...)
	}
	return parts
}

// outcome says how a command of a shell failed, or "".
func outcome(command object) string {
	o := command.object("outcome")
	switch code := string(o["exit_code"]); {
	case o.text("type") == "timeout":
		return "[timeout]"
	case code != "" && code != "0" && code != "null":
		return "[exit code " + code + "]"
	}
	return ""
}

// approved is the text of a result that approves an MCP call.
const approved = "approved"

func readApproval(it item) string {
	text := "denied"
	if string(it.object["approve"]) == "true" {
		text = approved
	}
	if reason := it.text("reason"); reason != "" {
		text += ": " + reason
	}
	return text
}

func readTools(it item) string {
	tools := it.objects("tools")
	names := make([]string, len(tools))
	for i, t := range tools {
		if names[i] = t.text("name"); names[i] == "" {
			names[i] = t.text("type")
		}
	}
	return fmt.Sprintf("[tools: %s]", strings.Join(names, ", "))
}
