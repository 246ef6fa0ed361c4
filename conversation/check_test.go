package conversation_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var (
	hello = UserText("What is in main.go?")
	more  = UserText("And in util.go?")
	reply = AssistantText("A server.")
	rules = SystemText("You are brief.")
)

func callOf(id, name, arguments string) Message {
	return Message{Role: Assistant, ToolCalls: []ToolCall{{ID: id, Name: name, Arguments: json.RawMessage(arguments)}}}
}

func result(id string) Message { return ToolResult(id, "package main") }

func withParts(m Message, parts ...Part) Message {
	m.Content, m.Parts = "", parts
	return m
}

var (
	png = Part{Type: ImageB64Part, Data: "iVBORw0KGgo=", MediaType: "image/png"}
	bmp = Part{Type: ImageB64Part, Data: "Qk0=", MediaType: "image/bmp"}
)

func text(s string) Part { return Part{Type: TextPart, Text: s} }

func raw(p Provider, m Message, raw string) Message {
	m.Raw, m.RawProvider = json.RawMessage(raw), p
	return m
}

func list(msgs ...Message) []Message { return msgs }

// A ruleCase breaks one rule, at one message, for some providers and for no other.
type ruleCase struct {
	name   string
	rule   string
	index  int
	for_   []Provider
	broken []Message
	mended []Message
}

var (
	all      = []Provider{Anthropic, OpenAIChat, OpenAIResponses, Gemini}
	strict   = []Provider{Anthropic, Gemini}
	adjacent = []Provider{Anthropic, OpenAIChat, Gemini}
	openai   = []Provider{OpenAIChat, OpenAIResponses}
	claude   = []Provider{Anthropic}
	chat     = []Provider{OpenAIChat}
	gemini   = []Provider{Gemini}
)

