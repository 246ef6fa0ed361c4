package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	mark3labs "github.com/mark3labs/mcp-go/client"
	mark3labsmcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The versions of the protocol that stand for its two eras.
const (
	withHandshake = "2025-11-25"
	stateless     = "2026-07-28"
)

// A request is a method and its parameters, as MCP writes them.
type request struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

// An answer is what a client reports for one request.
type answer struct {
	Blocks  []string `json:"blocks,omitempty"`  // texts, names or values, depending on the method
	IsError bool     `json:"isError,omitempty"` // of a tool
	Error   string   `json:"error,omitempty"`   // of the protocol
	Code    int64    `json:"code,omitempty"`    // of Error, where the client tells
}

// A client is an MCP client of another maker. run makes the requests in one session, and
// returns the version that the client reports: "" if it reports none.
type client struct {
	name    string
	version string // that it must speak
	run     func(t *testing.T, g *target, requests []request) (version string, answers []answer)
	only    []string // the steps of its session, by name; nil: all
}

var clients = []client{
	{name: "npm sdk v1", version: withHandshake, run: runScript("session-v1.mjs", "")},
	{name: "npm client v2 legacy", version: withHandshake, run: runScript("session-v2.mjs", "legacy")},
	{name: "npm client v2 auto", version: stateless, run: runScript("session-v2.mjs", "auto")},
	{name: "npm client v2 pinned", version: stateless, run: runScript("session-v2.mjs", stateless)},
	{name: "inspector legacy", version: withHandshake, run: runInspector("legacy"), only: inspectorSteps},
	{name: "inspector auto", version: stateless, run: runInspector("auto"), only: inspectorSteps[:5]},
	{name: "inspector modern", version: stateless, run: runInspector("modern"), only: inspectorSteps},
	{name: "mcp-go", version: stateless, run: runMark3labs("")},
	{name: "mcp-go legacy", version: withHandshake, run: runMark3labs(withHandshake)},
	{name: "mcp-go 2025-06-18", version: "2025-06-18", run: runMark3labs("2025-06-18")},
	{name: "go-sdk", version: stateless, run: runGoSDK("")},
	{name: "go-sdk legacy", version: withHandshake, run: runGoSDK(withHandshake)},
	{name: "go-sdk 2025-03-26", version: "2025-03-26", run: runGoSDK("2025-03-26")},
	{name: "go-sdk 2024-11-05", version: "2024-11-05", run: runGoSDK("2024-11-05")},
}

// runScript runs a session on Node. The script reads the requests from a file and prints
// the answers.
func runScript(script, mode string) func(*testing.T, *target, []request) (string, []answer) {
	return func(t *testing.T, g *target, requests []request) (string, []answer) {
		input, err := json.Marshal(map[string]any{"command": g.command, "url": g.url, "mode": mode, "requests": requests})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "session.json")
		if err := os.WriteFile(file, input, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := node(t, script, file)
		cmd.Stderr = t.Output()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		var got struct {
			Version string   `json:"version"`
			Answers []answer `json:"answers"`
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%s printed %.500q: %v", script, out, err)
		}
		return got.Version, got.Answers
	}
}

// runGoSDK asks for a version of the protocol; "": the newest.
func runGoSDK(version string) func(*testing.T, *target, []request) (string, []answer) {
	return func(t *testing.T, g *target, requests []request) (string, []answer) {
		var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: g.url}
		if g.command != nil {
			cmd := exec.Command(g.command[0], g.command[1:]...)
			cmd.Stderr = t.Output()
			transport = &mcp.CommandTransport{Command: cmd}
		}
		c := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, nil)
		session, err := c.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		var answers []answer
		for _, r := range requests {
			a, err := askGoSDK(t.Context(), session, r)
			var wire *jsonrpc.Error
			if errors.As(err, &wire) {
				a.Code = wire.Code
			}
			if err != nil {
				a.Error = err.Error()
			}
			answers = append(answers, a)
		}
		if err := session.Close(); err != nil {
			t.Errorf("Close() = %v, want a clean exit", err)
		}
		return session.InitializeResult().ProtocolVersion, answers
	}
}

