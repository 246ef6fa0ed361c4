package mcpserver_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// newServer returns a server over an empty store. bound "": every call names its agent.
func newServer(t testing.TB, bound string) *mcpserver.Server {
	t.Helper()
	store := memstore.New()
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s, err := mcpserver.New(mcpserver.Options{Bound: bound != "", Logger: slog.New(slog.DiscardHandler), Workspace: func(_ context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
		switch {
		case bound == "":
			return svc.Agent(c.AgentID)
		case c.AgentID != "" && c.AgentID != bound:
			return nil, workspace.ErrInvalid
		}
		return svc.Agent(bound)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// summarizeFile is still to come, and has its place in the budget.
const summarizeFile = `{"name":"summarize_file","description":"Summarize a long file","inputSchema":{"type":"object","properties":{"agent_id":{"type":"string"},"path":{"type":"string"}},"required":["agent_id","path"]}}`

// What the tools and the instructions cost every conversation: of each tool what
// a host passes on to the model.
func TestToolsTokens(t *testing.T) {
	for _, c := range []struct {
		bound string
		most  int
	}{{"", 750}, {"a", 650}} {
		session := connect(t, newServer(t, c.bound))
		list, err := session.ListTools(t.Context(), &mcp.ListToolsParams{})
		if err != nil {
			t.Fatal(err)
		}
		sum := o200k.Count(summarizeFile)
		for _, tool := range list.Tools {
			shown, err := json.Marshal(struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				InputSchema any    `json:"inputSchema"`
			}{tool.Name, tool.Description, tool.InputSchema})
			if err != nil {
				t.Fatal(err)
			}
			n := o200k.Count(string(shown))
			t.Logf("%d %s", n, shown)
			sum += n
		}
		if t.Logf("bound %q: %d tokens, goal %d", c.bound, sum, c.most); sum > c.most {
			t.Errorf("bound %q: the tools cost %d tokens, at most %d are allowed", c.bound, sum, c.most)
		}
		if n := len(session.InitializeResult().Instructions); n == 0 || n >= 1500 {
			t.Errorf("the instructions have %d characters, want some below 1,500", n)
		}
	}
}
