package member_test

import (
	"encoding/json"
	"testing"

	"github.com/agent-scratchpad/scratchpad/conversation/internal/member"
)

func TestDropKeepsAllOtherBytes(t *testing.T) {
	t.Parallel()
	paths := []string{"call.by", "text.notes[near].file", "text.deep.at", "text.far"}
	for _, c := range []struct{ raw, want string }{
		{`{"type":"call" , "by" : "x", "n": 1.50}`, `{"type":"call", "n": 1.50}`},
		{`{"by":"x", "type":"call"}`, `{ "type":"call"}`},
		{`{"by":"x","by":null,"type":"call"}`, `{"type":"call"}`},
		{`{"type":"call","by":{"by":1}}`, `{"type":"call"}`},
		{`{"type":"other","by":"x"}`, `{"type":"other","by":"x"}`},
		{`{"type":"call","bystander":"by"}`, `{"type":"call","bystander":"by"}`},
		{`{"type":"text","notes":[{"type":"near","file":"f", "a":1} , {"type":"wide","file":"f"}],"z":"\u00e9"}`,
			`{"type":"text","notes":[{"type":"near", "a":1} , {"type":"wide","file":"f"}],"z":"\u00e9"}`},
		{`{"type":"text","deep":[{"at":1},{"at":2,"b":3}]}`, `{"type":"text","deep":[{},{"b":3}]}`},
		{`[{"type":"call","by":"x"},{"type":"text","far":[1]}]`, `[{"type":"call"},{"type":"text"}]`},
		{`{"type":"text","notes":null,"deep":"at"}`, `{"type":"text","notes":null,"deep":"at"}`},
		{`"far"`, `"far"`}, {`{"far"`, `{"far"`}, {`null`, `null`}, {`{"type":5,"by":1}`, `{"type":5,"by":1}`},
	} {
		if got := member.Drop(json.RawMessage(c.raw), paths); string(got) != c.want {
			t.Errorf("%s became %s, want %s", c.raw, got, c.want)
		}
	}
}

func TestSetReplacesOrAppends(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, want string }{
		{`{"id":"", "a":1}`, `{"id":5, "a":1}`},
		{`{"a":1 , "id" : null }`, `{"a":1 , "id" : 5 }`},
		{` {"a":1 } `, ` {"a":1 ,"id":5}`},
		{`{}`, `{"id":5}`},
		{`[]`, `[]`},
	} {
		if got := member.Set(json.RawMessage(c.raw), "id", json.RawMessage("5")); string(got) != c.want {
			t.Errorf("%s became %s, want %s", c.raw, got, c.want)
		}
	}
}
