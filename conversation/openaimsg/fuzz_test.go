package openaimsg_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
)

// FuzzChat sees that what is taken goes back the same, can be stored, and makes
// sense to the other API.
func FuzzChat(f *testing.F) {
	for _, k := range chatKinds {
		f.Add([]byte(k.raw))
	}
	f.Add([]byte(`{"role":"assistant","audio":{"id":"a","data":"AAAA"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		msgs, err := openaimsg.FromChat(chatParam(string(raw)))
		if refused(t, raw, err) {
			return
		}
		if len(msgs) != 1 {
			t.Fatalf("%d messages", len(msgs))
		}
		m := msgs[0]
		fields(t, m)
		got := toChat(t, msgs...)[0]
		if want := string(m.Raw); got != want && !onlyAudio(t, got, want) {
			t.Errorf("sent %s, want %s", got, want)
		}
		toItems(t, msgs...)
		// The client's own decoder may drop something, but then From has it so.
		var p openai.ChatCompletionMessageParamUnion
		if json.Unmarshal(raw, &p) != nil {
			return
		}
		typed, err := openaimsg.FromChat(p)
		if err == nil {
			if again := toChat(t, typed...)[0]; again != sent(t, p) {
				t.Errorf("sent %s, want %s", again, sent(t, p))
			}
		}
	})
}

// FuzzItems is FuzzChat for an array of items.
func FuzzItems(f *testing.F) {
	all := "["
	for i, k := range slices.Concat(itemKinds, unknownItems) {
		f.Add([]byte("[" + k.raw + "]"))
		if i > 0 {
			all += ","
		}
		all += k.raw
	}
	f.Add([]byte(all + "]"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var raws []json.RawMessage
		if json.Unmarshal(raw, &raws) != nil {
			return
		}
		var items []responses.ResponseInputItemUnionParam
		var want []string
		for _, r := range raws {
			items = append(items, itemParam(string(r)))
			want = append(want, string(r))
		}
		msgs, err := openaimsg.FromItems(items...)
		if refused(t, raw, err) {
			return
		}
		for _, m := range msgs {
			fields(t, m)
		}
		if got := toItems(t, msgs...); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		toChat(t, msgs...)
		answers(t, raws, want)
	})
}

// answers reads the items as the output of one response.
func answers(t *testing.T, raws []json.RawMessage, want []string) {
	var out []responses.ResponseOutputItemUnion
	for _, raw := range raws {
		var item responses.ResponseOutputItemUnion
		if json.Unmarshal(raw, &item) != nil {
			return
		}
		out = append(out, item)
	}
	m, err := openaimsg.FromOutput(out...)
	if err != nil {
		return
	}
	fields(t, m)
	if got := toItems(t, m); !slices.Equal(got, want) {
		t.Errorf("the output was sent as %q, want %q", got, want)
	}
}

func refused(t *testing.T, raw []byte, err error) bool {
	t.Helper()
	if err != nil && !errors.Is(err, conversation.ErrInvalid) {
		t.Errorf("%q: the error is of no kind: %v", raw, err)
	}
	return err != nil
}

// onlyAudio reports whether got is want but for what the audio has besides its id.
func onlyAudio(t *testing.T, got, want string) bool {
	g, ok1 := value(t, got).(map[string]any)
	w, ok2 := value(t, want).(map[string]any)
	if !ok1 || !ok2 {
		return false
	}
	audio, ok := w["audio"].(map[string]any)
	if !ok || audio["id"] == nil && len(audio) < 2 {
		return false
	}
	w["audio"] = map[string]any{"id": audio["id"]}
	return reflect.DeepEqual(g, w)
}

// A conversation of messages of any origin goes out whole and in order: every
// call and every result once, under ids that belong together, and results that
// stand together stay together.
func TestConversationsGoOutWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		msgs := drawConversation(rt)
		chat, err := openaimsg.ToChat(msgs)
		if err != nil {
			rt.Fatal(err)
		}
		items, err := openaimsg.ToItems(msgs)
		if err != nil {
			rt.Fatal(err)
		}
		want := events(msgs)
		read, err := openaimsg.FromChat(chat...)
		if err != nil {
			rt.Fatal(err)
		}
		if got := events(read); !slices.Equal(got, want) {
			rt.Fatalf("chat has %q, want %q", got, want)
		}
		if read, err = openaimsg.FromItems(items...); err != nil {
			rt.Fatal(err)
		}
		if got := events(read); !slices.Equal(got, want) {
			rt.Fatalf("items have %q, want %q", got, want)
		}
	})
}

// drawConversation returns turns that hold what providers demand: results follow
// their calls at once.
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

// origin makes the message one of a provider: with the Raw that its adapter would
// have sent.
func origin(t *rapid.T, m conversation.Message) conversation.Message {
	switch p := rapid.SampledFrom([]conversation.Provider{"", conversation.Anthropic, conversation.OpenAIChat, conversation.OpenAIResponses}).Draw(t, "origin"); p {
	case conversation.Anthropic:
		m.Raw, m.RawProvider = json.RawMessage(`{"role":"assistant","content":[]}`), p
	case conversation.OpenAIChat:
		params, err := openaimsg.ToChat([]conversation.Message{m})
		if err != nil {
			t.Fatal(err)
		}
		read, err := openaimsg.FromChat(params[:1]...)
		if err != nil || len(m.Parts) > 0 || tooLong(m, 40) {
			return m
		}
		return read[0]
	case conversation.OpenAIResponses:
		items, err := openaimsg.ToItems([]conversation.Message{m})
		if err != nil {
			t.Fatal(err)
		}
		read, err := openaimsg.FromItems(items...)
		if err != nil || len(read) != 1 || tooLong(m, 64) {
			return m
		}
		return read[0]
	}
	return m
}

// tooLong: the provider would not have made such an id.
func tooLong(m conversation.Message, most int) bool {
	return len(m.ToolCallID) > most || slices.ContainsFunc(m.ToolCalls, func(c conversation.ToolCall) bool { return len(c.ID) > most })
}

// events tells what happens in a conversation: texts by who speaks, calls, and
// for each result the number of its call. Images that follow results are none.
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