var fieldCases = []ruleCase{
	{"the assistant first", "first-message", 0, strict, list(reply, hello), list(hello, reply, hello)},
	{"the assistant first behind instructions", "first-message", 1, strict, list(rules, reply, hello), list(rules, hello, reply)},
	{"instructions alone", "first-message", 1, strict, list(rules, rules), list(rules, rules, hello)},
	{"instruction in the middle", "system-position", 2, strict, list(hello, reply, rules, more), list(rules, hello, reply, more)},
	{"instruction at the end", "system-position", 1, strict, list(hello, rules), list(rules, hello)},

	{"open call at the end", "missing-result", 1, all, list(hello, call("a")), list(hello, call("a"), result("a"))},
	{"open call in the middle", "missing-result", 1, all, list(hello, call("a"), more, reply), list(hello, reply, more, reply)},
	{"one of three open", "missing-result", 1, all, list(hello, call("a", "b", "c"), result("c"), result("a"), reply),
		list(hello, call("a", "b", "c"), result("c"), result("a"), result("b"), reply)},
	{"text between call and result", "misplaced-result", 3, adjacent, list(hello, call("a"), more, result("a")), list(hello, call("a"), result("a"), more)},
	{"text between two results", "misplaced-result", 4, adjacent, list(hello, call("a", "b"), result("a"), more, result("b"), reply),
		list(hello, call("a", "b"), result("a"), result("b"), more, reply)},
	{"an answer between call and result", "misplaced-result", 3, adjacent, list(hello, call("a"), reply, result("a"), reply),
		list(hello, call("a"), result("a"), reply)},
	{"the result a turn later", "misplaced-result", 4, adjacent, list(hello, call("a"), reply, more, result("a")),
		list(hello, call("a"), result("a"), reply, more)},
	{"the result before its call", "misplaced-result", 1, all, list(hello, result("a"), call("a")), list(hello, call("a"), result("a"))},
	{"result without call", "orphaned-result", 1, all, list(hello, result("a"), reply), list(hello, reply)},
	{"result first", "orphaned-result", 0, all, list(result("a"), reply), list(hello, reply)},
	{"result of another id", "orphaned-result", 3, all, list(hello, call("a"), result("a"), result("b"), reply), list(hello, call("a", "b"), result("a"), result("b"), reply)},
	{"two results", "duplicate-result", 3, all, list(hello, call("a"), result("a"), result("a")), list(hello, call("a"), result("a"))},
	{"two results of parallel calls", "duplicate-result", 4, all, list(hello, call("a", "b"), result("b"), result("a"), result("b")), list(hello, call("a", "b"), result("b"), result("a"))},

	{"the id of an earlier call", "duplicate-id", 4, []Provider{Anthropic, OpenAIResponses},
		list(hello, call("a"), result("a"), more, call("a"), result("a")), list(hello, call("a"), result("a"), call("b"), result("b"))},
	{"one id for two calls", "duplicate-id", 1, []Provider{Anthropic, OpenAIChat, OpenAIResponses},
		list(hello, call("a", "a"), result("a"), result("a")), list(hello, call("a", "b"), result("a"), result("b"))},
	{"one id for two calls around another", "duplicate-id", 1, []Provider{Anthropic, OpenAIChat, OpenAIResponses},
		list(hello, call("a", "b", "a"), result("a"), result("a"), result("b")), list(hello, call("a", "b", "c"), result("a"), result("c"), result("b"))},
	{"no call id", "call-id", 1, all, list(hello, call("")), list(hello, call("a"), result("a"))},
	{"call id with a colon", "call-id", 1, claude, list(hello, call("read:1"), result("read:1")), list(hello, call("read_1"), result("read_1"))},
	{"long call id", "call-id", 1, openai, list(hello, call(strings.Repeat("a", 65)), result(strings.Repeat("a", 65))),
		list(hello, call(strings.Repeat("a", 64)), result(strings.Repeat("a", 64)))},
	{"no tool name", "call-name", 1, all, list(hello, callOf("a", "", "{}"), result("a")), list(hello, callOf("a", "x", "{}"), result("a"))},
	{"tool name with a space", "call-name", 1, []Provider{OpenAIChat, OpenAIResponses, Gemini}, list(hello, callOf("a", "read file", "{}"), result("a")), list(hello, callOf("a", "read_file", "{}"), result("a"))},
	{"tool name with a dot", "call-name", 1, openai, list(hello, callOf("a", "fs.read", "{}"), result("a")), list(hello, callOf("a", "fs_read", "{}"), result("a"))},
	{"tool name with a digit first", "call-name", 1, gemini, list(hello, callOf("a", "7zip", "{}"), result("a")), list(hello, callOf("a", "_7zip", "{}"), result("a"))},
	{"tool name of 65 bytes", "call-name", 1, chat, list(hello, callOf("a", strings.Repeat("n", 65), "{}"), result("a")), list(hello, callOf("a", strings.Repeat("n", 64), "{}"), result("a"))},
	{"tool name of 129 bytes", "call-name", 1, []Provider{OpenAIChat, OpenAIResponses, Gemini}, list(hello, callOf("a", strings.Repeat("n", 129), "{}"), result("a")), list(hello, callOf("a", "n", "{}"), result("a"))},
	{"tool name of 201 bytes", "call-name", 1, all, list(hello, callOf("a", strings.Repeat("n", 201), "{}"), result("a")), list(hello, callOf("a", "n", "{}"), result("a"))},
	{"arguments cut off", "arguments", 1, all, list(hello, callOf("a", "x", `{"path":"ma`), result("a")), list(hello, callOf("a", "x", `{"path":"ma"}`), result("a"))},
	{"arguments that are no object", "arguments", 1, strict, list(hello, callOf("a", "x", `["main.go"]`), result("a")), list(hello, callOf("a", "x", ` {"path":1}`), result("a"))},
	{"calls behind an answer", "call-position", 2, gemini, list(hello, reply, call("a"), result("a")), list(hello, reply, more, call("a"), result("a"))},

	{"empty question", "empty-content", 0, strict, list(UserText(""), reply), list(UserText("?"), reply)},
	{"question of whitespace", "empty-content", 0, claude, list(UserText(" \n\u00a0"), reply), list(UserText(" ."), reply)},
	{"empty answer", "empty-content", 1, strict, list(hello, AssistantText(""), more), list(hello, reply, more)},
	{"no parts", "empty-content", 0, strict, list(withParts(hello, []Part{}...), reply), list(withParts(hello, text("a")), reply)},
	{"empty part", "empty-content", 0, strict, list(withParts(hello, text(""), text("a")), reply), list(withParts(hello, text(" "), text("a")), reply)},
	{"empty part of a result", "empty-content", 2, claude, list(hello, call("a"), withParts(result("a"), text("")), reply), list(hello, call("a"), ToolResult("a", ""), reply)},

	{"image in a result", "image", 2, chat, list(hello, call("a"), withParts(result("a"), text("seen"), png)), list(hello, call("a"), result("a"), withParts(hello, png))},
	{"image in an answer", "image", 1, []Provider{Anthropic, OpenAIChat, OpenAIResponses}, list(hello, withParts(reply, text("seen"), png)), list(withParts(hello, text("see"), png), reply)},
	{"image in an instruction", "image", 0, adjacent, list(withParts(rules, png), hello), list(rules, withParts(hello, png))},
	{"image of another type", "image", 0, []Provider{Anthropic, OpenAIChat, OpenAIResponses}, list(withParts(hello, bmp)), list(withParts(hello, png))},

	{"unknown role", "invalid-message", 1, all, list(hello, Message{Role: "robot", Content: "beep"}, reply), list(hello, reply)},
	{"both contents", "invalid-message", 0, all, list(Message{Role: User, Content: "a", Parts: []Part{text("b")}}, reply), list(hello, reply)},
	{"result without id", "invalid-message", 3, all, list(hello, call("a"), result("a"), ToolResult("", "x"), reply), list(hello, call("a"), result("a"), reply)},
	{"invalid UTF-8", "invalid-message", 0, all, list(UserText("a\xff"), reply), list(UserText("a"), reply)},
	{"Raw of nobody", "invalid-message", 0, all, list(Message{Role: User, Content: "a", Raw: json.RawMessage("{}")}, reply), list(hello, reply)},
}

