package mcpserver_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type userKey struct{}

// named puts the caller into the request's context, as a handler around the server does.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, r.Header.Get("X-User"))))
	})
}

// A call whose store does not answer is answered after Options.Timeout.
func TestTimeout(t *testing.T) {
	server := newServerWith(t, mcpserver.Options{Bound: true, Timeout: 50 * time.Millisecond, Workspace: func(ctx context.Context, _ mcpserver.Call) (*workspace.Workspace, error) {
		<-ctx.Done()
		return nil, errors.Join(workspace.ErrBusy, ctx.Err())
	}})
	s := connect(t, server)
	if text, isError := call(t, s, "list_files", m{}); !isError || !strings.Contains(text[0], "busy") {
		t.Errorf("list_files = %q, want an error that says busy", text)
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "scratchpad://a/x"}); err == nil {
		t.Error("a resource is read from a store that does not answer")
	}
}
