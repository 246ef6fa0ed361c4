package anthropicmsg_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
)

// rawParam returns a message that is sent as the JSON.
func rawParam(text string) anthropic.MessageParam {
	return param.Override[anthropic.MessageParam](json.RawMessage(text))
}

// contentOf returns the blocks of a message of the user or of the model, or nil.
func contentOf(p anthropic.MessageParam) []anthropic.ContentBlockParamUnion {
	if content, is := p.GetContent().AsAny().(*[]anthropic.ContentBlockParamUnion); is {
		return *content
	}
	return nil
}

// sent returns the JSON of the messages in a request.
func sent(t testing.TB, messages []anthropic.MessageParam) string {
	t.Helper()
	if messages == nil {
		messages = []anthropic.MessageParam{}
	}
	body, err := anthropic.MessageNewParams{Messages: messages}.MarshalJSON()
	testkit.Must(t, err)
	var request struct{ Messages json.RawMessage }
	testkit.Must(t, json.Unmarshal(body, &request))
	return string(request.Messages)
}

func from(t testing.TB, params ...anthropic.MessageParam) []conversation.Message {
	t.Helper()
	msgs, err := anthropicmsg.From(params...)
	testkit.Must(t, err)
	valid(t, msgs)
	return msgs
}

// valid fails the test if a journal would refuse or change a message.
func valid(t testing.TB, msgs []conversation.Message) {
	t.Helper()
	for i, m := range msgs {
		r := conversation.Record{Seq: 1, Kind: conversation.MessageRecord, Message: &m}
		line, err := json.Marshal(r)
		testkit.Must(t, err)
		var back conversation.Record
		testkit.Must(t, json.Unmarshal(line, &back))
		if string(back.Message.Raw) != string(m.Raw) {
			t.Fatalf("message %d: Raw is %s, was %s", i, back.Message.Raw, m.Raw)
		}
	}
}

func to(t testing.TB, msgs ...conversation.Message) []anthropic.MessageParam {
	t.Helper()
	system, messages, err := anthropicmsg.To(msgs)
	testkit.Must(t, err)
	if system != nil {
		t.Fatalf("there is a system prompt: %v", system)
	}
	return messages
}

// sameJSON reports whether two texts are the same JSON value.
func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	testkit.Must(t, errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)))
	return reflect.DeepEqual(x, y)
}
