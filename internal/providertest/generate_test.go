package providertest_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
)

var providers = []conversation.Provider{conversation.Anthropic, conversation.OpenAIChat, conversation.OpenAIResponses, conversation.Gemini}

func generate(p conversation.Provider, seed int, o providertest.GenerateOptions) []conversation.Message {
	return providertest.Conversation(rand.New(rand.NewPCG(uint64(seed), 2)), p, o)
}

func TestConversationIsRepeatable(t *testing.T) {
	for _, p := range providers {
		for seed := range 10 {
			if diff := cmp.Diff(generate(p, seed, providertest.GenerateOptions{}), generate(p, seed, providertest.GenerateOptions{})); diff != "" {
				t.Fatalf("%s, seed %d: another conversation:\n%s", p, seed, diff)
			}
		}
	}
}

var bodies = map[conversation.Provider]func([]conversation.Message) map[string]any{
	conversation.Anthropic: anthropicBody, conversation.OpenAIChat: chatBody, conversation.OpenAIResponses: responsesBody,
	conversation.Gemini: geminiBody,
}

var validators = map[conversation.Provider]func([]byte) error{
	conversation.Anthropic: providertest.ValidateAnthropic, conversation.OpenAIChat: providertest.ValidateOpenAIChat,
	conversation.OpenAIResponses: providertest.ValidateOpenAIResponses, conversation.Gemini: providertest.ValidateGemini,
}

// validate checks a conversation whose messages all have Raw.
func validate(t *testing.T, p conversation.Provider, msgs []conversation.Message) error {
	t.Helper()
	body, err := json.Marshal(bodies[p](msgs))
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	return validators[p](body)
}

// If all messages of a conversation have Raw, the provider accepts a request of them.
func TestConversationIsAccepted(t *testing.T) {
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			tried := 0
			for seed := range 300 {
				msgs := generate(p, seed, providertest.GenerateOptions{})
				if !allRaw(p, msgs) {
					continue
				}
				tried++
				if err := validate(t, p, msgs); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			if tried < 75 {
				t.Errorf("%d of 300 conversations are all in Raw", tried)
			}
		})
	}
}

// The provider refuses a conversation whose Raw a mutation has spoilt.
func TestMutationsAreRefused(t *testing.T) {
	for _, m := range providertest.Mutations() {
		if m.Name == "raw that is no message" || m.Name == "instruction behind a call" {
			continue // no request can be made of it, or the request has it in another place
		}
		t.Run(m.Name, func(t *testing.T) {
			for _, p := range providers {
				for seed := range 40 {
					r := rand.New(rand.NewPCG(uint64(seed), 4))
					msgs := providertest.Conversation(r, p, providertest.GenerateOptions{Messages: 1 + seed%20})
					msgs = m.Apply(r, p, msgs)
					if msgs == nil || !allRaw(p, msgs) {
						continue
					}
					err := validate(t, p, msgs)
					if _, spoils := m.Rules[p]; spoils != (err != nil) {
						t.Fatalf("%s, seed %d: %v", p, seed, err)
					}
				}
			}
		})
	}
}

// allRaw reports whether all messages that can have Raw have it.
func allRaw(p conversation.Provider, msgs []conversation.Message) bool {
	openAI := p == conversation.OpenAIChat || p == conversation.OpenAIResponses
	for _, m := range msgs {
		without := !openAI && m.Role == conversation.System || p == conversation.Gemini && m.Role == conversation.Tool
		if m.RawProvider != p && (m.Raw != nil || !without) {
			return false
		}
	}
	return true
}

func anthropicBody(msgs []conversation.Message) map[string]any {
	system, list := []any{}, []map[string]json.RawMessage{}
	for _, m := range msgs {
		switch {
		case m.Role == conversation.System:
			system = append(system, map[string]string{"type": "text", "text": m.Content})
		case m.Raw[0] == '[':
			before := list[len(list)-1]
			before["content"] = append(append(bytes.TrimSuffix(before["content"], []byte("]")), ','), m.Raw[1:]...)
		default:
			var message map[string]json.RawMessage
			if err := json.Unmarshal(m.Raw, &message); err != nil {
				panic(err)
			}
			list = append(list, message)
		}
	}
	return map[string]any{"model": "claude-opus-4-5", "max_tokens": 1024, "system": system, "messages": list}
}

