package openaimsg_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/openaimsg"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func chatParam(raw string) openai.ChatCompletionMessageParamUnion {
	return param.Override[openai.ChatCompletionMessageParamUnion](json.RawMessage(raw))
}

func itemParam(raw string) responses.ResponseInputItemUnionParam {
	return param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(raw))
}

// sent returns the JSON of a param in a request: the bytes that it was made of, or the
// client's encoding.
func sent(t *testing.T, p interface {
	Overrides() (any, bool)
	MarshalJSON() ([]byte, error)
}) string {
	t.Helper()
	if o, ok := p.Overrides(); ok {
		return string(o.(json.RawMessage))
	}
	raw, err := p.MarshalJSON()
	testkit.Must(t, err)
	return string(raw)
}

// value decodes JSON, and keeps all digits of numbers.
func value(t *testing.T, raw string) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(raw)))
	d.UseNumber()
	var v any
	testkit.Must(t, d.Decode(&v))
	return v
}

func sameJSON(t *testing.T, what, got, want string) {
	t.Helper()
	if diff := cmp.Diff(value(t, want), value(t, got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// fields returns the message without Raw, and checks that it can be stored.
func fields(t *testing.T, m conversation.Message) conversation.Message {
	t.Helper()
	text, err := json.Marshal(m)
	testkit.Must(t, err)
	var back conversation.Message
	testkit.Must(t, json.Unmarshal(text, &back))
	if !bytes.Equal(back.Raw, m.Raw) {
		t.Errorf("Raw was stored as %s, it is %s", back.Raw, m.Raw)
	}
	m.Raw, m.RawProvider = nil, ""
	return m
}

func fromChat(t *testing.T, raws ...string) []conversation.Message {
	t.Helper()
	msgs, err := openaimsg.FromChat(each(raws, chatParam)...)
	testkit.Must(t, err)
	return msgs
}

func toChat(t *testing.T, msgs ...conversation.Message) []string {
	t.Helper()
	params, err := openaimsg.ToChat(msgs)
	testkit.Must(t, err)
	return each(params, func(p openai.ChatCompletionMessageParamUnion) string { return sent(t, p) })
}

func fromItems(t *testing.T, raws ...string) []conversation.Message {
	t.Helper()
	msgs, err := openaimsg.FromItems(each(raws, itemParam)...)
	testkit.Must(t, err)
	return msgs
}

func toItems(t *testing.T, msgs ...conversation.Message) []string {
	t.Helper()
	items, err := openaimsg.ToItems(msgs)
	testkit.Must(t, err)
	return each(items, func(p responses.ResponseInputItemUnionParam) string { return sent(t, p) })
}

func each[A, B any](list []A, f func(A) B) []B {
	var out []B
	for _, a := range list {
		out = append(out, f(a))
	}
	return out
}

// output returns a response with the items as its output.
func output(t *testing.T, raws ...string) []responses.ResponseOutputItemUnion {
	t.Helper()
	var out []responses.ResponseOutputItemUnion
	for _, raw := range raws {
		var item responses.ResponseOutputItemUnion
		testkit.Must(t, json.Unmarshal([]byte(raw), &item))
		out = append(out, item)
	}
	return out
}
