package conversation

import (
	"encoding/json"
	"strings"
)

// anthropicTurns says where in the alternation of turns a list of messages is:
// consecutive messages of a role are one turn.
type anthropicTurns struct {
	*checker
	role    Role         // of the turn; "": none yet
	number  int          // of the assistant's turns so far
	results bool         // the user's turn is nothing but results so far
	servers []serverCall // calls that Anthropic runs itself, without result so far
}

type serverCall struct {
	id, name string
	index    int // of the message
	turn     int
}

// An anthropicBlock has of a content block what is looked at. The members of
// blocks that this package does not know are no matter.
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

func (c *checker) anthropic() {
	t := anthropicTurns{checker: c}
	for i := range c.msgs {
		if m := &c.msgs[i]; !c.usable(i) {
			continue
		} else if c.raw(m) {
			t.rawMessage(i, m)
		} else {
			t.message(i, m)
		}
	}
	c.endTurn()
	t.reportServers(func(s serverCall) bool { return s.turn < t.number })
	if t.role == "" {
		c.noMessages()
	}
}

// noMessages reports a list that has instructions alone.
func (c *checker) noMessages() {
	if len(c.problems) == 0 {
		c.add(len(c.msgs)-1, ruleFirst, "there are instructions alone: add a message of the user")
	}
}

func (t *anthropicTurns) message(i int, m *Message) {
	switch m.Role {
	case System:
		t.system(i)
		t.noImages(i, m)
		return
	case Assistant:
		t.assistant(i)
		t.noImages(i, m)
	default:
		t.user()
	}
	if m.Role == Tool {
		t.result(i, m.ToolCallID)
	}
	t.content(i, m)
	for k := range m.ToolCalls {
		call := &m.ToolCalls[k]
		t.toolUse(i, call.ID, call.Name, call.Arguments)
	}
}

// content looks at the text and the images of a message that is translated.
func (t *anthropicTurns) content(i int, m *Message) {
	blank := isBlank(m.Content) && allBlank(m.Parts)
	for k := range m.Parts {
		switch p := &m.Parts[k]; {
		case p.Type == TextPart && p.Text == "":
			t.emptyText(i)
			return
		case p.Type != TextPart && m.IsError:
			t.errorImage(i)
			return
		case p.Type == ImageB64Part && m.Role != Assistant:
			t.imageType(i, p.MediaType)
		}
	}
	none := m.Content == "" && len(m.Parts) == 0
	switch {
	case m.Role == Tool:
	case blank && len(m.ToolCalls) == 0:
		if !none || m.Role == User || i < len(t.msgs)-1 {
			t.emptyMessage(i)
		}
		if m.Role == User {
			t.other()
		}
	case none:
	case m.Role == Assistant:
		t.cutCalls()
	default:
		t.other()
	}
}

func allBlank(parts []Part) bool {
	for k := range parts {
		if parts[k].Type != TextPart || !isBlank(parts[k].Text) {
			return false
		}
	}
	return true
}

func (c *checker) emptyMessage(i int) {
	c.add(i, ruleEmpty, "the message has no content but whitespace: give it a text, or drop it")
}

func (c *checker) emptyText(i int) {
	c.add(i, ruleEmpty, "a text part is empty: drop the part")
}

func (c *checker) lateSystem(i int) {
	c.add(i, ruleSystem, "an instruction among the messages: move it to the instructions at the beginning, or make it a message of the user")
}

func (t *anthropicTurns) system(i int) {
	if t.role != "" {
		t.lateSystem(i)
	}
}

func (t *anthropicTurns) assistant(i int) {
	if t.role == Assistant {
		return
	}
	if t.role == "" {
		t.firstIsAssistant(i)
	}
	t.endTurn()
	t.role = Assistant
	t.number++
}

func (c *checker) firstIsAssistant(i int) {
	c.add(i, ruleFirst, "the conversation begins with the assistant: begin with a message of the user")
}

