package providertest

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// A Mutation spoils a conversation.
type Mutation struct {
	Name string
	// Apply returns a spoilt copy of a conversation with the provider, or nil if it has
	// nothing to spoil.
	Apply func(r *rand.Rand, p conversation.Provider, msgs []conversation.Message) []conversation.Message
	// Rules are the rules of conversation.Check, of which it reports at least one. A
	// provider that is not in the map accepts the spoilt conversation.
	Rules map[conversation.Provider][]string
}

// Mutations returns what goes wrong with conversations in practice: cuts in the wrong
// place, results that are lost or come twice, changed reasoning. They apply to what
// [Conversation] returns.
func Mutations() []Mutation {
	return []Mutation{
		{"drop a result", dropResult, everywhere("missing-result")},
		{"drop a call", dropCall, everywhere("orphaned-result", "duplicate-result")},
		{"swap call and result", swapResult, everywhere("misplaced-result", "missing-result", "orphaned-result",
			"duplicate-result")},
		{"repeat a result", repeatResult, everywhere("duplicate-result")},
		{"repeat a call", repeatCall, everywhere("duplicate-id", "missing-result", "call-position")},
		{"move a result to the end", moveResult,
			only(everywhere("misplaced-result", "missing-result", "orphaned-result", "duplicate-result"),
				conversation.Anthropic, conversation.OpenAIChat, conversation.Gemini)},
		{"result of an unknown call", unknownResult, everywhere("orphaned-result")},
		{"same id twice", sameID, everywhere("duplicate-id", "missing-result")},
		{"call without id", changeCall(func(c *conversation.ToolCall) { c.ID = "" }), everywhere("call-id")},
		{"call without name", changeCall(func(c *conversation.ToolCall) { c.Name = "" }), everywhere("call-name")},
		{"arguments cut off", changeCall(func(c *conversation.ToolCall) { c.Arguments = json.RawMessage(`{"path":"a`) }), everywhere("arguments")},
		{"instruction behind a call", lateSystem, map[conversation.Provider][]string{
			conversation.Anthropic: {"system-position"}, conversation.Gemini: {"system-position"},
			conversation.OpenAIChat: {"misplaced-result"}}},
		{"begin with the assistant", beginWithAssistant, only(everywhere("first-message"), conversation.Anthropic,
			conversation.Gemini)},
		{"empty message of the user", changeUser(func(m *conversation.Message) { m.Content, m.Parts = "", nil }),
			only(everywhere("empty-content"), conversation.Anthropic, conversation.Gemini)},
		{"image of an odd type", changeUser(func(m *conversation.Message) {
			m.Content, m.Parts = "", []conversation.Part{{Type: conversation.ImageB64Part, Data: "QQ==",
				MediaType: "image/bmp"}}
		}), only(everywhere("image"), conversation.Anthropic, conversation.OpenAIChat, conversation.OpenAIResponses)},
		{"image of the assistant", assistantImage, only(everywhere("image"), conversation.Anthropic,
			conversation.OpenAIChat, conversation.OpenAIResponses)},
		{"unknown role", changeUser(func(m *conversation.Message) { m.Role = "developer" }),
			everywhere("invalid-message")},
		{"strip the signatures", stripSignatures, only(everywhere("thinking-signature"), conversation.Anthropic,
			conversation.Gemini)},
		{"reasoning alone", reasoningAlone, only(everywhere("orphaned-reasoning"), conversation.Anthropic,
			conversation.OpenAIResponses)},
		{"raw that is no message", badRaw, everywhere("raw-form")},
	}
}

func everywhere(rules ...string) map[conversation.Provider][]string {
	return map[conversation.Provider][]string{
		conversation.Anthropic: rules, conversation.OpenAIChat: rules, conversation.OpenAIResponses: rules,
		conversation.Gemini: rules,
	}
}

func only(rules map[conversation.Provider][]string,
	providers ...conversation.Provider) map[conversation.Provider][]string {
	some := make(map[conversation.Provider][]string)
	for _, p := range providers {
		some[p] = rules[p]
	}
	return some
}

