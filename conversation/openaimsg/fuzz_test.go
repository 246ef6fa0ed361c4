package openaimsg_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

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
