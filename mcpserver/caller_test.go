package mcpserver_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
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

// userTransport sends requests as one user, and forges all it can.
type userTransport struct{ user *string }

func (u userTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-User", *u.user)
	r.Header.Set("Scratchpad-Request", "1")
	return http.DefaultTransport.RoundTrip(r)
}

// Each request says whose call it is, not the request that began the session.
func TestCallerOfEachRequest(t *testing.T) {
	svc := newService(t, workspace.Options{})
	server := newServerWith(t, mcpserver.Options{Bound: true, Workspace: func(ctx context.Context, _ mcpserver.Call) (*workspace.Workspace, error) {
		user, ok := ctx.Value(userKey{}).(string)
		if !ok {
			return nil, errors.New("nobody is calling")
		}
		return svc.Agent(user)
	}})
	h := httptest.NewServer(named(server.Handler()))
	defer h.Close()
	for _, protocol := range []string{modern, legacy} {
		user := "alice"
		client := mcp.NewClient(&mcp.Implementation{Name: "web", Version: "2"}, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.URL, HTTPClient: &http.Client{Transport: userTransport{&user}}},
			&mcp.ClientSessionOptions{ProtocolVersion: protocol})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"alice", "bob", "alice"} {
			user = name
			if got := mustCall(t, session, "get_usage_stats", m{}); !strings.Contains(got[0], `"agent_id":"`+name+`"`) {
				t.Errorf("%s: a call of %s is answered with %s", protocol, name, got[0])
			}
		}
		session.Close()
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
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

// A call is cancelled when its client no longer waits for it.
func TestClientThatLeaves(t *testing.T) {
	entered, left := make(chan struct{}), make(chan struct{})
	server := newServerWith(t, mcpserver.Options{Bound: true, Workspace: func(ctx context.Context, _ mcpserver.Call) (*workspace.Workspace, error) {
		close(entered)
		<-ctx.Done()
		close(left)
		return nil, ctx.Err()
	}})
	h := serveHTTP(t, server)
	s := connectHTTP(t, h, modern)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "list_files", Arguments: m{}}); err == nil {
		t.Error("a call that was given up is answered")
	}
	select {
	case <-left:
	case <-time.After(maxWait):
		t.Error("the call goes on for nobody")
	}
}
