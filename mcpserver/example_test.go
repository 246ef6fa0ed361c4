package mcpserver_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// memory returns a service for the examples. A real one stands on sqlite.Open.
func memory() *workspace.Service {
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return svc
}

// The MCP client is in the same program, as in an agent framework.
func ExampleNew() {
	svc := memory()
	server, err := mcpserver.New(mcpserver.Options{
		Workspace: func(_ context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			return svc.Agent(call.AgentID)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	web := httptest.NewServer(server.Handler())
	defer web.Close()

	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "example"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: web.URL}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	res, err := session.CallTool(ctx, &mcp.CallToolParams{
		Name: "write_file", Arguments: map[string]any{"agent_id": "agent-1", "path": "plan.md", "content": "# Plan\n"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Content[0].(*mcp.TextContent).Text)
	// Output: {"path":"plan.md","version":1,"bytes_written":7}
}

// One agent over standard input and output. The program ends when its client does.
func ExampleServer_Run() {
	svc := memory()
	server, err := mcpserver.New(mcpserver.Options{
		Bound: true,
		Workspace: func(_ context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			if call.AgentID != "" && call.AgentID != "agent-1" {
				return nil, fmt.Errorf("agent_id is not yours; leave it out: %w", workspace.ErrInvalid)
			}
			return svc.Agent("agent-1")
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	in, client, err := os.Pipe() // os.Stdin, in a program
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"example","version":"1"}}}`)
	fmt.Fprintln(client, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintln(client, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"append_log","arguments":{"path":"log","entry":"started"}}}`)
	client.Close()

	var out strings.Builder // os.Stdout, in a program
	if err := server.Run(context.Background(), in, &out); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(out.String(), "\n"), "answers, the last of them:")
	fmt.Println(strings.SplitAfter(out.String(), "\n")[1])
	// Output:
	// 2 answers, the last of them:
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"path\":\"log\",\"entry_id\":1,\"bytes_written\":7}"}]}}
}

// A callerKey is the key of the caller's name in a context.
type callerKey struct{}

func callerOf(ctx context.Context) string {
	name, _ := ctx.Value(callerKey{}).(string)
	return name
}

// authenticated passes on the requests of known callers, with their names.
func authenticated(next http.Handler) http.Handler {
	agents := map[string]string{"Bearer key-of-alice": "alice"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := agents[r.Header.Get("Authorization")]
		if !ok {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, name)))
	})
}

// appendHello returns a call of append_log over HTTP.
func appendHello(authorization string) *http.Request {
	req := httptest.NewRequest("POST", "/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"append_log","arguments":{"path":"log","entry":"hello"},"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	for name, value := range map[string]string{
		"Authorization": authorization, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "append_log",
	} {
		req.Header.Set(name, value)
	}
	return req
}

// Many agents call over HTTP. A handler in front of the server finds out who calls, and
// each caller gets a workspace of its own.
func ExampleServer_Handler() {
	svc := memory()
	server, err := mcpserver.New(mcpserver.Options{
		Bound:  true,
		Caller: callerOf, // a session belongs to the caller who began it
		Workspace: func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			name := callerOf(ctx)
			if call.AgentID != "" && call.AgentID != name {
				return nil, fmt.Errorf("agent_id is not yours; leave it out: %w", workspace.ErrInvalid)
			}
			return svc.Agent(name)
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", authenticated(server.Handler()))

	for _, key := range []string{"", "Bearer key-of-alice"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, appendHello(key))
		fmt.Println(w.Code)
	}
	ws, err := svc.Agent("alice")
	if err != nil {
		log.Fatal(err)
	}
	page, err := ws.ReadLog(context.Background(), "log", workspace.ReadLogOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("alice: %s\n", page.Entries[0].Content)
	// Output:
	// 401
	// 200
	// alice: hello
}
