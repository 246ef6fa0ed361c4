package mcpserver

import (
	"strings"
	"testing"
)

// Both transports refuse a message that two decoders could read differently, and accept
// any other.
func TestAmbiguousMessages(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":1},"arguments":{"a":2}}}`:                                                                            "arguments is given twice",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","name":"y"}}`:                                                                                                         "name is given twice",
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`:                                                                                                                                         "id is given twice",
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a","\u0075ri":"b"}}`:                                                                                                  "uri is given twice",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"scratchpad/idempotency_key":"a","scratchpad/idempotency_key":"b"}}}`:                                                         "is given twice",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","ARGUMENTS":{}}}`:                                                                                                     "spelled arguments",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_META":{}}}`:                                                                                                                          "spelled _meta",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"Scratchpad/idempotency_key":"a"}}}`:                                                                                          "spelled scratchpad/idempotency_key",
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                                                                                                                                                "",
		` { "jsonrpc" : "2.0" , "id" : "}\"{" , "method" : "tools/call" , "params" : { "name" : "x" , "arguments" : { "name" : [ 1 , { } , "]" ] , "b" : null } , "z" : -1.5e3 , "y" : true } } `: "",
	} {
		_, bad := inspect([]byte(line))
		switch {
		case want == "" && bad != nil:
			t.Errorf("%s is refused: %v", line, bad)
		case want != "" && (bad == nil || !strings.Contains(bad.text, want)):
			t.Errorf("%s: %+v, want an error with %q", line, bad, want)
		}
	}
	for _, id := range []string{"\"a\xffb\"", "\"\xed\xa0\x80\""} {
		if _, bad := inspect([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)); bad == nil || bad.id != nil {
			t.Errorf("id %q, which is no text: %+v, want it refused, and no answer with it", id, bad)
		}
	}
}
