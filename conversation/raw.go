package conversation

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// traits are what a cut must know of a message besides its fields: what only the
// provider's own form shows.
type traits struct {
	calls     []string // provider-side calls, and other pairs that the fields do not have
	results   []string // their results
	reasoning bool     // it begins with a reasoning item, which the items after it need
	thought   bool     // it is nothing else
}

// rawItem is a content block or an item, as far as pairs and reasoning go.
type rawItem struct {
	Type              string `json:"type"`
	ID                string `json:"id"`
	CallID            string `json:"call_id"`
	ToolUseID         string `json:"tool_use_id"`
	ApprovalRequestID string `json:"approval_request_id"`
}

// traits reads Raw, only where there can be something in it.
func (m *Message) traits() traits {
	switch {
	case m.Raw == nil:
	case m.RawProvider == Anthropic && hasAny(m.Raw, "server_tool_use", "mcp_tool_use", "_tool_result"):
		return anthropicTraits(blocksOf(m.Raw))
	case m.RawProvider == OpenAIResponses:
		return responsesTraits(itemsOf(m.Raw))
	}
	return traits{}
}

func hasAny(text []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(text, []byte(w)) {
			return true
		}
	}
	return false
}

// anthropicTraits finds the pairs of tools that run at the provider. Those of the
// client's tools are fields.
func anthropicTraits(blocks []rawItem) (t traits) {
	for _, b := range blocks {
		switch {
		case b.Type == "server_tool_use" || b.Type == "mcp_tool_use":
			t.calls = append(t.calls, b.ID)
		case strings.HasSuffix(b.Type, "_tool_result"):
			t.results = append(t.results, b.ToolUseID)
		}
	}
	return t
}

// responsesTraits finds every pair, whatever its kind, and reasoning.
func responsesTraits(items []rawItem) (t traits) {
	t.thought = len(items) > 0
	for i, item := range items {
		switch {
		case item.Type == "reasoning":
			t.reasoning = t.reasoning || i == 0
			continue
		case item.Type == "mcp_approval_request":
			t.calls = append(t.calls, item.ID)
		case item.Type == "mcp_approval_response":
			t.results = append(t.results, item.ApprovalRequestID)
		case (strings.HasSuffix(item.Type, "_call") || item.Type == "program") && item.CallID != "":
			t.calls = append(t.calls, item.CallID)
		case strings.HasSuffix(item.Type, "_output") && item.CallID != "":
			t.results = append(t.results, item.CallID)
		case strings.HasSuffix(item.Type, "_call_output"):
			t.results = append(t.results, item.ID)
		}
		t.thought = false
	}
	return t
}

// blocksOf returns the content blocks of an Anthropic message or of a piece of one.
func blocksOf(raw json.RawMessage) []rawItem {
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &m) == nil && m.Content != nil {
		return itemsOf(m.Content)
	}
	return itemsOf(raw)
}

// itemsOf returns the elements of an array, or the one that raw is.
func itemsOf(raw json.RawMessage) []rawItem {
	var items []rawItem
	if json.Unmarshal(raw, &items) == nil {
		return items
	}
	var item rawItem
	if json.Unmarshal(raw, &item) == nil && item.Type != "" {
		return []rawItem{item}
	}
	return nil
}

const (
	messageTokens = 4    // what stands around a message
	imageTokens   = 1600 // of an image: Anthropic scales larger ones down to about so many
)

// EstimateTokens returns about what a message costs a model, rather more than
// less: the default of the CountTokens options. An image counts as 1,600.
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

// rawTokens adds up the texts in a provider's form, but for what is no text.
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