func chatBody(msgs []conversation.Message) map[string]any {
	list := []json.RawMessage{}
	for _, m := range msgs {
		list = append(list, m.Raw)
	}
	return map[string]any{"model": "gpt-5.2", "messages": list}
}

func responsesBody(msgs []conversation.Message) map[string]any {
	list := []json.RawMessage{}
	for _, m := range msgs {
		if m.Raw[0] != '[' {
			list = append(list, m.Raw)
			continue
		}
		var items []json.RawMessage
		if err := json.Unmarshal(m.Raw, &items); err != nil {
			panic(err)
		}
		list = append(list, items...)
	}
	return map[string]any{"model": "gpt-5.2", "store": false, "input": list}
}

// geminiBody returns a request. The results of several calls are one content.
func geminiBody(msgs []conversation.Message) map[string]any {
	list, names := []any{}, make(map[string]string)
	var results []any
	for i, m := range msgs {
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Name
		}
		switch {
		case m.Role == conversation.System:
		case m.Raw != nil:
			list = append(list, m.Raw)
		default:
			results = append(results, map[string]any{"functionResponse": map[string]any{"name": names[m.ToolCallID], "response": map[string]any{"output": m.Text()}}})
			if i == len(msgs)-1 || msgs[i+1].Role != conversation.Tool {
				list, results = append(list, map[string]any{"role": "user", "parts": results}), nil
			}
		}
	}
	return map[string]any{"model": "models/gemini-3-pro-preview", "contents": list}
}

// A few hundred conversations have every kind of content, and each message can be stored
// byte for byte.
func TestConversationIsRich(t *testing.T) {
	for _, p := range providers {
		seen := make(map[string]int)
		for seed := range 250 {
			msgs := generate(p, seed, providertest.GenerateOptions{})
			note(seen, p, msgs)
			for _, m := range msgs {
				text, err := m.MarshalJSON()
				if err != nil {
					t.Fatalf("%s, seed %d: %v", p, seed, err)
				}
				if text = bytes.ToLower(text); m.RawProvider == p {
					for _, kind := range kinds[p] {
						if bytes.Contains(text, []byte(strings.ToLower(`\"`+kind+`\"`))) {
							seen[kind]++
						}
					}
				}
			}
		}
		for _, kind := range append(kinds[p], "no system", "two systems", "parallel", "another order", "failed", "image", "user twice", "user after results",
			"no text", "no result text", "all raw", "no raw", "mixed", "another provider's", "hundreds of rounds", "ends with tool", "ends with user", "ends with assistant") {
			if seen[kind] == 0 {
				t.Errorf("%s: %q is not among 250 conversations", p, kind)
			}
		}
		if p == conversation.Anthropic && (seen["a pause"] == 0 || seen["a piece"] == 0) {
			t.Errorf("%s: no pause, or no results in one message", p)
		}
		if p == conversation.OpenAIChat || p == conversation.OpenAIResponses {
			if seen["a later system"] == 0 {
				t.Errorf("%s: no instruction in the middle", p)
			}
		} else if seen["a later system"] > 0 {
			t.Errorf("%s: an instruction in the middle", p)
		}
	}
}

// The Raw of each provider has all of these.
var kinds = map[conversation.Provider][]string{
	conversation.Anthropic: {"thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result", "mcp_tool_use", "mcp_tool_result", "document",
		"citations", "cache_control", "base64", "is_error", "tool_result"},
	conversation.OpenAIChat: {"reasoning_content", "image_url", "developer", "tool_calls", "tool_call_id"},
	conversation.OpenAIResponses: {"reasoning", "encrypted_content", "summary_text", "web_search_call", "mcp_call", "custom_tool_call", "custom_tool_call_output",
		"function_call", "function_call_output", "input_image", "input_file", "output_text"},
	conversation.Gemini: {"thoughtSignature", "thought", "functionCall", "functionResponse", "inlineData", "fileData"},
}

