package e2e

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/summarize"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A target is a server that one client talks to, over stdio or over HTTP.
type target struct {
	command []string // stdio: starts the binary, with a witness before it
	url     string   // HTTP
	key     string   // HTTP: "" if the server wants none

	dir  string    // stdio: the folder that the witness writes to
	http *recorder // HTTP: the witness
}

// headers returns those of every HTTP request.
func (g *target) headers() map[string]string {
	if g.key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + g.key}
}

// overStdio returns the real binary on a new database.
func overStdio(t *testing.T) *target {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &target{
		dir:     dir,
		command: []string{self, recordArgument, dir, scratchpadPath, "mcp", "--db", filepath.Join(dir, "test.db"), "--summarizer", "outline"},
	}
}

// overHTTP starts the handler on loopback, on a new database.
func overHTTP(t *testing.T) *target {
	t.Helper()
	witness := &recorder{next: newHandler(t)}
	mux := http.NewServeMux()
	mux.Handle("/mcp", witness)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return &target{url: server.URL + "/mcp", http: witness}
}

// newHandler returns the handler of a server on a new database.
func newHandler(t *testing.T) http.Handler {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlite.Options{Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	outline := summarize.Outline(summarize.OutlineOptions{})
	svc, err := workspace.New(store, workspace.Options{Summarizer: &outline})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := svc.Close(ctx); err != nil {
			t.Errorf("workspace.Service.Close() = %v, want nil", err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("sqlite.Store.Close() = %v, want nil", err)
		}
	})
	server, err := mcpserver.New(mcpserver.Options{
		Logger:     logger,
		Summarizer: &outline,
		Workspace:  func(_ context.Context, c mcpserver.Call) (*workspace.Workspace, error) { return svc.Agent(c.AgentID) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return server.Handler()
}

// check checks what passed between the client and the server, after the client has
// closed: that they spoke this version of the protocol only, and that each process ended
// with exit code 0.
func (g *target) check(t *testing.T, version string) {
	t.Helper()
	var messages []message
	if g.http != nil {
		messages = g.http.seen()
		for _, m := range messages {
			if sessions := version < stateless; sessions != (m.session != "") {
				t.Errorf("session %q in version %s: %.100q", m.session, version, m.text)
				break
			}
		}
	} else {
		var exits []exit
		messages, exits = processes(t, g.dir)
		for _, e := range exits {
			if e != (exit{}) {
				t.Errorf("the server ended with %+v, want exit code 0 at the end of its input", e)
			}
		}
	}
	if got := spoken(t, messages); len(got) != 1 || got[0] != version {
		t.Errorf("tools were called in versions %q of the protocol, want %q alone", got, version)
	}
}
