package mcpserver

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A tool whose answer or whose error shows what is stored needs the right to read, even if it
// writes. A tool that does not say what it needs is not added, so no server starts with it.
func TestToolsSayWhatTheyNeed(t *testing.T) {
	for _, tool := range tools(Options{Tools: AllTools, Summarizer: &workspace.Summarizer{}}) {
		want := reads
		switch tool.name {
		case "write_file", "append_log", "delete_file", "delete_log":
			want = writes
		case "edit_file", "move_file", "memory":
			want = reads | writes
		}
		if tool.scope != want {
			t.Errorf("%s has the scope %b, want %b", tool.name, tool.scope, want)
		}
	}
	s := &Server{tools: map[string]tool{}}
	for _, tool := range []tool{{name: "new", weight: light}, {name: "new", scope: reads}} {
		if err := s.add(mcp.NewServer(&mcp.Implementation{}, nil), tool, true); err == nil || len(s.tools) > 0 {
			t.Errorf("%+v is added", tool)
		}
	}
}
