package conversation

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/clip"
)

// An anthropicBlock is the part of a content block that the checks read. Blocks of
// an unknown type are accepted as they are.
type anthropicBlock struct {
	Type      loose           `json:"type"`
	ID        loose           `json:"id"`
	ToolUseID loose           `json:"tool_use_id"`
	Name      loose           `json:"name"`
	Text      loose           `json:"text"`
	Signature loose           `json:"signature"`
	Data      loose           `json:"data"`
	Input     json.RawMessage `json:"input"`
	Content   json.RawMessage `json:"content"`
	Source    json.RawMessage `json:"source"`
	IsError   bool            `json:"is_error"`
}

// mostMarks is how many blocks may have cache_control. The provider counts those of the
// request's tools and system prompt too.
const mostMarks = 4

// cacheMarks counts the blocks with cache_control, and reports the first one too many.
func (t *anthropicTurns) cacheMarks(i int, raw []byte) {
	var v any
	if !bytes.Contains(raw, []byte("cache_control")) || json.Unmarshal(raw, &v) != nil {
		return
	}
	before := t.marks
	t.marks += marksOf(v)
	if before <= mostMarks && t.marks > mostMarks {
		t.add(i, RuleRawForm, "more than %d blocks have cache_control: remove it from the older ones", mostMarks)
	}
}

// marksOf returns how many blocks of a message have cache_control, in results and
// documents too. The input of a call has no blocks.
func marksOf(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += marksOf(e)
		}
	case map[string]any:
		if v["cache_control"] != nil {
			n++
		}
		for _, name := range []string{"content", "source"} {
			n += marksOf(v[name])
		}
	}
	return n
}

func (t *anthropicTurns) raw(i int, m *Message) {
	t.cacheMarks(i, m.Raw)
	if m.Role == System && firstByte(m.Raw) == '[' { // texts of the system prompt
		t.system(i)
		return
	}
	role, blocks, ok := anthropicContent(m.Raw)
	if !ok {
		t.badRaw(i, "a message with role and content, or an array of content blocks")
		role = m.Role
	}
	switch role {
	case System: // a message stays among the messages, even if it is the first
		t.lateSystem(i)
		return
	case Assistant:
		t.assistant(i)
	default:
		t.user()
	}
	if !ok {
		return
	}
	t.rawTexts(i, role, blocks)
	for k := range blocks {
		if role == Assistant {
			t.assistantBlock(i, &blocks[k])
		} else {
			t.userBlock(i, &blocks[k])
		}
	}
	if n := len(blocks); n > 0 && role == Assistant && blocks[n-1].isThinking() {
		t.add(i, RuleOrphanedReasoning, "the message ends with thinking: keep the text or the call after it, or drop "+
			"the thinking too")
	}
}

func (b *anthropicBlock) isThinking() bool {
	return b.Type == "thinking" || b.Type == "redacted_thinking"
}

// rawTexts reports a message without content, an empty text, and texts that are
// all whitespace. Other blocks beside such texts do not help.
func (t *anthropicTurns) rawTexts(i int, role Role, blocks []anthropicBlock) {
	if len(blocks) == 0 {
		if role == User || i < t.count-1 {
			t.emptyMessage(i)
		}
		return
	}
	blank, said := false, false
	for k := range blocks {
		switch b := &blocks[k]; {
		case b.Type != "text":
		case b.Text == "":
			t.emptyText(i)
			return
		case isBlank(string(b.Text)):
			blank = true
		default:
			said = true
		}
	}
	if blank && !said {
		t.add(i, RuleEmptyContent, "the texts of the message are all whitespace: drop these blocks")
	}
}

