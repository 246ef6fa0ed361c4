package conversation

import "encoding/json"

// geminiTurns follows the contents of generateContent. A turn with calls follows
// the user or results directly, and the results of its calls follow it directly.
type geminiTurns struct {
	*checker
	role     Role  // of the message before; "": there was none
	unsigned []int // messages of the current turn that have calls without a signature
	signs    bool  // the model has signed something
}

// A geminiPart is the part of a content's part that the checks read. The API knows
// two spellings of its members.
type geminiPart struct {
	Text       *loose          `json:"text"`
	Signature  loose           `json:"thoughtSignature"`
	Signature2 loose           `json:"thought_signature"`
	Call       *geminiFunction `json:"functionCall"`
	Call2      *geminiFunction `json:"function_call"`
	Response   *geminiFunction `json:"functionResponse"`
	Response2  *geminiFunction `json:"function_response"`
	members    int             // how many members there are, except those about thinking
}

type geminiFunction struct {
	ID   loose           `json:"id"`
	Name loose           `json:"name"`
	Args json.RawMessage `json:"args"`
}

func (p *geminiPart) UnmarshalJSON(text []byte) error {
	type plain geminiPart
	if err := json.Unmarshal(text, (*plain)(p)); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	for name := range members {
		switch name {
		case "thought", "thoughtSignature", "thought_signature":
		default:
			p.members++
		}
	}
	if p.Call == nil {
		p.Call = p.Call2
	}
	if p.Response == nil {
		p.Response = p.Response2
	}
	if p.Signature == "" {
		p.Signature = p.Signature2
	}
	return nil
}

func (g *geminiTurns) finish() {
	g.endTurn()
	if g.role == "" {
		g.noMessages()
	}
	for _, i := range g.unsigned {
		if g.signs {
			g.add(i, RuleThinkingSignature, "a call has no thoughtSignature, but the model has signed others: keep "+
				"the parts as the provider sent them")
		}
	}
}

func (g *geminiTurns) fields(i int, m *Message) {
	switch m.Role {
	case System:
		if g.role != "" {
			g.lateSystem(i)
		}
		g.noImages(i, m)
		return
	case User:
		g.user()
	case Tool:
		g.role = Tool
		g.result(i, m.ToolCallID)
		return
	case Assistant:
		g.model(i, len(m.ToolCalls) > 0)
	}
	if m.Content == "" && len(m.Parts) == 0 && len(m.ToolCalls) == 0 {
		g.add(i, RuleEmptyContent, "the message has no content: give it a text, or drop it")
	}
	for k := range m.Parts {
		if m.Parts[k].Type == TextPart && m.Parts[k].Text == "" {
			g.emptyText(i)
			break
		}
	}
	for _, call := range m.ToolCalls {
		g.checkCall(i, call)
		g.call(i, call.ID, call.Name)
	}
}

// user begins a turn of the user. Signatures are needed in the last turn only.
func (g *geminiTurns) user() {
	g.interrupt()
	g.role = User
	g.unsigned = g.unsigned[:0]
}

func (g *geminiTurns) model(i int, calls bool) {
	g.endTurn()
	switch {
	case g.role == "":
		g.firstIsAssistant(i)
	case g.role == Assistant && calls:
		g.add(i, RuleCallPosition, "calls follow another message of the assistant directly: make one message of the "+
			"two")
	}
	g.role = Assistant
}

func (g *geminiTurns) raw(i int, m *Message) {
	var content struct {
		Role  loose        `json:"role"`
		Parts []geminiPart `json:"parts"`
	}
	if json.Unmarshal(m.Raw, &content) != nil {
		g.badRaw(i, "a content with role and parts")
		g.role = m.Role
		return
	}
	var calls, responses int
	for k := range content.Parts {
		if content.Parts[k].Call != nil {
			calls++
		}
		if content.Parts[k].Response != nil {
			responses++
		}
	}
	switch content.Role {
	case "model":
		g.model(i, calls > 0)
	case "user", "function", "":
		if responses > 0 {
			if g.role == Tool { // the results of one turn are one content
				g.interrupt()
			}
			g.role = Tool
		} else {
			g.user()
		}
	case "system":
		if g.role != "" {
			g.lateSystem(i)
		}
		return
	default:
		g.badRaw(i, "a content of role user or model")
		return
	}
	g.parts(i, m, content.Parts)
}

func (g *geminiTurns) parts(i int, m *Message, parts []geminiPart) {
	if len(parts) == 0 {
		g.add(i, RuleEmptyContent, "the content has no parts: give it a text, or drop it")
		return
	}
	signed, calls := false, 0
	for k := range parts {
		p := &parts[k]
		signed = signed || p.Signature != ""
		switch {
		case p.members == 0, p.members == 1 && p.Text != nil && *p.Text == "" && p.Signature == "":
			g.emptyText(i)
		case p.Call != nil:
			g.rawCall(i, m, p.Call, calls)
			calls++
		case p.Response != nil:
			g.rawResponse(i, m, p.Response)
		}
	}
	g.signs = g.signs || signed
	if calls > 0 && !signed {
		g.unsigned = append(g.unsigned, i)
	}
}

// rawCall adds a call of Raw. Gemini's ids are optional: a call without one has the
// id of the call at its place in m.ToolCalls.
func (g *geminiTurns) rawCall(i int, m *Message, call *geminiFunction, place int) {
	id := string(call.ID)
	if id == "" && place < len(m.ToolCalls) {
		id = m.ToolCalls[place].ID
	}
	form := id
	if form == "" {
		form = string(call.Name)
	}
	g.checkCall(i, ToolCall{form, string(call.Name), call.Args})
	g.turn.list(listedCall{id: id, name: string(call.Name), index: i})
}

// rawResponse pairs a response of Raw with its call, by id or else by name.
func (g *geminiTurns) rawResponse(i int, m *Message, response *geminiFunction) {
	id := string(response.ID)
	if id == "" {
		id = m.ToolCallID
	}
	if place := g.turn.find(id); id != "" && place >= 0 {
		g.answer(i, id, place)
		return
	}
	for place := range g.turn.calls {
		call := &g.turn.calls[place]
		if !call.answered && call.name == string(response.Name) && (response.ID == "" || call.id == "") {
			g.answer(i, call.id, place)
			return
		}
	}
	g.orphan(i, id)
}