// A noter counts what conversations contain.
type noter struct {
	seen     map[string]int
	provider conversation.Provider

	// The rest is of the conversation that is being noted.
	before        conversation.Message
	order         []string // the calls of the last message of the assistant
	begun         bool     // after the first message that is not an instruction
	systems       int
	rounds        int
	own, ofOthers int // messages with Raw of the provider, and of others
}

// note counts what is in a conversation.
func note(seen map[string]int, p conversation.Provider, msgs []conversation.Message) {
	n := noter{seen: seen, provider: p}
	for _, m := range msgs {
		n.raw(m)
		n.role(m)
		for _, part := range m.Parts {
			if part.Type != conversation.TextPart {
				seen["image"]++
			}
		}
		n.before = m
	}
	seen["ends with "+string(n.before.Role)]++
	seen[[]string{"no system", "a system", "two systems"}[min(n.systems, 2)]]++
	if n.rounds >= 250 {
		seen["hundreds of rounds"]++
	}
	switch {
	case n.ofOthers > 0:
		seen["another provider's"]++
	case allRaw(p, msgs):
		seen["all raw"]++
	case n.own == 0:
		seen["no raw"]++
	default:
		seen["mixed"]++
	}
}

// raw counts whose Raw a message has.
func (n *noter) raw(m conversation.Message) {
	switch m.RawProvider {
	case n.provider:
		n.own++
		if m.Raw[0] == '[' && m.Role == conversation.Tool {
			n.seen["a piece"]++
		}
	case "":
	default:
		n.ofOthers++
	}
}

// role counts the order of speakers, and what each of them says.
func (n *noter) role(m conversation.Message) {
	n.begun = n.begun || m.Role != conversation.System
	switch m.Role {
	case conversation.System:
		if n.systems++; n.begun {
			n.seen["a later system"]++
		}
	case conversation.User:
		if n.before.Role == conversation.User {
			n.seen["user twice"]++
		}
		if n.before.Role == conversation.Tool {
			n.seen["user after results"]++
		}
	case conversation.Assistant:
		n.calls(m)
		if n.before.Role == conversation.Assistant && len(n.before.ToolCalls) == 0 && n.before.Content != "" &&
			strings.Contains(string(n.before.Raw), "server_tool_use") {
			n.seen["a pause"]++
		}
	case conversation.Tool:
		n.result(m)
	}
}

func (n *noter) calls(m conversation.Message) {
	n.order = nil
	for _, c := range m.ToolCalls {
		n.order = append(n.order, c.ID)
	}
	if len(n.order) == 0 {
		return
	}
	n.rounds++
	if len(n.order) > 1 {
		n.seen["parallel"]++
	}
	if m.Content == "" {
		n.seen["no text"]++
	}
}

func (n *noter) result(m conversation.Message) {
	if len(n.order) > 1 && n.before.Role == conversation.Assistant && m.ToolCallID != n.order[0] {
		n.seen["another order"]++
	}
	if m.IsError {
		n.seen["failed"]++
	}
	if m.Text() == "" && m.Parts == nil {
		n.seen["no result text"]++
	}
}

// Conversation does what its options say.
func TestConversationOptions(t *testing.T) {
	for _, p := range providers {
		open := 0
		for seed := range 100 {
			msgs := generate(p, seed, providertest.GenerateOptions{Messages: 50, Open: true})
			if len(msgs) < 50 || len(msgs) > 120 {
				t.Errorf("%s, seed %d: %d messages for 50", p, seed, len(msgs))
			}
			calls, results := 0, 0
			for _, m := range msgs {
				calls += len(m.ToolCalls)
				if m.Role == conversation.Tool {
					results++
				}
			}
			if calls > results {
				open++
			}
			closed := generate(p, seed, providertest.GenerateOptions{Messages: 50})
			if len(closed) < 50 {
				t.Errorf("%s, seed %d: %d messages for 50", p, seed, len(closed))
			}
		}
		if open < 20 || open > 80 {
			t.Errorf("%s: %d of 100 conversations have open calls", p, open)
		}
	}
}