// anthropicContent reads both forms of Raw. An array of blocks belongs to the
// user's message before it.
func anthropicContent(raw []byte) (role Role, blocks []anthropicBlock, ok bool) {
	message := struct {
		Role    Role            `json:"role"`
		Content json.RawMessage `json:"content"`
	}{Role: User, Content: raw}
	if firstByte(raw) != '[' {
		message.Role, message.Content = "", nil
		if json.Unmarshal(raw, &message) != nil {
			return "", nil, false
		}
	}
	switch message.Role {
	case User, Assistant, System:
	default:
		return "", nil, false
	}
	switch firstByte(message.Content) {
	case '"':
		var text loose
		if json.Unmarshal(message.Content, &text) != nil {
			return "", nil, false
		}
		if text == "" {
			return message.Role, nil, true
		}
		return message.Role, []anthropicBlock{{Type: "text", Text: text}}, true
	case '[':
		ok = json.Unmarshal(message.Content, &blocks) == nil
		return message.Role, blocks, ok
	}
	return "", nil, false
}

func (t *anthropicTurns) assistantBlock(i int, b *anthropicBlock) {
	switch b.Type {
	case "text":
		t.cutCalls()
	case "thinking":
		if b.Signature == "" {
			t.add(i, RuleThinkingSignature, "a thinking block has no signature: keep the block as the provider sent "+
				"it, or drop it")
		}
	case "redacted_thinking":
		if b.Data == "" {
			t.add(i, RuleThinkingSignature, "a redacted_thinking block has no data: keep the block as the provider "+
				"sent it, or drop it")
		}
	case "image":
		t.imageOf(i, Assistant)
	case "tool_use":
		t.toolUse(i, ToolCall{string(b.ID), string(b.Name), b.Input})
	case "tool_result":
		t.badRaw(i, "of the assistant: a tool_result belongs into a message of the user")
	case "server_tool_use", "mcp_tool_use":
		if b.Type == "server_tool_use" && (!strings.HasPrefix(string(b.ID), "srvtoolu_") || !isPlain(string(b.ID))) {
			t.add(i, RuleCallID, "the id %q of a call that the provider runs does not begin with srvtoolu_: keep "+
				"the id that the provider sent", clip.Text(string(b.ID)))
		}
		if b.ID != "" {
			t.unique(i, string(b.ID))
		}
		t.servers = append(t.servers, serverCall{string(b.ID), string(b.Name), i, t.number})
	default:
		if strings.HasSuffix(string(b.Type), "_tool_result") {
			t.serverResult(i, string(b.ToolUseID))
		}
	}
}

func (t *anthropicTurns) serverResult(i int, id string) {
	for k := len(t.servers) - 1; k >= 0; k-- {
		if t.servers[k].id == id {
			t.servers = append(t.servers[:k], t.servers[k+1:]...)
			return
		}
	}
	if _, ok := t.seen[id]; ok {
		t.twice(i, id)
		return
	}
	t.orphan(i, id)
}

func (t *anthropicTurns) userBlock(i int, b *anthropicBlock) {
	switch b.Type {
	case "tool_result":
		t.result(i, string(b.ToolUseID))
	case "tool_use", "server_tool_use", "mcp_tool_use", "thinking", "redacted_thinking":
		t.badRaw(i, "of the user: a block of type "+string(b.Type)+" belongs into a message of the assistant")
		return
	case "image":
		t.rawImage(i, b)
		t.other()
		return
	default:
		t.other()
		return
	}
	var inner []anthropicBlock
	if firstByte(b.Content) != '[' || json.Unmarshal(b.Content, &inner) != nil {
		return
	}
	for k := range inner {
		if inner[k].Type == "text" && inner[k].Text == "" {
			t.emptyText(i)
			return
		}
		if inner[k].Type == "image" {
			t.rawImage(i, &inner[k])
		}
		if b.IsError && inner[k].Type != "text" {
			t.errorImage(i)
			return
		}
	}
}

func (t *anthropicTurns) errorImage(i int) {
	t.add(i, RuleImage, "the result of a failed tool has more than text: send the image as a message of the user")
}

func (t *anthropicTurns) rawImage(i int, b *anthropicBlock) {
	var source struct {
		Type      loose `json:"type"`
		MediaType loose `json:"media_type"`
	}
	if json.Unmarshal(b.Source, &source) == nil && source.Type == "base64" {
		t.imageType(i, string(source.MediaType))
	}
}
