package openaimsg_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A conversation of any provider is sent completely and in order. Every call and every
// result is there once, with matching ids, and the provider finds fault with nothing but
// what was so before: ids that are used again, and results that come late.
func TestConversationsGoOutWhole(t *testing.T) {
	testkit.SkipInShort(t)
	for _, origin := range []conversation.Provider{conversation.Anthropic, conversation.OpenAIChat, conversation.OpenAIResponses, conversation.Gemini} {
		for seed := range testkit.Pick[uint64](15, 40, 300) {
			msgs := providertest.Conversation(rand.New(rand.NewPCG(seed, 4)), origin, providertest.GenerateOptions{Messages: int(1 + seed%20)})
			chat, err := openaimsg.ToChat(msgs)
			testkit.Must(t, err)
			read, err := openaimsg.FromChat(chat...)
			testkit.Must(t, err)
			checkSent(t, origin, msgs, read, conversation.OpenAIChat)
			items, err := openaimsg.ToItems(msgs)
			testkit.Must(t, err)
			read, err = openaimsg.FromItems(items...)
			testkit.Must(t, err)
			checkSent(t, origin, msgs, read, conversation.OpenAIResponses)
		}
	}
}

func checkSent(t *testing.T, origin conversation.Provider, msgs, sent []conversation.Message, to conversation.Provider) {
	t.Helper()
	if got, want := events(sent), events(msgs); !slices.Equal(got, want) {
		t.Fatalf("%s of %s has %q, want %q", to, origin, got, want)
	}
	said := ""
	for _, m := range sent {
		said += m.Text() + "\n"
	}
	for _, m := range msgs {
		if !strings.Contains(said, m.Content) {
			t.Fatalf("%s of %s: %q was not sent", to, origin, m.Content)
		}
	}
	for _, p := range conversation.Check(sent, to) {
		if p.Rule != conversation.RuleDuplicateID && p.Rule != conversation.RuleMisplacedResult || origin == to {
			t.Fatalf("%s of %s: %+v", to, origin, p)
		}
	}
}

// events lists the calls of a conversation, and for each result the number of its call.
func events(msgs []conversation.Message) []string {
	var told []string
	numbers := map[string]int{}
	for _, m := range msgs {
		if m.Role == conversation.Tool {
			told = append(told, fmt.Sprint("result of ", numbers[m.ToolCallID]))
		}
		for _, c := range m.ToolCalls {
			numbers[c.ID] = len(numbers) + 1
			told = append(told, "call")
		}
	}
	return told
}

// The SDK says which members only answers have. If a new version adds one, this test
// fails until outputOnly has it.
func TestMembersOfAnswersAreNotSent(t *testing.T) {
	t.Parallel()
	paths := providertest.OutputOnly(reflect.TypeFor[responses.ResponseOutputItemUnion](), reflect.TypeFor[responses.ResponseInputItemUnionParam]())
	if !slices.Contains(paths, "shell_call_output.output.created_by") {
		t.Errorf("the paths are %q, want the maker of an output among them", paths)
	}
	for _, path := range paths {
		raw := providertest.Example(path)
		m, err := openaimsg.FromOutput(output(t, raw, `{"type":"message","role":"assistant","content":"end"}`)...)
		testkit.Must(t, err)
		if !strings.Contains(string(m.Raw), raw) {
			t.Errorf("%s: Raw is %s, want it as the provider sent it", path, m.Raw)
		}
		got := toItems(t, m)[0]
		if !strings.Contains(path, ".") || strings.HasSuffix(path, "]") || strings.Contains(got, "output only") || !json.Valid([]byte(got)) {
			t.Errorf("%s is sent, and no request may have it: %s", path, got)
		}
	}
}

func TestMembersOfChatAnswersAreNotSent(t *testing.T) {
	t.Parallel()
	paths := providertest.OutputOnly(reflect.TypeFor[openai.ChatCompletionMessage](), reflect.TypeFor[openai.ChatCompletionAssistantMessageParam]())
	if !slices.Contains(paths, "annotations") {
		t.Errorf("the paths are %q, want annotations among them", paths)
	}
	for _, path := range paths {
		outer, inner, nested := strings.Cut(path, ".")
		raw := `{"role":"assistant","content":"x","` + outer + `":"output only"}`
		if nested {
			raw = `{"role":"assistant","content":"x","` + outer + `":{"id":"i","` + inner + `":"output only"}}`
		}
		m := fromChat(t, raw)[0]
		if got := toChat(t, m)[0]; string(m.Raw) != raw || strings.Contains(got, "output only") || !json.Valid([]byte(got)) {
			t.Errorf("%s is sent, and no request may have it: %s", path, got)
		}
	}
}

// The table of items has every kind that the SDK knows, of requests and of answers. If a
// new version adds one, look at what it needs, and add it to the table.
func TestTableHasEveryKindOfTheSDK(t *testing.T) {
	t.Parallel()
	var have []string
	for _, k := range itemKinds {
		var item struct{ Type string }
		testkit.Must(t, json.Unmarshal([]byte(k.raw), &item))
		have = append(have, item.Type)
	}
	for _, union := range []reflect.Type{reflect.TypeFor[responses.ResponseOutputItemUnion](), reflect.TypeFor[responses.ResponseInputItemUnionParam]()} {
		for _, kind := range providertest.Variants(union) {
			if kind = strings.TrimPrefix(kind, "input_"); !slices.Contains(have, kind) {
				t.Errorf("%s has the kind %s, and the table has not", union.Name(), kind)
			}
		}
	}
	for f := range reflect.TypeFor[openai.ChatCompletionMessageParamUnion]().Fields() {
		role := strings.ToLower(strings.TrimPrefix(f.Name, "Of"))
		if f.Type.Kind() == reflect.Pointer && !slices.ContainsFunc(chatKinds, func(k chatKind) bool { return k.name == role }) {
			t.Errorf("chat has the role %s, and the table has not", role)
		}
	}
}
