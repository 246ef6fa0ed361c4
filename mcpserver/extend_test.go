package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// withTools adds a tool that says who calls, one that fails, and one that panics.
func withTools(s *mcp.Server) {
	add := func(name string, readOnly bool, run mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}}, run)
	}
	add("who", true, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "t", Progress: 1})
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "you are " + caller(ctx)}}}, err
	})
	add("fails", false, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true}, nil
	})
	add("panics", false, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("on purpose") })
}

// The tools of a program are called, watched and limited as those of the server, in both
// eras.
func TestExtend(t *testing.T) {
	w := &watched{over: make(chan struct{}, 1000)}
	svc := newService(t, workspace.Options{})
	server := newServerWith(t, mcpserver.Options{
		Extend: withTools, Around: w.around, Workspace: workspaces(svc, ""),
		IsBound: func(ctx context.Context) bool { return caller(ctx) == "one" },
	})
	h := httptest.NewServer(named(server.Handler()))
	defer h.Close()
	session := beginSession(t, h, "one")
	w.next(t)
	for _, user := range []string{"one", "many"} {
		for _, protocol := range []string{modern, legacy} {
			for _, c := range []struct{ tool, text, end string }{
				{"who", "you are " + user, "who a false: fine"},
				{"fails", `"isError":true`, "fails a true: invalid"},
				{"panics", "internal error; the server's log has more", "panics a true: internal"},
				{"list_files", `{\"count\":0`, "list_files a false: fine"},
			} {
				text := ask(t, h, protocol, user, session, request("1", c.tool, `{"agent_id":"a"}`), map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": c.tool})
				if !strings.Contains(text, c.text) {
					t.Errorf("%s, %s: %s = %s, want %s", protocol, user, c.tool, text, c.text)
				}
				if end, _, _ := w.next(t); end != c.end {
					t.Errorf("%s, %s: %s ends as %q, want %q", protocol, user, c.tool, end, c.end)
				}
			}
		}
	}
	if n := len(listTools(t, connect(t, server))); n != len(storageTools)+3 {
		t.Errorf("%d tools, want %d and 3", n, len(storageTools))
	}
}

// Clients may subscribe to the resources of a program and to no others, in both eras.
func TestSubscriptions(t *testing.T) {
	var offered *mcp.Server
	server := newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(newService(t, workspace.Options{}), "a"), Extend: func(s *mcp.Server) {
		offered = s
		s.AddResource(&mcp.Resource{Name: "weather", URI: "test://weather"}, nil)
	}})
	h := serveHTTP(t, server)
	updates := make(chan string, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "web"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updates <- r.Params.URI },
	})
	s := connectClientHTTP(t, h, legacy, client)
	for uri, offered := range map[string]bool{"test://weather": true, "test://none": false, "scratchpad://a/f": false} {
		if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); (err == nil) != offered {
			t.Errorf("Subscribe(%s) = %v, want it accepted: %v", uri, err, offered)
		}
		listen := method("1", "subscriptions/listen", fmt.Sprintf(`"notifications":{"resourceSubscriptions":[%q]}`, uri), "")
		if !offered {
			if text := ask(t, h, modern, "", "", listen, map[string]string{"Mcp-Method": "subscriptions/listen"}); !strings.Contains(text, "error") {
				t.Errorf("listening for %s is answered with %s", uri, text)
			}
		}
	}
	testkit.Must(t, offered.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "test://weather"}))
	select {
	case uri := <-updates:
		if uri != "test://weather" {
			t.Errorf("the client is told of %s, want test://weather", uri)
		}
	case <-time.After(maxWait):
		t.Error("the client is not told of a resource that has changed")
	}
}
