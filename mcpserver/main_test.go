package mcpserver_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// TestMain keeps the random tests short unless they are asked to be long.
func TestMain(m *testing.M) {
	flag.Parse()
	if how := os.Getenv(loadServer); how != "" {
		if err := loadMain(how); err != nil {
			panic(err)
		}
		return
	}
	wanted := map[string]string{"rapid.checks": "25"}
	if long() {
		wanted["rapid.checks"] = "300"
	}
	flag.Visit(func(f *flag.Flag) { delete(wanted, f.Name) })
	for name, value := range wanted {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// long reports whether the long proofs are to run.
func long() bool { return os.Getenv("SCRATCHPAD_TEST") == "all" }

// A fakeClock stands still but for what the test does. It is safe for
// concurrent use.
type fakeClock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func newClock() *fakeClock {
	return &fakeClock{now: time.Date(2026, 11, 21, 4, 50, 0, 0, time.UTC)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// outline is what the services and servers of the tests summarise with.
func outline() *workspace.Summarizer { return new(summarize.Outline(summarize.OutlineOptions{})) }

// newService returns a service on a store in memory.
func newService(t testing.TB, o workspace.Options) *workspace.Service {
	t.Helper()
	return serviceOn(t, memstore.New(), o)
}

// newDurable returns a service on a database.
func newDurable(t testing.TB, o workspace.Options) *workspace.Service {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return serviceOn(t, store, o)
}

func serviceOn(t testing.TB, store workspace.Store, o workspace.Options) *workspace.Service {
	t.Helper()
	if o.Summarizer == nil {
		o.Summarizer = outline()
	}
	svc, err := workspace.New(store, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		svc.Close(context.Background())
		store.Close()
	})
	return svc
}

func agentOf(t testing.TB, svc *workspace.Service, name string) *workspace.Workspace {
	t.Helper()
	ws, err := svc.Agent(name)
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// workspaces is what Options.Workspace does on the command line: bound "" asks
// every call for its agent.
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
	s, err := mcpserver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// newServer returns a server over an empty store. bound "": every call names its agent.
func newServer(t testing.TB, bound string) *mcpserver.Server {
	t.Helper()
	return newServerOn(t, newService(t, workspace.Options{}), bound)
}

// maxErrorTokens is what an error may cost, whatever it was given.
const maxErrorTokens = 200

// checkError checks what holds for the text of every error.
func checkError(t interface{ Errorf(string, ...any) }, what, text string) {
	if n := o200k.Count(text); n > maxErrorTokens || strings.TrimSpace(text) == "" {
		t.Errorf("%s: the error costs %d tokens, want 1 to %d: %s", what, n, maxErrorTokens, text)
	}
}

// A syncBuffer is a buffer for many goroutines.
type syncBuffer struct {
	mu sync.Mutex // guards b
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
