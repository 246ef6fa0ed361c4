package mcpserver_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A client that connects is told what is in its memory at that moment, in both eras.
func TestBrief(t *testing.T) {
	svc := newService(t, workspace.Options{})
	var told atomic.Value
	o := mcpserver.Options{Bound: true, Workspace: workspaces(svc, "a"), Brief: func(context.Context) string { return told.Load().(string) }}
	s := newServerWith(t, o)
	for _, protocol := range []string{legacy, modern} {
		for _, brief := range []string{"2 files", "3 files", ""} {
			told.Store(brief)
			text := instructionsOf(t, s, protocol)
			if brief != "" && !strings.HasSuffix(text, "\n\n"+brief) || brief == "" && !strings.HasSuffix(text, "what to do next.") {
				t.Errorf("%s: the instructions end with %q, want %q", protocol, text[len(text)-60:], brief)
			}
		}
	}
}

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