func TestCheckNamesTheRule(t *testing.T) {
	for _, c := range fieldCases {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range all {
				if slices.Contains(c.for_, p) {
					one(t, p, c.broken, c.rule, c.index)
				} else {
					none(t, p, c.broken)
				}
			}
			for _, p := range c.for_ {
				none(t, p, c.mended)
			}
		})
	}
}

func TestCheckNamesTheRuleInRaw(t *testing.T) {
	for p, cases := range rawCases {
		for _, c := range cases {
			t.Run(string(p)+" "+c.name, func(t *testing.T) {
				one(t, p, c.broken, c.rule, c.index)
				none(t, p, c.mended)
			})
		}
	}
}

func one(t *testing.T, p Provider, msgs []Message, rule string, index int) {
	t.Helper()
	problems := Check(msgs, p)
	if len(problems) != 1 || problems[0].Rule != rule || problems[0].Index != index {
		t.Errorf("%s: %v, want %s at %d alone", p, problems, rule, index)
		return
	}
	if text := problems[0].Text; !strings.Contains(text, ": ") && !strings.Contains(text, ";") || strings.ContainsAny(text, "\n") || strings.HasSuffix(text, ".") {
		t.Errorf("the text is %q, want what is wrong and the way out", text)
	}
}

func none(t *testing.T, p Provider, msgs []Message) {
	t.Helper()
	if problems := Check(msgs, p); problems != nil {
		t.Errorf("%s: %v, want nothing", p, problems)
	}
}

func TestCheckProvider(t *testing.T) {
	one(t, "mistral", list(hello), "unknown-provider", -1)
	none(t, "mistral", nil)
	for _, p := range all {
		none(t, p, []Message{})
	}
}

// More than 16 calls of one message are found by a map.
func TestCheckManyParallelCalls(t *testing.T) {
	var ids []string
	for k := range 500 {
		ids = append(ids, "call_"+strings.Repeat("x", k%7)+string(rune('a'+k%26))+strings.Repeat("y", k/26))
	}
	msgs := list(hello, call(ids...))
	for _, id := range slices.Backward(ids) {
		msgs = append(msgs, result(id))
	}
	for _, p := range all {
		none(t, p, msgs)
		one(t, p, msgs[:len(msgs)-1], "missing-result", 1)
		one(t, p, append(slices.Clone(msgs), result(ids[250])), "duplicate-result", len(msgs))
		one(t, p, append(slices.Clone(msgs), result("z")), "orphaned-result", len(msgs))
	}
	msgs[1] = call(append(slices.Clone(ids), ids[3])...)
	msgs = append(msgs, result(ids[3]))
	one(t, OpenAIChat, msgs, "duplicate-id", 1)
	one(t, Anthropic, msgs, "duplicate-id", 1)
	one(t, OpenAIResponses, msgs, "duplicate-id", 1)
}

// Check finds nothing in conversations that the provider accepts.
func TestCheckGenerated(t *testing.T) {
	testkit.SkipInShort(t)
	for _, p := range all {
		for seed := range testkit.Pick[uint64](100, 1000, 5000) {
			msgs := providertest.Conversation(rand.New(rand.NewPCG(seed, 1)), p, providertest.GenerateOptions{})
			for _, problem := range Check(msgs, p) {
				t.Fatalf("%s, seed %d: message %d of %d: %s: %s\n%s", p, seed, problem.Index, len(msgs), problem.Rule, problem.Text, texts(msgs))
			}
		}
	}
}

// Check finds what was spoilt, but not what only another provider would refuse.
func TestCheckMutated(t *testing.T) {
	testkit.SkipInShort(t)
	for _, mutation := range providertest.Mutations() {
		t.Run(mutation.Name, func(t *testing.T) {
			for _, p := range all {
				spoilt := 0
				for seed := 0; spoilt < testkit.Pick(5, 60, 300); seed++ {
					if seed == 300 && spoilt == 0 {
						if mutation.Rules[p] != nil {
							t.Errorf("%s: nothing to spoil in %d conversations", p, seed)
						}
						break
					}
					r := rand.New(rand.NewPCG(uint64(seed), 3))
					msgs := providertest.Conversation(r, p, providertest.GenerateOptions{Messages: 1 + seed%30})
					if msgs = mutation.Apply(r, p, msgs); msgs == nil {
						continue
					}
					spoilt++
					checkMutated(t, mutation, p, msgs)
				}
			}
		})
	}
}

func checkMutated(t *testing.T, mutation providertest.Mutation, p Provider, msgs []Message) {
	t.Helper()
	var found []string
	problems := Check(msgs, p)
	for _, problem := range problems {
		found = append(found, problem.Rule)
	}
	want, spoils := mutation.Rules[p]
	switch {
	case !spoils && len(found) > 0:
		t.Fatalf("%s: %s (message %d), want nothing\n%s", p, found, problems[0].Index, texts(msgs))
	case spoils && !slices.ContainsFunc(found, func(rule string) bool { return slices.Contains(want, rule) }):
		t.Fatalf("%s: found %s, want one of %s\n%s", p, found, want, texts(msgs))
	}
}
