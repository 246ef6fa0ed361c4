package providertest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

type anthropicRequest struct {
	Model     string            `json:"model"`
	MaxTokens *int              `json:"max_tokens"`
	System    json.RawMessage   `json:"system"`
	Tools     []json.RawMessage `json:"tools"`
	Thinking  struct {
		Type         string `json:"type"`
		BudgetTokens *int   `json:"budget_tokens"`
		BlockBinding *struct {
			PrefixMismatchBehavior string `json:"prefix_mismatch_behavior"`
		} `json:"block_binding"`
	} `json:"thinking"`
	Messages []anthropicMessage `json:"messages"`
}

type anthropicMessage struct {
	Role         string          `json:"role"`
	Content      json.RawMessage `json:"content"`
	OutputConfig json.RawMessage `json:"output_config"`

	blocks []anthropicBlock
}

// An anthropicBlock has the fields of all types of blocks that a rule reads.
type anthropicBlock struct {
	Type         string           `json:"type"`
	Text         *string          `json:"text"`
	Thinking     *string          `json:"thinking"`
	Signature    *string          `json:"signature"`
	Data         *string          `json:"data"`
	ID           *string          `json:"id"`
	Name         *string          `json:"name"`
	Input        json.RawMessage  `json:"input"`
	ToolUseID    *string          `json:"tool_use_id"`
	Content      json.RawMessage  `json:"content"`
	IsError      bool             `json:"is_error"`
	Source       *anthropicSource `json:"source"`
	CacheControl json.RawMessage  `json:"cache_control"`

	message, index int // its place in the request
	raw            json.RawMessage
}

type anthropicSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
}

// decode reads the request and its blocks. A text in place of blocks is one block.
func (r *anthropicRequest) decode(body []byte) error {
	if err := json.Unmarshal(body, r); err != nil {
		return refuseAnthropic("The request body is not valid JSON: %v", err)
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		blocks, err := anthropicBlocks(m.Content)
		if err != nil {
			return refuseAnthropic("messages.%d.content: Input should be a valid list", i)
		}
		for j := range blocks {
			blocks[j].message, blocks[j].index = i, j
		}
		m.blocks = blocks
	}
	return nil
}

func anthropicBlocks(content json.RawMessage) ([]anthropicBlock, error) {
	content = bytes.TrimSpace(content)
	if len(content) == 0 || string(content) == "null" {
		return nil, nil
	}
	if content[0] == '"' {
		var text string
		if err := json.Unmarshal(content, &text); err != nil || text == "" {
			return nil, err
		}
		raw, err := json.Marshal(map[string]string{"type": "text", "text": text})
		return []anthropicBlock{{Type: "text", Text: &text, raw: raw}}, err
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(content, &raws); err != nil {
		return nil, err
	}
	blocks := make([]anthropicBlock, len(raws))
	for i, raw := range raws {
		if err := json.Unmarshal(raw, &blocks[i]); err != nil {
			return nil, err
		}
		blocks[i].raw = raw
	}
	return blocks, nil
}

func (b *anthropicBlock) isThinking() bool {
	return b.Type == "thinking" || b.Type == "redacted_thinking"
}

// isServerUse reports whether the block is a call of a tool that the provider runs.
func (b *anthropicBlock) isServerUse() bool {
	return b.Type == "server_tool_use" || b.Type == "mcp_tool_use"
}

func (b *anthropicBlock) isServerResult() bool {
	return b.Type != "tool_result" && strings.HasSuffix(b.Type, "_tool_result")
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// An anthropicTurn has the blocks of one side. Consecutive messages of one role are one
// turn: platform.claude.com/docs/en/release-notes/api, October 8th, 2024.
type anthropicTurn struct {
	role   string
	blocks []anthropicBlock
}

// turns returns the turns, without the system messages between them.
func (r *anthropicRequest) turns() []anthropicTurn {
	var turns []anthropicTurn
	for _, m := range r.Messages {
		if m.Role == "system" {
			continue
		}
		if n := len(turns); n == 0 || turns[n-1].role != m.Role {
			turns = append(turns, anthropicTurn{role: m.Role})
		}
		t := &turns[len(turns)-1]
		t.blocks = append(t.blocks, m.blocks...)
	}
	return turns
}

var anthropicModel = regexp.MustCompile(`claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:$|[-@])`)

// version returns the family of the model and its version times 10, such as opus and
// 48. The version of an older or unknown name is 0.
func (r *anthropicRequest) version() (family string, version int) {
	m := anthropicModel.FindStringSubmatch(r.Model)
	if m == nil {
		return "", 0
	}
	major, _ := strconv.Atoi(m[2])
	minor, _ := strconv.Atoi(m[3])
	return m[1], major*10 + minor
}

// takesPrefill reports whether the last message may be the beginning of the answer.
// Measured in public on 4.5 (accepted) and on 4.6 and later (refused); see
// platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6.
func (r *anthropicRequest) takesPrefill() bool {
	_, v := r.version()
	return v < 46
}

// takesSystemMessages reports whether a system message may follow others:
// platform.claude.com/docs/en/build-with-claude/
// mid-conversation-system-messages.
func (r *anthropicRequest) takesSystemMessages() bool {
	switch family, v := r.version(); family {
	case "opus":
		return v >= 48
	case "fable", "mythos":
		return true
	case "sonnet":
		return v >= 55
	}
	return false
}

// bindsThinking reports whether the model accepts reasoning only after the same
// messages as before. platform.claude.com/docs/en/build-with-claude/preserved-thinking;
// for accounts of 2026-08-31 and later.
func (r *anthropicRequest) bindsThinking() bool {
	switch family, v := r.version(); family {
	case "fable":
		return v >= 51
	case "opus", "sonnet", "haiku":
		return v >= 55
	}
	return false
}
