package anthropicmsg_test

import (
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/conversation/anthropicmsg"
	"github.com/anthropics/anthropic-sdk-go"
)

// Whatever a list of messages is, From and then To send the same, or From refuses
// it. Each is tried as the raw JSON and as what the SDK reads in it.
func FuzzRoundTrip(f *testing.F) {
	for _, c := range blockTable {
		f.Add([]byte(`[{"role":"` + c.role + `","content":[` + c.block + `]}]`))
	}
	f.Add([]byte(`[{"role":"user","content":"a"},{"content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"b"},{"type":"tool_result","tool_use_id":"2","content":"c"}],"role":"user","x":[1.0]}]`))
	f.Add([]byte(`[{"role":"assistant","content":[]},{"role":"system","content":"s"},{"rol\u0065":"user","content":"\ud800 \u2028"}]`))
	f.Add([]byte(`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[null]}]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil || !utf8.Valid(text) {
			return
		}
		var asRaw, asTypes []anthropic.MessageParam
		for _, raw := range list {
			asRaw = append(asRaw, rawParam(string(raw)))
			var p anthropic.MessageParam
			if json.Unmarshal(raw, &p) == nil {
				asTypes = append(asTypes, p)
			}
		}
		roundTrip(t, asRaw)
		roundTrip(t, asTypes)
	})
}

func roundTrip(t *testing.T, params []anthropic.MessageParam) {
	msgs, err := anthropicmsg.From(params...)
	if err != nil {
		if msgs != nil {
			t.Fatalf("there are messages beside the error %v", err)
		}
		if _, broken := (anthropic.MessageNewParams{Messages: params}).MarshalJSON(); broken == nil && !errors.Is(err, conversation.ErrInvalid) {
			t.Fatalf("the error is no ErrInvalid: %v", err)
		}
		return
	}
	valid(t, msgs)
	if got, want := sent(t, to(t, msgs...)), sent(t, params); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	for i := range params { // each alone, as an agent appends them
		if got, want := sent(t, to(t, from(t, params[i])...)), sent(t, params[i:i+1]); got != want {
			t.Errorf("message %d alone: sent\n%s\nwant\n%s", i, got, want)
		}
	}
}
