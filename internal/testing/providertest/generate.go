package providertest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// GenerateOptions say what [Conversation] returns.
type GenerateOptions struct {
	// Messages is the number of messages; there may be a few more. Zero means up to 40,
	// and 1,000 in one conversation of eighty.
	Messages int
	// Open lets some or all of the last calls have no result.
	Open bool
}

// Conversation returns a random conversation that the provider accepts. Equal r give
// equal conversations. It has what real ones have: instructions, parallel calls whose
// results come in any order, failed tools, images, reasoning before and between calls,
// tools that the provider runs, pauses, users who interrupt, and loops of hundreds of
// calls. Two conversations in five have Raw, two have the fields only, and one mixes
// these forms, also with another provider's.
func Conversation(r *rand.Rand, p conversation.Provider, o GenerateOptions) []conversation.Message {
	g := &generator{r: r, provider: p, length: o.Messages, custom: make(map[string]bool)}
	if g.length <= 0 {
		g.length = 1 + r.IntN(40)
		if r.IntN(80) == 0 {
			g.length = 1000
		}
	}
	g.reuseIDs = (p == conversation.OpenAIChat || p == conversation.Gemini) && g.one(8)
	kind := r.IntN(5)
	g.begin(kind)
	for range r.IntN(3) {
		g.add(g.form.system(g.text()))
	}
	for {
		g.exchange()
		if len(g.msgs) >= g.length {
			break
		}
		if g.begin(kind); g.openAI() && g.one(6) {
			g.add(g.form.system(g.text()))
		}
	}
	if o.Open && g.one(2) {
		if p == conversation.Gemini && g.msgs[len(g.msgs)-1].Role == conversation.Assistant {
			g.add(g.form.user(g.parts()))
		}
		g.round(true)
	}
	return g.msgs
}

type generator struct {
	r        *rand.Rand
	provider conversation.Provider
	length   int
	reuseIDs bool // each message with calls counts them from 0

	form form // how the present exchange is written
	own  bool // form is with Raw of the provider

	msgs   []conversation.Message
	calls  int             // so far
	groups int             // of Responses items
	marks  int             // of cache_control
	custom map[string]bool // the ids of custom tool calls
}

// A form writes an exchange as messages, with Raw or without.
type form interface {
	system(text string) conversation.Message
	user(parts []conversation.Part) conversation.Message
	model(s said) []conversation.Message
	// results adds Raw to results, which are in order.
	results(calls map[string]conversation.ToolCall, results []conversation.Message)
	// further returns what the user says directly after results.
	further(text string) conversation.Message
}

// said is one answer of the model.
type said struct {
	text  string
	calls []conversation.ToolCall
}

func (g *generator) one(of int) bool { return g.r.IntN(of) == 0 }

func (g *generator) add(msgs ...conversation.Message) { g.msgs = append(g.msgs, msgs...) }

func (g *generator) openAI() bool {
	return g.provider == conversation.OpenAIChat || g.provider == conversation.OpenAIResponses
}

// begin chooses the form of an exchange.
func (g *generator) begin(kind int) {
	g.own = kind < 2 || kind == 4 && g.one(3)
	var p conversation.Provider
	switch {
	case g.own:
		p = g.provider
	case kind == 4 && g.one(3):
		p = pick(g, conversation.Anthropic, conversation.OpenAIChat, conversation.OpenAIResponses, conversation.Gemini)
		g.own = p == g.provider
	}
	switch p {
	case conversation.Anthropic:
		g.form = anthropicForm{g}
	case conversation.OpenAIChat:
		g.form = chatForm{g}
	case conversation.OpenAIResponses:
		g.form = responsesForm{g}
	case conversation.Gemini:
		g.form = geminiForm{g}
	default:
		g.form = plainForm{}
	}
}

// exchange adds a message of the user, calls of the model, and its answer.
func (g *generator) exchange() {
	for n := 1 + max(0, g.r.IntN(6)-3); n > 0; n-- {
		g.add(g.form.user(g.parts()))
	}
	for n := g.rounds(); n > 0 && len(g.msgs) < g.length; n-- {
		g.round(false)
	}
	if len(g.msgs) >= g.length && g.one(2) {
		return // the model continues
	}
	g.add(g.form.model(said{text: g.text()})...)
	if g.provider != conversation.Gemini && g.one(12) {
		g.add(g.form.model(said{text: g.text()})...)
	}
}

func (g *generator) rounds() int {
	switch g.r.IntN(20) {
	case 0:
		return 300
	case 1, 2:
		return 5 + g.r.IntN(20)
	case 3, 4, 5, 6, 7, 8, 9:
		return 0
	}
	return 1 + g.r.IntN(4)
}

// round adds an answer with calls, and their results. If open is set, some may be
// missing.
func (g *generator) round(open bool) {
	s, byID := g.said(), make(map[string]conversation.ToolCall)
	for _, c := range s.calls {
		byID[c.ID] = c
	}
	g.add(g.form.model(s)...)
	results := g.results(s.calls)
	if open {
		results = results[:g.r.IntN(len(results))]
	}
	g.form.results(byID, results)
	g.add(results...)
	if !open && g.one(15) {
		g.add(g.form.further(g.text()))
	}
}

func (g *generator) said() said {
	var s said
	if g.one(2) {
		s.text = g.text()
	}
	names := []string{"read_file", "bash", "list_dir", "search-web", "mcp__github__get_issue"}
	for n := max(1, g.r.IntN(6)-1); n > 0; n-- {
		s.calls = append(s.calls, conversation.ToolCall{
			ID: g.callID(len(s.calls)), Name: pick(g, names...), Arguments: json.RawMessage(g.arguments()),
		})
	}
	return s
}

// callID returns an id that every provider accepts, in one of several forms.
func (g *generator) callID(place int) string {
	g.calls++
	switch {
	case g.reuseIDs:
		return fmt.Sprint("call_", place)
	case g.provider == conversation.Anthropic:
		return fmt.Sprintf("toolu_01%022d", g.calls)
	}
	return openAICallID(g.calls)
}

// results returns the results of the calls in any order.
func (g *generator) results(calls []conversation.ToolCall) []conversation.Message {
	results := make([]conversation.Message, len(calls))
	for i, place := range g.r.Perm(len(calls)) {
		m := conversation.ToolResult(calls[place].ID, g.output())
		m.IsError = g.one(8)
		switch {
		case g.one(20):
			m.Content = ""
		case g.provider != conversation.OpenAIChat && !m.IsError && g.one(10):
			m.Parts = []conversation.Part{{Type: conversation.TextPart, Text: m.Content}, g.image()}
			m.Content = ""
		}
		results[i] = m
	}
	return results
}

// plainForm writes messages without Raw.
type plainForm struct{}

func (plainForm) system(text string) conversation.Message { return conversation.SystemText(text) }

func (plainForm) user(parts []conversation.Part) conversation.Message {
	if len(parts) == 1 && parts[0].Type == conversation.TextPart {
		return conversation.UserText(parts[0].Text)
	}
	return conversation.Message{Role: conversation.User, Parts: parts}
}

func (plainForm) model(s said) []conversation.Message {
	return []conversation.Message{{Role: conversation.Assistant, Content: s.text, ToolCalls: s.calls}}
}

func (plainForm) results(map[string]conversation.ToolCall, []conversation.Message) {}

func (plainForm) further(text string) conversation.Message { return conversation.UserText(text) }

// withRaw returns the message with its Raw.
func withRaw(m conversation.Message, p conversation.Provider, raw any) conversation.Message {
	m.Raw, m.RawProvider = encode(raw), p
	return m
}
