package anthropicmsg

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// A block is a content block: its members by name.
type block map[string]json.RawMessage

// readBlock reads an object. If raw is not an object, the block has no members.
func readBlock(raw []byte) block {
	var b block
	if json.Unmarshal(raw, &b) != nil {
		return nil
	}
	return b
}

func (b block) kind() string { return b.text("type") }

// text returns a member that is a string, or "".
func (b block) text(name string) string {
	var s string
	if json.Unmarshal(b[name], &s) != nil {
		return ""
	}
	return s
}

// parts describes the block for other providers. Thinking is left out: only the
// provider that signed it accepts it. A fallback block says nothing to them.
func (b block) parts() []conversation.Part {
	switch b.kind() {
	case "thinking", "redacted_thinking", "fallback":
		return nil
	case "text":
		return []conversation.Part{{Type: conversation.TextPart, Text: b.text("text")}}
	case "image":
		source := readBlock(b["source"])
		switch image := (conversation.Part{Data: source.text("data"), MediaType: source.text("media_type"),
			URL: source.text("url")}); {
		case source.kind() == "url" && image.URL != "":
			return []conversation.Part{{Type: conversation.ImagePart, URL: image.URL}}
		case source.kind() == "base64" && image.Data != "" && image.MediaType != "":
			return []conversation.Part{{Type: conversation.ImageB64Part, Data: image.Data, MediaType: image.MediaType}}
		}
	}
	return []conversation.Part{{Type: conversation.TextPart, Text: b.describe()}}
}

// contentParts returns the parts of a result's content.
func (b block) contentParts() ([]conversation.Part, error) {
	content := b["content"]
	if len(content) == 0 || content[0] != '"' && content[0] != '[' {
		return nil, nil // the provider allows null, and no content
	}
	list, err := blocks(content)
	if err != nil {
		return nil, fmt.Errorf("the content of a tool_result: %w", err)
	}
	var parts []conversation.Part
	for _, raw := range list {
		parts = append(parts, readBlock(raw).parts()...)
	}
	return parts, nil
}

// readable are the members of blocks that help a reader. The others are encoded or
// encrypted, or say how the block was made.
var readable = map[string]bool{
	"text": true, "title": true, "url": true, "source": true, "content": true, "context": true, "name": true,
	"stdout": true, "stderr": true, "error_code": true, "error_message": true, "file_id": true, "tool_name": true,
	"server_name": true,
}

// describe returns a text for a block that has no counterpart: its type, whether it
// failed, the input of a server tool, and the texts in it.
func (b block) describe() string {
	lines := []string{"[" + b.kind() + "]"}
	if string(b["is_error"]) == "true" {
		lines = append(lines, "[error]")
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		var value any
		switch {
		case name == "input":
			lines = append(lines, clip.Data(string(b[name])))
		case json.Unmarshal(b[name], &value) == nil:
			lines = collect(lines, name, value)
		}
	}
	return strings.Join(lines, "\n")
}

// collect appends the readable texts of a member.
func collect(lines []string, name string, value any) []string {
	switch v := value.(type) {
	case string:
		if readable[name] && v != "" {
			lines = append(lines, clip.Data(v))
		}
	case []any:
		for _, e := range v {
			lines = collect(lines, name, e)
		}
	case map[string]any:
		if v["type"] == "image" {
			return append(lines, "[image]")
		}
		if code, ok := v["return_code"].(float64); ok && code != 0 {
			lines = append(lines, fmt.Sprintf("[return code %g]", code))
		}
		if data, ok := v["data"].(string); ok && v["type"] == "text" { // a document of plain text
			lines = append(lines, clip.Data(data))
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			lines = collect(lines, name, v[name])
		}
	}
	return lines
}
