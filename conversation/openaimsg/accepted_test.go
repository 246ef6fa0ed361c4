package openaimsg_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A conversation with messages of any origin is sent completely and in order. Every call
// and every result is there once, with matching ids. Results that stand together stay
// together.
func TestConversationsGoOutWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		msgs := drawConversation(rt)
		chat, err := openaimsg.ToChat(msgs)
		testkit.Must(rt, err)
		items, err := openaimsg.ToItems(msgs)
		testkit.Must(rt, err)
		want := events(msgs)
		read, err := openaimsg.FromChat(chat...)
		testkit.Must(rt, err)
		if got := events(read); !slices.Equal(got, want) {
			rt.Fatalf("chat has %q, want %q", got, want)
		}
		if problems := conversation.Check(read, conversation.OpenAIChat); problems != nil {
			rt.Fatalf("chat: %v", problems)
		}
		if read, err = openaimsg.FromItems(items...); err != nil {
			rt.Fatal(err)
		}
		if got := events(read); !slices.Equal(got, want) {
			rt.Fatalf("items have %q, want %q", got, want)
		}
		if problems := conversation.Check(read, conversation.OpenAIResponses); problems != nil {
			rt.Fatalf("items: %v", problems)
		}
	})
}

// drawConversation returns turns as providers need them: results directly after their
// calls.
func drawConversation(t *rapid.T) []conversation.Message {
	var msgs []conversation.Message
	for turn := range rapid.IntRange(1, 5).Draw(t, "turns") {
		msgs = append(msgs, origin(t, conversation.UserText("question")))
		n := rapid.IntRange(0, 3).Draw(t, "calls")
		call := conversation.Message{Role: conversation.Assistant, Content: rapid.SampledFrom([]string{"", "text"}).Draw(t, "content")}
		var results []conversation.Message
		for i := range n {
			id := rapid.StringMatching(`[a-z]{1,80}`).Draw(t, "id") + string(rune('A'+turn)) + string(rune('A'+i))
			call.ToolCalls = append(call.ToolCalls, conversation.ToolCall{ID: id, Name: "f", Arguments: json.RawMessage(`{"n":` + string(rune('0'+i)) + `}`)})
			result := conversation.ToolResult(id, "result")
			if rapid.Bool().Draw(t, "image") {
				result.Content, result.Parts = "", []conversation.Part{text("result"), imageURL}
			}
			result.IsError = rapid.Bool().Draw(t, "failed")
			results = append(results, origin(t, result))
		}
		if n == 0 {
			call.Content = "answer"
		}
		msgs = append(append(msgs, origin(t, call)), results...)
	}
	return msgs
}

// origin gives the message the Raw that the adapter of a provider would send.
func origin(t *rapid.T, m conversation.Message) conversation.Message {
	switch p := rapid.SampledFrom([]conversation.Provider{"", conversation.Anthropic, conversation.OpenAIChat, conversation.OpenAIResponses}).Draw(t, "origin"); p {
	case conversation.Anthropic:
		m.Raw, m.RawProvider = json.RawMessage(`{"role":"assistant","content":[]}`), p
	case conversation.OpenAIChat:
		params, err := openaimsg.ToChat([]conversation.Message{m})
		testkit.Must(t, err)
		read, err := openaimsg.FromChat(params[:1]...)
		if err != nil || len(m.Parts) > 0 || tooLong(m, 40) {
			return m
		}
		return read[0]
	case conversation.OpenAIResponses:
		items, err := openaimsg.ToItems([]conversation.Message{m})
		testkit.Must(t, err)
		read, err := openaimsg.FromItems(items...)
		if err != nil || len(read) != 1 || tooLong(m, 64) {
			return m
		}
		return read[0]
	}
	return m
}

// tooLong reports whether a provider would not make such an id.
func tooLong(m conversation.Message, most int) bool {
	return len(m.ToolCallID) > most || slices.ContainsFunc(m.ToolCalls, func(c conversation.ToolCall) bool { return len(c.ID) > most })
}

// events lists a conversation: the texts with their roles, the calls, and for each result
// the number of its call. Images that follow results are left out.
func events(msgs []conversation.Message) []string {
	var told []string
	numbers := map[string]int{}
	for _, m := range msgs {
		switch {
		case m.Role == conversation.Tool:
			told = append(told, "result of "+string(rune('0'+numbers[m.ToolCallID])))
		case m.Role == conversation.User && len(m.Parts) > 0:
		case m.Text() != "":
			told = append(told, string(m.Role)+" "+m.Text())
		}
		for _, c := range m.ToolCalls {
			numbers[c.ID] = len(numbers) + 1
			told = append(told, "call "+string(c.Arguments))
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
}
