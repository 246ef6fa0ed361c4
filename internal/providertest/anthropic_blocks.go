package providertest

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
)

// The types of a block: platform.claude.com/docs/en/api/messages/create.
var (
	anthropicAssistantBlocks = []string{"tool_use", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"}
	anthropicUserBlocks      = []string{"tool_result"}
	anthropicGivenBlocks     = []string{"image", "container_upload"}
	anthropicOtherBlocks     = []string{"text", "document", "search_result", "compaction", "tool_addition", "tool_removal"}
	anthropicServerResults   = []string{"web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result",
		"bash_code_execution_tool_result", "text_editor_code_execution_tool_result", "tool_search_tool_result", "advisor_tool_result", "mcp_tool_result"}
	anthropicInner  = []string{"text", "image", "document", "search_result", "tool_reference"} // in a result
	anthropicImages = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}
)

var (
	anthropicID       = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	anthropicServerID = regexp.MustCompile(`^srvtoolu_[a-zA-Z0-9_]+$`)
)

func (r *anthropicRequest) checkBlocks() error {
	for i, m := range r.Messages {
		for j := range m.blocks {
			b := &m.blocks[j]
			if err := b.checkType(m.Role); err != nil {
				return err
			}
			if err := b.checkShape(); err != nil {
				return inMessage(err, i, j, b.Type)
			}
		}
	}
	return nil
}

// inMessage adds the place of the block to the beginning of an error message.
func inMessage(err error, i, j int, kind string) error {
	refused := err.(*Refusal)
	return refuseAnthropic("messages.%d.content.%d.%s%s", i, j, kind, refused.Message)
}

func (b *anthropicBlock) checkType(role string) error {
	switch {
	case slices.Contains(anthropicUserBlocks, b.Type):
		if role == "assistant" { // measured in public, 2026-08
			return refuseAnthropic("messages.%d: `%s` blocks can only be in `user` messages", b.message, b.Type)
		}
	case slices.Contains(anthropicAssistantBlocks, b.Type) || slices.Contains(anthropicServerResults, b.Type):
		if role == "user" {
			return refuseAnthropic("messages.%d: `%s` blocks can only be in `assistant` messages", b.message, b.Type)
		}
	case slices.Contains(anthropicGivenBlocks, b.Type):
		if role == "assistant" {
			return refuseAnthropic("messages.%d.content.%d: '%s' blocks are not permitted within assistant turns", b.message, b.index, b.Type)
		}
	case !slices.Contains(anthropicOtherBlocks, b.Type):
		all := slices.Concat(anthropicOtherBlocks, anthropicGivenBlocks, anthropicUserBlocks, anthropicAssistantBlocks, anthropicServerResults)
		return refuseAnthropic("messages.%d.content.%d: Input tag '%s' found using 'type' does not match any of the expected tags: '%s'",
			b.message, b.index, b.Type, strings.Join(all, "', '"))
	}
	return nil
}

// checkShape checks the members of a block. Its message follows the type of the block.
// For ids and inputs: HKUDS/nanobot#4356, anthropics/claude-code#6696. A name may have
// 200 characters since 2026, and had 64 before.
func (b *anthropicBlock) checkShape() error {
	switch b.Type {
	case "text":
		if b.Text == nil {
			return refuseAnthropic(".text: Field required")
		}
	case "thinking":
		return b.checkThinking()
	case "redacted_thinking":
		if b.Data == nil {
			return refuseAnthropic(".data: Field required")
		}
	case "tool_use", "server_tool_use", "mcp_tool_use":
		return b.checkUse()
	case "tool_result":
		return b.checkResult()
	case "image":
		return b.Source.check()
	}
	return nil
}

func (b *anthropicBlock) checkThinking() error {
	switch {
	case b.Thinking == nil:
		return refuseAnthropic(".thinking: Field required")
	case b.Signature == nil:
		return refuseAnthropic(".signature: Field required") // docs.claude.com, thinking-troubleshooting
	case b.CacheControl != nil:
		return refuseAnthropic(".cache_control: Extra inputs are not permitted")
	}
	return nil
}

func (b *anthropicBlock) checkUse() error {
	pattern := anthropicID
	if b.Type == "server_tool_use" {
		pattern = anthropicServerID
	}
	switch {
	case b.ID == nil:
		return refuseAnthropic(".id: Field required")
	case !pattern.MatchString(*b.ID):
		return refuseAnthropic(".id: String should match pattern '%s'", pattern)
	case b.Name == nil:
		return refuseAnthropic(".name: Field required")
	case *b.Name == "":
		return refuseAnthropic(".name: String should have at least 1 character")
	case len(*b.Name) > 200:
		return refuseAnthropic(".name: String should have at most 200 characters")
	case b.Input == nil:
		return refuseAnthropic(".input: Field required")
	case !bytes.HasPrefix(bytes.TrimSpace(b.Input), []byte("{")):
		return refuseAnthropic(".input: Input should be a valid dictionary")
	}
	return nil
}

