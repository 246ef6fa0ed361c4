package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

func keyed(tool, key string, args m) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: tool, Arguments: args, Meta: mcp.Meta{"scratchpad/idempotency_key": key}}
}

// repeated has for each tool that takes a key a request, another request, and the answer
// to the first.
var repeated = map[string]struct {
	args, other m
	record      string
}{
	"write_file":  {m{"path": "new", "content": "é"}, m{"path": "new", "content": "e"}, `{"path":"new","version":1,"bytes_written":2}`},
	"edit_file":   {m{"path": "f", "old_text": "x", "new_text": "xx", "all": true}, m{"path": "f", "old_text": "x", "new_text": "xx"}, `{"path":"f","version":2,"bytes_written":2,"replacements":1}`},
	"move_file":   {m{"path": "f", "new_path": "moved"}, m{"path": "f", "new_path": "else"}, `{"path":"moved","from":"f","version":2}`},
	"append_log":  {m{"path": "f", "entry": "e"}, m{"path": "f", "entry": "E"}, `{"path":"f","entry_id":2,"bytes_written":1}`},
	"delete_log":  {m{"path": "f", "through_entry": 1}, m{"path": "f"}, `{"path":"f","deleted":true,"entries_removed":1,"final":true}`},
	"delete_file": {m{"path": "f"}, m{"path": "new"}, `{"path":"f","deleted":true,"versions_removed":1}`},
}

// A call that is sent again with its key gets the first answer and stores nothing, with
// every protocol and from any client. Another request with the key is refused.
func TestIdempotency(t *testing.T) {
	for tool, c := range repeated {
		for _, protocol := range []string{modern, legacy} {
			t.Run(tool+" "+protocol, func(t *testing.T) {
				svc := newService(t, workspace.Options{})
				server := newServerOn(t, svc, "a")
				s := connectAs(t, server, protocol, &mcp.Implementation{Name: "one"})
				mustCall(t, s, "write_file", m{"path": "f", "content": "x"})
				mustCall(t, s, "append_log", m{"path": "f", "entry": "x"})
				first := keyed(tool, "key 1", c.args)
				blocks, isError := callWith(t, s, first)
				if isError || blocks[0] != c.record {
					t.Fatalf("the first call = %q, want %s", blocks, c.record)
				}
				defer unchanged(t, svc)()
				for _, client := range []*mcp.ClientSession{s, s, connect(t, server)} {
					if again, isError := callWith(t, client, first); isError || again[0] != c.record {
						t.Errorf("the call again = %q, want %s", again, c.record)
					}
				}
				text, isError := callWith(t, s, keyed(tool, "key 1", c.other))
				if !isError || !strings.Contains(text[0], "another request") || !strings.Contains(text[0], "conflict") {
					t.Errorf("another request under the key = %q, want a conflict", text)
				}
			})
		}
	}
}
