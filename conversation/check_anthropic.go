package conversation

// anthropicTurns says where in the alternation of turns a list of messages is:
// consecutive messages of a role are one turn.
type anthropicTurns struct {
	*checker
	role    Role         // of the turn; "": none yet
	number  int          // of the assistant's turns so far
	servers []serverCall // calls that Anthropic runs itself, without result so far
}

type serverCall struct {
	id, name string
	index    int // of the message
	turn     int
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
	t.role = User
	if putOff := len(t.turn.calls) > 0; !putOff {
		t.reportServers(func(serverCall) bool { return true })
	}
}

// other says that there is something else than results in the turn of the user:
// Anthropic does not run then what it put off.
func (t *anthropicTurns) other() {
	t.interrupt()
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
