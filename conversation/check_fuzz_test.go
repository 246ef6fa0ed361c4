package conversation_test

import (
	"slices"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

// FuzzCheckRaw: whatever stands in Raw, Check ends with problems of messages that
// there are, in order, and says of JSON that is none that it is.
func FuzzCheckRaw(f *testing.F) {
	for p, conversations := range validConversations() {
		for _, msgs := range conversations {
			for _, m := range msgs {
				if m.RawProvider == p {
					f.Add(string(m.Raw), uint8(slices.Index(all, p)))
				}
			}
		}
	}
	f.Add(`{"role":"user","content":[null,1,[],{}]}`, uint8(0))
	f.Add(`[null,{"type":"function_call","arguments":{}}]`, uint8(2))
	f.Add(`{"parts":[null,{"functionCall":null},{"functionResponse":{"id":7}}]}`, uint8(3))
	f.Fuzz(func(t *testing.T, text string, provider uint8) {
		p := all[int(provider)%len(all)]
		m := raw(p, reply, text)
		msgs := list(hello, calls("a"), result("a"), m, m, result("b"), raw(p, result("a"), text), raw(p, rules, text), more)
		problems := Check(msgs, p)
		for k, q := range problems {
			if q.Index < 0 || q.Index >= len(msgs) || q.Rule == "" || q.Text == "" || k > 0 && q.Index < problems[k-1].Index {
				t.Fatalf("%v", problems)
			}
		}
		if !slices.Equal(problems, Check(msgs, p)) {
			t.Fatal("two answers")
		}
	})
}