// user begins a turn of the user. What Anthropic was to run itself must have its
// result by now; only beside a call of a tool of ours it is put off until that one
// is answered.
func (t *anthropicTurns) user() {
	if t.role == User {
		return
	}
	t.role, t.results = User, true
	putOff := len(t.turn.calls) > 0
	t.reportServers(func(s serverCall) bool { return !putOff || s.turn < t.number })
}

// other says that there is something else than results in the turn of the user:
// Anthropic does not run then what it put off.
func (t *anthropicTurns) other() {
	t.interrupt()
	t.results = false
	t.reportServers(func(serverCall) bool { return true })
}

func (t *anthropicTurns) reportServers(due func(serverCall) bool) {
	if len(t.servers) == 0 {
		return
	}
	waiting := t.servers[:0]
	for _, s := range t.servers {
		if !due(s) {
			waiting = append(waiting, s)
			continue
		}
		t.missing = append(t.missing, stray{s.id, len(t.problems)})
		t.add(s.index, ruleMissing, "the provider's tool %q has no result for %q: keep the message that brings it (nothing but results of tools may come before), or drop the call", clip(s.name), clip(s.id))
	}
	t.servers = waiting
}

func (t *anthropicTurns) toolUse(i int, id, name string, input []byte) {
	t.callForm(i, id, name, input)
	if id != "" {
		t.unique(i, id)
	}
	t.call(i, id, name)
}

func (t *anthropicTurns) rawMessage(i int, m *Message) {
	if m.Role == System && firstByte(m.Raw) == '[' { // texts of the system prompt
		t.system(i)
		return
	}
	role, blocks, ok := anthropicContent(m.Raw)
	if !ok {
		t.badRaw(i, "a message with role and content, nor an array of content blocks")
		role = m.Role
	}
	switch role {
	case System: // an object stays among the messages, also where it is the first
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
		t.add(i, ruleReasoning, "the message ends with thinking: keep what came of it, or drop the thinking too")
	}
}

func (b *anthropicBlock) isThinking() bool {
	return b.Type == "thinking" || b.Type == "redacted_thinking"
}

// rawTexts reports a message without content, an empty text, and texts that are
// all whitespace, which other blocks beside them do not mend.
func (t *anthropicTurns) rawTexts(i int, role Role, blocks []anthropicBlock) {
	if len(blocks) == 0 {
		if role == User || i < len(t.msgs)-1 {
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
		t.add(i, ruleEmpty, "the message has no text but whitespace: drop these blocks")
	}
}

// anthropicContent reads both forms of Raw. An array continues the user's message.
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

// firstByte returns the byte that a JSON text begins with; 0 where there is none.
func firstByte(text []byte) byte {
	for _, b := range text {
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}

func (t *anthropicTurns) assistantBlock(i int, b *anthropicBlock) {
	switch b.Type {
	case "text":
		t.cutCalls()
	case "thinking":
		if b.Signature == "" {
			t.add(i, ruleSignature, "a thinking block has no signature: keep it as it came, or drop the block")
		}
	case "redacted_thinking":
		if b.Data == "" {
			t.add(i, ruleSignature, "a redacted_thinking block has no data: keep it as it came, or drop the block")
		}
	case "image":
		t.add(i, ruleImage, "an image in a message of role assistant: put it into a message of the user")
	case "tool_use":
		t.toolUse(i, string(b.ID), string(b.Name), b.Input)
	case "tool_result":
		t.badRaw(i, "the assistant's: a tool_result belongs into a message of the user")
	case "server_tool_use", "mcp_tool_use":
		if b.Type == "server_tool_use" && (!strings.HasPrefix(string(b.ID), "srvtoolu_") || !isPlain(string(b.ID))) {
			t.add(i, ruleCallID, "the id %q of a call that the provider runs does not begin with srvtoolu_: keep it as it came", clip(string(b.ID)))
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
		t.badRaw(i, "the user's: a block of type "+string(b.Type)+" belongs into a message of the assistant")
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

func (c *checker) errorImage(i int) {
	c.add(i, ruleImage, "the result of a tool that failed has more than text: send the image as a message of the user")
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
