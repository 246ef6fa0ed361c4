package openaimsg

import (
	"encoding/json"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// silent are the types of items that mean nothing to other providers.
var silent = map[string]bool{
	"reasoning":          true,
	"compaction":         true,
	"item_reference":     true,
	"mcp_list_tools":     true,
	"tool_search_call":   true,
	"tool_search_output": true,
}

// readable are the members that help a reader, in the order in which they are written.
var readable = []string{
	"server_label", "name", "query", "queries", "url", "title", "code", "command", "commands", "action", "operation",
	"arguments", "input", "revised_prompt", "filename", "text", "results", "logs", "outputs", "stdout", "stderr",
	"output", "result", "error", "message",
}

// describe returns a text for an action of the provider itself: the type of the item,
// and the texts in it.
func describe(it item) []conversation.Part {
	t := it.itemType()
	if silent[t] {
		return nil
	}
	lines := []string{"[" + t + "]"}
	for _, name := range readable {
		if name == "result" && t == "image_generation_call" {
			continue // an image
		}
		lines = tell(lines, it.object[name])
	}
	return textPart(strings.Join(lines, "\n"))
}

// tell appends the readable texts of a value.
func tell(lines []string, value json.RawMessage) []string {
	if len(value) == 0 {
		return lines
	}
	switch value[0] {
	case '"':
		if text := asText(value); text != "" {
			return append(lines, text)
		}
	case '[':
		for _, v := range (object{"": value}).list("") {
			lines = tell(lines, v)
		}
	case '{':
		o := object{"": value}.object("")
		for _, name := range readable {
			lines = tell(lines, o[name])
		}
	}
	return lines
}