func askGoSDK(ctx context.Context, s *mcp.ClientSession, r request) (a answer, err error) {
	switch r.Method {
	case "tools/list":
		for tool, err := range s.Tools(ctx, nil) {
			if err != nil {
				return a, err
			}
			a.Blocks = append(a.Blocks, tool.Name)
		}
	case "tools/call":
		var params mcp.CallToolParams
		convert(r.Params, &params)
		res, err := s.CallTool(ctx, &params)
		if err != nil {
			return a, err
		}
		a.IsError = res.IsError
		for _, c := range res.Content {
			a.Blocks = append(a.Blocks, c.(*mcp.TextContent).Text)
		}
	case "resources/templates/list":
		for template, err := range s.ResourceTemplates(ctx, nil) {
			if err != nil {
				return a, err
			}
			a.Blocks = append(a.Blocks, template.URITemplate)
		}
	case "resources/read":
		var params mcp.ReadResourceParams
		convert(r.Params, &params)
		res, err := s.ReadResource(ctx, &params)
		if err != nil {
			return a, err
		}
		for _, c := range res.Contents {
			a.Blocks = append(a.Blocks, c.Text)
		}
	case "completion/complete":
		var params mcp.CompleteParams
		convert(r.Params, &params)
		res, err := s.Complete(ctx, &params)
		if err != nil {
			return a, err
		}
		a.Blocks = res.Completion.Values
	default:
		panic("no such method: " + r.Method)
	}
	return a, nil
}

// runMark3labs is runGoSDK with the client of mark3labs/mcp-go.
func runMark3labs(version string) func(*testing.T, *target, []request) (string, []answer) {
	return func(t *testing.T, g *target, requests []request) (string, []answer) {
		var c *mark3labs.Client
		var err error
		if g.command != nil {
			c, err = mark3labs.NewStdioMCPClient(g.command[0], nil, g.command[1:]...)
		} else {
			c, err = mark3labs.NewStreamableHttpClient(g.url)
		}
		if err == nil && g.command == nil {
			err = c.Start(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		hello := mark3labsmcp.InitializeRequest{}
		hello.Params.ClientInfo = mark3labsmcp.Implementation{Name: "mcp-go", Version: "1"}
		hello.Params.ProtocolVersion = version
		if _, err := c.Initialize(t.Context(), hello); err != nil {
			t.Fatal(err)
		}
		var answers []answer
		for _, r := range requests {
			a, err := askMark3labs(t.Context(), c, r)
			if err != nil {
				a.Error = err.Error()
			}
			answers = append(answers, a)
		}
		if err := c.Close(); err != nil {
			t.Errorf("Close() = %v, want a clean exit", err)
		}
		return c.ProtocolVersion(), answers
	}
}

func askMark3labs(ctx context.Context, c *mark3labs.Client, r request) (a answer, err error) {
	switch r.Method {
	case "tools/list":
		res, err := c.ListTools(ctx, mark3labsmcp.ListToolsRequest{})
		if err != nil {
			return a, err
		}
		for _, tool := range res.Tools {
			a.Blocks = append(a.Blocks, tool.Name)
		}
	case "tools/call":
		var req mark3labsmcp.CallToolRequest
		convert(r.Params, &req.Params)
		res, err := c.CallTool(ctx, req)
		if err != nil {
			return a, err
		}
		a.IsError = res.IsError
		for _, block := range res.Content {
			a.Blocks = append(a.Blocks, block.(mark3labsmcp.TextContent).Text)
		}
	case "resources/templates/list":
		res, err := c.ListResourceTemplates(ctx, mark3labsmcp.ListResourceTemplatesRequest{})
		if err != nil {
			return a, err
		}
		for _, template := range res.ResourceTemplates {
			a.Blocks = append(a.Blocks, template.URITemplate.Raw())
		}
	case "resources/read":
		var req mark3labsmcp.ReadResourceRequest
		convert(r.Params, &req.Params)
		res, err := c.ReadResource(ctx, req)
		if err != nil {
			return a, err
		}
		for _, content := range res.Contents {
			a.Blocks = append(a.Blocks, content.(mark3labsmcp.TextResourceContents).Text)
		}
	case "completion/complete":
		var req mark3labsmcp.CompleteRequest
		convert(r.Params, &req.Params)
		res, err := c.Complete(ctx, req)
		if err != nil {
			return a, err
		}
		a.Blocks = res.Completion.Values
	default:
		panic("no such method: " + r.Method)
	}
	return a, nil
}

// convert turns parameters into a client's own type.
func convert(params map[string]any, to any) {
	text, err := json.Marshal(params)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(err)
	}
}
