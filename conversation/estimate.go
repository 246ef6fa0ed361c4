package conversation

import (
	"encoding/json"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

const (
	messageTokens = 4    // the form of a message, around its text
	imageTokens   = 1600 // an image; Anthropic scales larger ones down to about this
)

// EstimateTokens returns about how many tokens a message has. It is rather too high
// than too low. It is the default of the CountTokens options. An image counts as
// 1,600.
func EstimateTokens(m Message) int {
	n := messageTokens + tokens.Estimate(m.Content)
	for _, p := range m.Parts {
		switch p.Type {
		case TextPart:
			n += tokens.Estimate(p.Text)
		default:
			n += imageTokens
		}
	}
	for _, c := range m.ToolCalls {
		n += messageTokens + tokens.Estimate(c.Name) + tokens.EstimateBytes(c.Arguments)
	}
	if m.Raw == nil || !hasAny(m.Raw, `"thinking"`, `"reasoning"`, `"document"`, "_tool_result", "_call") {
		return n
	}
	return max(n, messageTokens+rawTokens(m.Raw))
}

// rawTokens returns the tokens of the texts in a provider's form of a message. Ids,
// signatures and data do not count.
func rawTokens(raw json.RawMessage) int {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return tokens.EstimateBytes(raw)
	}
	return textTokens(v)
}

func textTokens(v any) int {
	n := 0
	switch v := v.(type) {
	case string:
		n = tokens.Estimate(v)
	case []any:
		for _, e := range v {
			n += textTokens(e)
		}
	case map[string]any:
		if kind, ok := v["type"].(string); ok && (kind == "image" || kind == "input_image" || kind == "image_url") {
			return imageTokens
		}
		for key, e := range v {
			switch key {
			case "type", "role", "id", "call_id", "tool_use_id", "signature", "encrypted_content", "data", "media_type", "cache_control", "status":
			default:
				n += textTokens(e)
			}
		}
	}
	return n
}
