package conversation

import (
	"bytes"
	"encoding/json"
	"strings"
)

// traits are what a cut must know of a message, if its fields do not tell.
type traits struct {
	pairs     bool     // calls and results are from Raw and replace those of the fields
	calls     []string // two calls may have one id
	results   []string
	reasoning bool // it begins with a reasoning item, which must stay with the items after it
	thought   bool // it has reasoning items only
	compacted bool // it carries what the provider compacted: all messages before it
}

const (
	// unnamedCall stands for the id of Gemini's calls without an id. The next content
	// with responses answers them.
	unnamedCall = "\x00unnamed"
	// everyCall stands for a result that answers all calls so far.
	everyCall = "\x00every"
)

// A rawItem is the part of a content block or an item that says what it pairs with.
type rawItem struct {
	Type              string `json:"type"`
	ID                string `json:"id"`
	CallID            string `json:"call_id"`
	ToolUseID         string `json:"tool_use_id"`
	ApprovalRequestID string `json:"approval_request_id"`

	Content   json.RawMessage `json:"content"`           // of a compaction
	Encrypted json.RawMessage `json:"encrypted_content"` // of a compaction
}

// isCompaction reports whether the item carries earlier messages. A compaction that failed
// has none.
func (i *rawItem) isCompaction() bool {
	has := func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" && string(raw) != `""` }
	return i.Type == "compaction" && (has(i.Content) || has(i.Encrypted))
}

// traits reads Raw if it may hold something that the fields do not.
func (m *Message) traits() traits {
	switch {
	case m.Raw == nil:
	case m.RawProvider == Anthropic && (!m.fieldsTell("tool_use", "tool_result") || hasAny(m.Raw, "compaction")):
		return anthropicTraits(blocksOf(m.Raw))
	case m.RawProvider == OpenAIResponses:
		return responsesTraits(itemsOf(m.Raw))
	case m.RawProvider == Gemini && !m.fieldsTell("unctionCall", "unctionResponse") || m.RawProvider == Gemini &&
		hasAny(m.Raw, "function_"):
		return geminiTraits(m.Raw)
	}
	return traits{}
}

// fieldsTell reports whether Raw has as many calls and results as the fields. The
// calls of tools that the provider runs are in Raw only.
func (m *Message) fieldsTell(call, result string) bool {
	results := 0
	if m.Role == Tool {
		results = 1
	}
	return bytes.Count(m.Raw, []byte(call)) == len(m.ToolCalls) && bytes.Count(m.Raw, []byte(result)) == results
}

func hasAny(text []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(text, []byte(w)) {
			return true
		}
	}
	return false
}

// anthropicTraits finds the calls and results of the client's tools and of the tools
// that the provider runs.
func anthropicTraits(blocks []rawItem) (t traits) {
	for _, b := range blocks {
		switch {
		case b.Type == "tool_use" || b.Type == "server_tool_use" || b.Type == "mcp_tool_use":
			t.calls = append(t.calls, b.ID)
		case strings.HasSuffix(b.Type, "tool_result"):
			t.results = append(t.results, b.ToolUseID)
		case b.isCompaction():
			t.compacted = true
		}
	}
	t.pairs = t.calls != nil || t.results != nil
	return t
}

// geminiTraits finds calls and results. A content with responses answers all calls of
// the turn before it.
func geminiTraits(raw json.RawMessage) (t traits) {
	type function struct {
		ID string `json:"id"`
	}
	var content struct {
		Parts []map[string]json.RawMessage `json:"parts"`
	}
	if json.Unmarshal(raw, &content) != nil {
		return traits{}
	}
	for _, part := range content.Parts {
		for key, value := range part {
			switch key {
			case "functionCall", "function_call":
				var f function
				if json.Unmarshal(value, &f); f.ID == "" {
					f.ID = unnamedCall
				}
				t.calls = append(t.calls, f.ID)
			case "functionResponse", "function_response":
				t.results = []string{everyCall}
			}
		}
	}
	t.pairs = t.calls != nil || t.results != nil
	return t
}

// responsesTraits finds calls and results of every kind, and reasoning.
func responsesTraits(items []rawItem) (t traits) {
	t.thought = len(items) > 0
	for i, item := range items {
		switch {
		case item.Type == "reasoning":
			t.reasoning = t.reasoning || i == 0
			continue
		case item.isCompaction():
			t.compacted = true
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
	t.pairs = t.calls != nil || t.results != nil
	return t
}

// blocksOf returns the content blocks of an Anthropic message, or of an array of them.
func blocksOf(raw json.RawMessage) []rawItem {
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &m) == nil && m.Content != nil {
		return itemsOf(m.Content)
	}
	return itemsOf(raw)
}

// itemsOf returns the items of an array, or the one item that raw is.
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
