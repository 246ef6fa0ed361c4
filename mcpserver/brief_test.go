package mcpserver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func instructionsOf(t *testing.T, s *mcpserver.Server, protocol string) string {
	t.Helper()
	return connectAs(t, s, protocol, &mcp.Implementation{Name: "test", Version: "1"}).InitializeResult().Instructions
}

// A brief that fails or takes long keeps no client from connecting.
func TestBriefInTrouble(t *testing.T) {
	svc := newService(t, workspace.Options{})
	for name, brief := range map[string]func(context.Context) string{
		"panics": func(context.Context) string { panic("no brief") },
		"hangs":  func(ctx context.Context) string { <-ctx.Done(); return "too late" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "a"), Brief: brief})
			if text := instructionsOf(t, s, legacy); !strings.HasSuffix(text, "what to do next.") {
				t.Errorf("the instructions end with %q, want no brief", text[len(text)-60:])
			}
		})
	}
}

// A server without a memory has no tools and no resources, and says why.
func TestOff(t *testing.T) {
	s := newServerWith(t, mcpserver.Options{Bound: true, Off: "It is off.", Tools: mcpserver.AllTools, Workspace: workspaces(nil, "a")})
	for _, protocol := range []string{legacy, modern} {
		c := connectAs(t, s, protocol, &mcp.Implementation{Name: "test", Version: "1"})
		tools, err := c.ListTools(t.Context(), nil)
		templates, err2 := c.ListResourceTemplates(t.Context(), nil)
		if err != nil || err2 != nil || len(tools.Tools) != 0 || len(templates.ResourceTemplates) != 0 {
			t.Errorf("%s: %v, %v, %v, %v", protocol, tools, templates, err, err2)
		}
		if text := c.InitializeResult().Instructions; text != "It is off." {
			t.Errorf("%s: the instructions are %q", protocol, text)
		}
		if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_files"}); err == nil && !r.IsError {
			t.Errorf("%s: a tool answers %v", protocol, r)
		}
	}
}
