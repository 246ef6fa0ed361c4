package conversation

import "github.com/agent-scratchpad/scratchpad/conversation/internal/clip"

// anthropicTurns follows the turns of the Messages API. Consecutive messages of
// one role are one turn.
type anthropicTurns struct {
	*checker
	role    Role         // of the turn; "": there was no turn yet
	number  int          // how many turns the assistant had
	servers []serverCall // calls of tools that run at Anthropic, still without a result
	marks   int          // blocks with cache_control
}

// A serverCall is a call of a tool that runs at the provider.
type serverCall struct {
	id, name string
	index    int // of the message
	turn     int // number of the turn
}

func (t *anthropicTurns) finish() {
	t.endTurn()
	t.reportServers(func(s serverCall) bool { return s.turn < t.number })
	if t.role == "" {
		t.noMessages()
	}
}

func (t *anthropicTurns) fields(i int, m *Message) {
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
	for _, call := range m.ToolCalls {
		t.toolUse(i, call)
	}
}

// content checks the text and the images of a message without Raw.
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
		if !none || m.Role == User || i < t.count-1 {
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

func (t *anthropicTurns) emptyMessage(i int) {
	t.add(i, RuleEmptyContent, "the message is empty or has only whitespace: give it a text, or drop it")
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

// user begins a turn of the user. A tool that runs at Anthropic must have its
// result by now. If the client has calls to answer too, Anthropic puts its own tools
// off until they are answered.
func (t *anthropicTurns) user() {
	if t.role == User {
		return
	}
	t.role = User
	if putOff := len(t.turn.calls) > 0; !putOff {
		t.reportServers(func(serverCall) bool { return true })
	}
}

// other notes that the turn of the user has something else than results. Then
// Anthropic does not run the tools that it put off.
func (t *anthropicTurns) other() {
	t.interrupt()
	t.reportServers(func(serverCall) bool { return true })
}

// reportServers reports the waiting calls for which due holds.
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
		t.add(s.index, RuleMissingResult, "the provider's tool %q has no result for call %q: keep the message with "+
			"the result (only results of tools may come before it), or drop the "+
			"call", clip.Text(s.name), clip.Text(s.id))
	}
	t.servers = waiting
}

func (t *anthropicTurns) toolUse(i int, call ToolCall) {
	t.checkCall(i, call)
	if call.ID != "" {
		t.unique(i, call.ID)
	}
	t.call(i, call.ID, call.Name)
}
