package openaimsg

import (
	"encoding/json"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
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
	"arguments", "input", "revised_prompt", "filename", "text", "content", "results", "logs", "outputs", "stdout",
	"stderr",
	"output", "result", "message",
}

// describe returns a text for an action of the provider itself: the type of the item, the
// texts in it, and whether it failed.
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
	switch status := it.text("status"); {
	case len(it.object["error"]) > 0 && string(it.object["error"]) != "null":
		lines = append(lines, "[error]")
		before := len(lines)
		if lines = tell(lines, it.object["error"]); len(lines) == before {
			lines = append(lines, it.object.object("error").text("type"))
		}
	case status == "failed" || status == "incomplete":
		lines = append(lines, "["+status+"]")
	}
	return textPart(strings.Join(lines, "\n"))
}

// tell appends the readable texts of a value. Data is named, and not written.
func tell(lines []string, value json.RawMessage) []string {
	if len(value) == 0 {
		return lines
	}
	switch value[0] {
	case '"':
		if text := asText(value); text != "" {
			return append(lines, clip.Data(text))
		}
	case '[':
		for _, v := range (object{"": value}).list("") {
			lines = tell(lines, v)
		}
	case '{':
		o := object{"": value}.object("")
		switch kind := o.text("type"); kind {
		case "input_image", "input_file", "input_audio":
			for _, p := range readPart(o) {
				switch p.Type {
				case conversation.TextPart:
					lines = append(lines, p.Text)
				case conversation.ImagePart:
					lines = append(lines, clip.Data(p.URL))
				default:
					lines = append(lines, "[image]")
				}
			}
			return lines
		}
		for _, name := range readable {
			lines = tell(lines, o[name])
		}
		if end := outcome(o); end != "" {
			lines = append(lines, end)
		}
	}
	return lines
}
