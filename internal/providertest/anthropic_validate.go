package providertest

import (
	"encoding/json"
	"strings"
	"unicode"
)

// ValidateAnthropic returns nil if the provider accepts a body of POST /v1/messages, and
// a [*Refusal] otherwise. In one rule it is stricter than the provider: the first
// message must be the user's. The provider dropped that rule on October 8th, 2024, but
// some hosts of its models have it still.
func ValidateAnthropic(body []byte) error {
	var req anthropicRequest
	if err := req.decode(body); err != nil {
		return err
	}
	for _, check := range []func() error{
		req.checkFields, req.checkRoles, req.checkBlocks, req.checkEmpty, req.checkCacheControl,
		req.checkCalls, req.checkServerCalls, req.checkThinkingPlace, req.checkEnd, req.checkSignatures, req.checkBindings,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (r *anthropicRequest) checkFields() error {
	switch {
	case r.Model == "":
		return refuseAnthropic("model: Field required")
	case r.MaxTokens == nil:
		return refuseAnthropic("max_tokens: Field required")
	case len(r.Messages) == 0:
		return refuseAnthropic("messages: at least one message is required")
	}
	if r.Thinking.Type != "enabled" {
		return nil
	}
	// platform.claude.com/docs/en/build-with-claude/extended-thinking
	switch budget := r.Thinking.BudgetTokens; {
	case budget == nil:
		return refuseAnthropic("thinking.enabled.budget_tokens: Field required")
	case *budget < 1024:
		return refuseAnthropic("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case *budget >= *r.MaxTokens:
		return refuseAnthropic("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at " +
			"https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size")
	}
	return nil
}

func (r *anthropicRequest) checkRoles() error {
	for i, m := range r.Messages {
		switch m.Role {
		case "user", "assistant":
		case "system":
			if err := r.checkSystem(i); err != nil {
				return err
			}
		case "":
			return refuseAnthropic("messages.%d.role: Field required", i)
		default:
			return refuseAnthropic(`messages: Unexpected role %q. Allowed roles are "user" or "assistant".`, m.Role)
		}
	}
	if turns := r.turns(); len(turns) > 0 && turns[0].role != "user" {
		return refuseAnthropic(`messages: first message must use the "user" role`) // langbot-app/LangBot#867
	}
	return nil
}

const directive = "; the directive-only form (content: [] with output_config) is accepted at any position"

// checkSystem is from platform.claude.com/docs/en/build-with-claude/
// mid-conversation-system-messages#limitations; system messages in a row are one.
func (r *anthropicRequest) checkSystem(i int) error {
	m := r.Messages[i]
	if len(m.blocks) == 0 {
		if m.OutputConfig == nil {
			return refuseAnthropic("messages.%d: system content must contain at least one block", i)
		}
		return nil
	}
	before, after := i-1, i+1
	for before >= 0 && r.Messages[before].Role == "system" {
		before--
	}
	for after < len(r.Messages) && r.Messages[after].Role == "system" {
		after++
	}
	switch {
	case before < 0:
		return refuseAnthropic("messages.%d: use the top-level 'system' parameter for the initial system prompt"+directive, i)
	case !r.takesSystemMessages():
		return refuseAnthropic("role 'system' is not supported on this model") // maximhq/bifrost#3945
	case r.Messages[before].Role == "assistant" && !endsWithServerResult(r.Messages[before].blocks):
		return refuseAnthropic("messages.%d: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result"+directive, i)
	case after < len(r.Messages) && r.Messages[after].Role != "assistant":
		return refuseAnthropic("messages.%d: role 'system' must precede an 'assistant' message or end the array"+directive, after-1)
	}
	for _, b := range m.blocks {
		if b.Type != "text" && b.Type != "tool_addition" && b.Type != "tool_removal" {
			return refuseAnthropic("messages.%d: role 'system' supports text, tool_addition, and tool_removal blocks only", i)
		}
	}
	return nil
}

func endsWithServerResult(blocks []anthropicBlock) bool {
	return len(blocks) > 0 && blocks[len(blocks)-1].isServerResult()
}

// checkEmpty refuses empty messages and texts. anthropics/claude-code#6774, #59812;
// LibreChat-AI/agents#124 measured that whitespace is refused if a message has no other
// text.
func (r *anthropicRequest) checkEmpty() error {
	for i, m := range r.Messages {
		last := i == len(r.Messages)-1 && m.Role == "assistant"
		if len(m.blocks) == 0 && m.Role != "system" && !last {
			return refuseAnthropic("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		}
		blank, said := false, false
		for _, b := range m.blocks {
			for _, t := range b.texts() {
				if t == "" {
					return refuseAnthropic("messages: text content blocks must be non-empty")
				}
			}
			if b.Type == "text" {
				empty := strings.TrimSpace(*b.Text) == ""
				blank, said = blank || empty, said || !empty
			}
		}
		if blank && !said {
			return refuseAnthropic("messages: text content blocks must contain non-whitespace text")
		}
	}
	system, _ := anthropicBlocks(r.System)
	for _, b := range system {
		if b.Type == "text" && text(b.Text) == "" {
			return refuseAnthropic("system: text content blocks must be non-empty")
		}
	}
	return nil
}

// texts returns the texts of a text block, or of the blocks in a result.
func (b *anthropicBlock) texts() []string {
	switch b.Type {
	case "text":
		return []string{text(b.Text)}
	case "tool_result":
		var texts []string
		inner, _ := anthropicBlocks(b.Content)
		for _, in := range inner {
			if in.Type == "text" {
				texts = append(texts, text(in.Text))
			}
		}
		return texts
	}
	return nil
}

// checkCacheControl: platform.claude.com/docs/en/build-with-claude/prompt-caching.
func (r *anthropicRequest) checkCacheControl() error {
	count := 0
	var add func(blocks []anthropicBlock)
	add = func(blocks []anthropicBlock) {
		for _, b := range blocks {
			if len(b.CacheControl) > 0 && string(b.CacheControl) != "null" {
				count++
			}
			if b.Type == "tool_result" {
				inner, _ := anthropicBlocks(b.Content)
				add(inner)
			}
		}
	}
	for _, tool := range r.Tools {
		var b anthropicBlock
		_ = json.Unmarshal(tool, &b)
		add([]anthropicBlock{b})
	}
	system, _ := anthropicBlocks(r.System)
	add(system)
	for _, m := range r.Messages {
		add(m.blocks)
	}
	if count > 4 {
		return refuseAnthropic("A maximum of 4 blocks with cache_control may be provided. Found %d.", count)
	}
	return nil
}

// checkThinkingPlace refuses reasoning in the wrong place. In manual mode, the turn that
// began a loop of calls starts with its reasoning (pydantic/pydantic-ai#2075), and so
// does each message that has any. Adaptive thinking has neither rule
// (platform.claude.com/docs/en/build-with-claude/adaptive-thinking, "Validation
// changes"). In both modes a message must not end with reasoning: measured in public on
// claude-opus-4-8.
func (r *anthropicRequest) checkThinkingPlace() error {
	for i, m := range r.Messages {
		if m.Role != "assistant" || len(m.blocks) == 0 {
			continue
		}
		if m.blocks[len(m.blocks)-1].isThinking() {
			return refuseAnthropic("messages.%d: The final block in an assistant message cannot be `thinking`.", i)
		}
		for j := range m.blocks {
			if r.Thinking.Type == "enabled" && m.blocks[j].isThinking() && !m.blocks[0].isThinking() {
				return refuseAnthropic("messages.%d.content.0: If an assistant message contains any thinking blocks, "+
					"the first block must be `thinking` or `redacted_thinking`. Found `%s`.", i, m.blocks[0].Type)
			}
		}
	}
	if r.Thinking.Type != "enabled" {
		return nil
	}
	first := r.loopStart()
	if first == nil || first.isThinking() {
		return nil
	}
	return refuseAnthropic("messages.%d.content.%d.type: Expected `thinking` or `redacted_thinking`, but found `%s`. "+
		"When `thinking` is enabled, a final `assistant` message must start with a thinking block "+
		"(preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. "+
		"To avoid this requirement, disable `thinking`. Please consult our documentation at "+
		"https://docs.claude.com/en/docs/build-with-claude/extended-thinking", first.message, first.index, first.Type)
}

// loopStart returns the first block of the answer that the model is giving, or nil if
// it has not begun.
func (r *anthropicRequest) loopStart() *anthropicBlock {
	turns := r.turns()
	var first *anthropicBlock
	for i := len(turns) - 1; i >= 0; i-- {
		t := turns[i]
		if t.role == "assistant" && len(t.blocks) > 0 {
			first = &t.blocks[0]
		}
		if t.role == "user" && leadingResults(t) == 0 {
			break
		}
	}
	return first
}

// checkEnd refuses a message of the assistant at the end if the model does not accept a
// prefill. Any model continues a paused answer with the provider's own tools.
func (r *anthropicRequest) checkEnd() error {
	turns := r.turns()
	last := turns[len(turns)-1]
	if last.role != "assistant" || len(last.blocks) == 0 {
		return nil
	}
	b := last.blocks[len(last.blocks)-1]
	if b.isServerUse() || b.isServerResult() {
		return nil
	}
	if !r.takesPrefill() {
		return refuseAnthropic("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	if t := text(b.Text); b.Type == "text" && t != strings.TrimRightFunc(t, unicode.IsSpace) {
		return refuseAnthropic("messages: final assistant content cannot end with trailing whitespace")
	}
	return nil
}