func (b *anthropicBlock) checkResult() error {
	switch {
	case b.ToolUseID == nil:
		return refuseAnthropic(".tool_use_id: Field required")
	case !anthropicID.MatchString(*b.ToolUseID):
		return refuseAnthropic(".tool_use_id: String should match pattern '%s'", anthropicID)
	}
	inner, err := anthropicBlocks(b.Content)
	if err != nil {
		return refuseAnthropic(".content: Input should be a valid list")
	}
	for k, in := range inner {
		switch {
		case !slices.Contains(anthropicInner, in.Type):
			return refuseAnthropic(".content.%d: Input tag '%s' found using 'type' does not match any of the expected tags: '%s'",
				k, in.Type, strings.Join(anthropicInner, "', '"))
		case b.IsError && in.Type != "text":
			return refuseAnthropic(": all content must be type `text` if `is_error` is true")
		case in.Type == "image":
			if err := in.Source.check(); err != nil {
				return refuseAnthropic(".content.%d.image%s", k, err.(*Refusal).Message)
			}
		}
	}
	return nil
}

// check: platform.claude.com/docs/en/build-with-claude/vision.
func (s *anthropicSource) check() error {
	switch {
	case s == nil:
		return refuseAnthropic(".source: Field required")
	case s.Type == "base64" && !slices.Contains(anthropicImages, s.MediaType):
		return refuseAnthropic(".source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'")
	case s.Type == "base64":
		if raw, err := base64.StdEncoding.DecodeString(s.Data); err != nil || len(raw) == 0 {
			return refuseAnthropic(".source.base64: invalid base64 data")
		}
	case s.Type == "url" && !strings.HasPrefix(s.URL, "https://"):
		return refuseAnthropic(".source.url.url: Only HTTPS URLs are supported.")
	case s.Type != "url" && s.Type != "file":
		return refuseAnthropic(".source: Input tag '%s' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'", s.Type)
	}
	return nil
}

// leadingResults returns how many results a turn begins with.
func leadingResults(t anthropicTurn) int {
	n := slices.IndexFunc(t.blocks, func(b anthropicBlock) bool { return b.Type != "tool_result" })
	if n < 0 {
		return len(t.blocks)
	}
	return n
}

// checkCalls checks that each call has one result, at the beginning of the next turn,
// before any text. anthropics/claude-code#3512 (no result), #13460 (no call), #20901
// (an id twice); platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls.
func (r *anthropicRequest) checkCalls() error {
	turns, seen := r.turns(), map[string]bool{}
	var open map[string]bool // whether each call of the turn before is answered
	for i, t := range turns {
		if t.role == "user" {
			if err := t.checkResults(open); err != nil {
				return err
			}
			open = nil
			continue
		}
		open = map[string]bool{}
		var answers []anthropicBlock
		if i+1 < len(turns) {
			answers = turns[i+1].blocks[:leadingResults(turns[i+1])]
		}
		var missing []string
		at := 0
		for _, b := range t.blocks {
			if b.Type != "tool_use" {
				continue
			}
			if seen[*b.ID] {
				return refuseAnthropic("messages.%d.content.%d: `tool_use` ids must be unique", b.message, b.index)
			}
			seen[*b.ID], open[*b.ID] = true, false
			if !slices.ContainsFunc(answers, func(a anthropicBlock) bool { return *a.ToolUseID == *b.ID }) {
				missing, at = append(missing, *b.ID), b.message
			}
		}
		if len(missing) > 0 {
			return refuseAnthropic("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. "+
				"Each `tool_use` block must have a corresponding `tool_result` block in the next message.", at, strings.Join(missing, ", "))
		}
	}
	return nil
}

func (t anthropicTurn) checkResults(open map[string]bool) error {
	for _, b := range t.blocks {
		if b.Type != "tool_result" {
			continue
		}
		answered, called := open[*b.ToolUseID]
		switch {
		case !called:
			return refuseAnthropic("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. "+
				"Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", b.message, b.index, *b.ToolUseID)
		case answered:
			return refuseAnthropic("messages.%d.content.%d: each tool_use must have a single result. "+
				"Found multiple `tool_result` blocks with id: %s", b.message, b.index, *b.ToolUseID)
		}
		open[*b.ToolUseID] = true
	}
	return nil
}

// checkServerCalls checks the calls of tools that the provider runs.
// AnswerDotAI/lisette#108 (no result), anthropics/claude-code#64383 (no call). The last
// answer may be paused, or wait for results of the user's tools only.
func (r *anthropicRequest) checkServerCalls() error {
	turns := r.turns()
	for i, t := range turns {
		var uses []anthropicBlock
		for _, b := range t.blocks {
			switch {
			case b.isServerUse():
				uses = append(uses, b)
			case b.isServerResult():
				k := slices.IndexFunc(uses, func(u anthropicBlock) bool { return *u.ID == text(b.ToolUseID) })
				if k < 0 {
					return refuseAnthropic("messages.%d.content.%d: unexpected `tool_use_id` found in `%s` blocks: %s. "+
						"Each `%s` block must have a corresponding `server_tool_use` block before it.", b.message, b.index, b.Type, text(b.ToolUseID), b.Type)
				}
				uses = slices.Delete(uses, k, k+1)
			}
		}
		paused := i == len(turns)-1 || i == len(turns)-2 && leadingResults(turns[i+1]) == len(turns[i+1].blocks)
		if len(uses) > 0 && !paused {
			u := uses[0]
			return refuseAnthropic("messages.%d: `%s` tool use with id `%s` was found without a corresponding `%s` block",
				u.message, *u.Name, *u.ID, u.resultType())
		}
	}
	return nil
}

func (b *anthropicBlock) resultType() string {
	switch {
	case b.Type == "mcp_tool_use":
		return "mcp_tool_result"
	case strings.HasPrefix(*b.Name, "tool_search"):
		return "tool_search_tool_result"
	}
	return *b.Name + "_tool_result"
}