// where chooses a message, and returns its index, or -1 if there is none.
func where(r *rand.Rand, msgs []conversation.Message, ok func(i int) bool) int {
	var all []int
	for i := range msgs {
		if ok(i) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[r.IntN(len(all))]
}

func resultIn(r *rand.Rand, msgs []conversation.Message) int {
	return where(r, msgs, func(i int) bool { return msgs[i].Role == conversation.Tool })
}

// answeredIn chooses a message with calls that have results.
func answeredIn(r *rand.Rand, msgs []conversation.Message) int {
	return where(r, msgs, func(i int) bool {
		return len(msgs[i].ToolCalls) > 0 && i+1 < len(msgs) && msgs[i+1].Role == conversation.Tool
	})
}

// changed returns a copy of the list with the message at i changed and without Raw.
func changed(msgs []conversation.Message, i int, change func(m *conversation.Message)) []conversation.Message {
	if i < 0 {
		return nil
	}
	msgs = slices.Clone(msgs)
	m := &msgs[i]
	m.Raw, m.RawProvider = nil, ""
	m.ToolCalls, m.Parts = slices.Clone(m.ToolCalls), slices.Clone(m.Parts)
	change(m)
	return msgs
}

func without(msgs []conversation.Message, i int) []conversation.Message {
	if i < 0 {
		return nil
	}
	return slices.Delete(slices.Clone(msgs), i, i+1)
}

func with(msgs []conversation.Message, i int, m ...conversation.Message) []conversation.Message {
	return slices.Insert(slices.Clone(msgs), i, m...)
}

func dropResult(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	return without(msgs, resultIn(r, msgs))
}

func dropCall(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	return without(msgs, answeredIn(r, msgs))
}

func swapResult(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	i := answeredIn(r, msgs)
	if i < 0 {
		return nil
	}
	k := i + 1
	for k < len(msgs) && !slices.ContainsFunc(msgs[i].ToolCalls,
		func(c conversation.ToolCall) bool { return c.ID == msgs[k].ToolCallID }) {
		k++
	}
	if k == len(msgs) {
		return nil
	}
	msgs = slices.Clone(msgs)
	msgs[i], msgs[k] = msgs[k], msgs[i]
	return msgs
}

func repeatResult(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	i := resultIn(r, msgs)
	if i < 0 {
		return nil
	}
	return with(msgs, i, msgs[i])
}

func repeatCall(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	i := answeredIn(r, msgs)
	if i < 0 {
		return nil
	}
	return with(msgs, i, msgs[i])
}

func moveResult(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	i := resultIn(r, msgs)
	if i < 0 {
		return nil
	}
	return append(without(msgs, i), conversation.UserText("Well?"), msgs[i])
}

func unknownResult(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	return changed(msgs, resultIn(r, msgs), func(m *conversation.Message) { m.ToolCallID = "call_unknown" })
}

func sameID(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	return changed(msgs, answeredIn(r, msgs), func(m *conversation.Message) {
		m.ToolCalls = append(m.ToolCalls,
			m.ToolCalls[0])
	})
}

func changeCall(
	change func(*conversation.ToolCall),
) func(*rand.Rand, conversation.Provider, []conversation.Message) []conversation.Message {
	return func(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
		return changed(msgs, answeredIn(r, msgs),
			func(m *conversation.Message) { change(&m.ToolCalls[r.IntN(len(m.ToolCalls))]) })
	}
}

func changeUser(
	change func(*conversation.Message),
) func(*rand.Rand, conversation.Provider, []conversation.Message) []conversation.Message {
	return func(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
		return changed(msgs, where(r, msgs, func(i int) bool { return msgs[i].Role == conversation.User }), change)
	}
}

func lateSystem(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	i := answeredIn(r, msgs)
	if i < 0 {
		return nil
	}
	return with(msgs, i+1, conversation.SystemText("Be brief."))
}

func beginWithAssistant(_ *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	i := slices.IndexFunc(msgs, func(m conversation.Message) bool { return m.Role == conversation.User })
	if i < 0 {
		return nil
	}
	return with(msgs, i, conversation.AssistantText("Hello!"))
}

func assistantImage(r *rand.Rand, _ conversation.Provider, msgs []conversation.Message) []conversation.Message {
	i := where(r, msgs, func(i int) bool {
		return msgs[i].Role == conversation.Assistant && msgs[i].Content != "" && len(msgs[i].ToolCalls) == 0
	})
	return changed(msgs, i, func(m *conversation.Message) {
		m.Parts = []conversation.Part{{Type: conversation.TextPart, Text: m.Content},
			{Type: conversation.ImagePart, URL: "https://example.com/a.png"}}
		m.Content = ""
	})
}

// stripSignatures removes the signatures of one message. Gemini checks only the newest
// turn, and only if the model signs other calls.
func stripSignatures(r *rand.Rand, p conversation.Provider, msgs []conversation.Message) []conversation.Message {
	member := map[conversation.Provider]string{conversation.Anthropic: `"signature"`,
		conversation.Gemini: `"thoughtSignature"`}[p]
	signed := func(i int) bool {
		return member != "" && msgs[i].RawProvider == p && bytes.Contains(msgs[i].Raw, []byte(member))
	}
	newest, all := 0, 0
	for i, m := range msgs {
		if m.Role == conversation.User {
			newest = i
		}
		if signed(i) {
			all++
		}
	}
	i := where(r, msgs, func(i int) bool {
		return signed(i) && (p == conversation.Anthropic || all > 1 && i > newest && len(msgs[i].ToolCalls) > 0)
	})
	if i < 0 {
		return nil
	}
	msgs = slices.Clone(msgs)
	msgs[i].Raw = bytes.ReplaceAll(msgs[i].Raw, []byte(member), []byte(`"later"`))
	return msgs
}

// reasoningAlone adds reasoning without an answer to the end.
func reasoningAlone(_ *rand.Rand, p conversation.Provider, msgs []conversation.Message) []conversation.Message {
	m := conversation.Message{Role: conversation.Assistant}
	switch p {
	case conversation.OpenAIResponses:
		id := reasoningID(999_999)
		m = withRaw(m, p, object{"type", "reasoning", "id", id, "summary", []any{}, "encrypted_content", Signature(id)})
	case conversation.Anthropic:
		m = withRaw(m, p, object{"role", "assistant", "content",
			[]any{object{"type", "thinking", "thinking", "So.", "signature", Signature("So.")}}})
	default:
		return nil
	}
	return with(msgs, len(msgs), m)
}

func badRaw(r *rand.Rand, p conversation.Provider, msgs []conversation.Message) []conversation.Message {
	i := where(r, msgs, func(i int) bool { return msgs[i].RawProvider == p })
	if i < 0 {
		return nil
	}
	msgs = slices.Clone(msgs)
	msgs[i].Raw = json.RawMessage(`5`)
	return msgs
}
