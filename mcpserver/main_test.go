package mcpserver_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// TestMain keeps the random tests short unless they are asked to be long.
func TestMain(m *testing.M) {
	testkit.Checks{Checks: 12, Long: 60, Full: 300, Short: 25}.Set()
	goleak.VerifyTestMain(m)
}

// outline returns the Summarizer of the services and servers of the tests.
func outline() *workspace.Summarizer { return new(summarize.Outline(summarize.OutlineOptions{})) }

// newService returns a service on a store in memory.
func newService(t testing.TB, o workspace.Options) *workspace.Service {
	t.Helper()
	return serviceOn(t, memstore.New(), o)
}

// newDurable returns a service on a database.
func newDurable(t testing.TB, o workspace.Options) *workspace.Service {
	t.Helper()
	store := must(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlite.Options{}))(t)
	return serviceOn(t, store, o)
}

func serviceOn(t testing.TB, store workspace.Store, o workspace.Options) *workspace.Service {
	t.Helper()
	if o.Summarizer == nil {
		o.Summarizer = outline()
	}
	svc := must(workspace.New(store, o))(t)
	t.Cleanup(func() {
		svc.Close(context.Background())
		store.Close()
	})
	return svc
}

func agentOf(t testing.TB, svc *workspace.Service, name string) *workspace.Workspace {
	t.Helper()
	ws := must(svc.Agent(name))(t)
	return ws
}

// workspaces returns an Options.Workspace like that of the command line. If bound is "",
// every call names its agent.
func workspaces(svc *workspace.Service, bound string) func(context.Context, mcpserver.Call) (*workspace.Workspace, error) {
	return func(_ context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
		switch {
		case bound == "":
			return svc.Agent(c.AgentID)
		case c.AgentID != "" && c.AgentID != bound:
			return nil, fmt.Errorf("agent_id is not the agent that this server is bound to; leave it out: %w", workspace.ErrInvalid)
		}
		return svc.Agent(bound)
	}
}

func newServerOn(t testing.TB, svc *workspace.Service, bound string) *mcpserver.Server {
	t.Helper()
	return newServerWith(t, mcpserver.Options{Bound: bound != "", Workspace: workspaces(svc, bound)})
}

func newServerWith(t testing.TB, o mcpserver.Options) *mcpserver.Server {
	t.Helper()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Summarizer == nil {
		o.Summarizer = outline()
	}
	s := must(mcpserver.New(o))(t)
	t.Cleanup(s.Close)
	return s
}

// newServer returns a server over an empty store. If bound is "", every call names its
// agent.
func newServer(t testing.TB, bound string) *mcpserver.Server {
	t.Helper()
	return newServerOn(t, newService(t, workspace.Options{}), bound)
}

// maxErrorTokens is how many tokens an error may cost.
const maxErrorTokens = 200

// checkError checks the length of the text of an error.
func checkError(t interface{ Errorf(string, ...any) }, what, text string) {
	if n := o200k.Count(text); n > maxErrorTokens || strings.TrimSpace(text) == "" {
		t.Errorf("%s: the error costs %d tokens, want 1 to %d: %s", what, n, maxErrorTokens, text)
	}
}
