package login

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/oauth"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// listen returns a server that does not serve yet, and its URL for MCP.
func listen(t *testing.T) (server *httptest.Server, resource string) {
	t.Helper()
	server = httptest.NewUnstartedServer(nil)
	t.Cleanup(server.Close)
	return server, "http://" + server.Listener.Addr().String() + "/mcp"
}

// serve makes the server serve MCP to the tokens of an issuer.
func serve(t *testing.T, server *httptest.Server, issuer, audience string) {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))
	tokens, err := oauth.New(oauth.Options{Issuer: issuer, Audience: audience, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tokens.Close)
	mux := http.NewServeMux()
	mux.Handle("/.well-known/oauth-protected-resource/mcp", tokens.Metadata())
	mux.Handle("/mcp", protect(tokens, newHandler(t, logger)))
	server.Config.Handler = mux
	server.Start()
}

// protect lets requests with a token pass.
func protect(tokens *oauth.Server, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !found {
			w.Header().Set("WWW-Authenticate", tokens.Challenge("", 0))
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		switch caller, err := tokens.Verify(r.Context(), token); err {
		case nil:
			next.ServeHTTP(w, r.WithContext(auth.NewContext(r.Context(), caller)))
		case auth.ErrUnavailable:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		default:
			w.Header().Set("WWW-Authenticate", tokens.Challenge("invalid_token", 0))
			http.Error(w, err.Error(), http.StatusUnauthorized)
		}
	})
}

func newHandler(t *testing.T, logger *slog.Logger) http.Handler {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlite.Options{Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	svc, err := workspace.New(store, workspace.Options{Tenant: "acme"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := svc.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	server, err := mcpserver.New(mcpserver.Options{
		Logger: logger,
		Caller: func(ctx context.Context) string { c, _ := auth.FromContext(ctx); return c.ID },
		Workspace: func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			c, _ := auth.FromContext(ctx)
			if c.Tenant != "acme" || !c.Agents.Allow(call.AgentID) || !c.Scopes.Has(auth.Read|auth.Write) {
				return nil, workspace.Errorf(workspace.ErrNotFound, "agent %q is not yours", call.AgentID)
			}
			return svc.Agent(call.AgentID)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return server.Handler()
}
