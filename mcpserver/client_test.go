package mcpserver_test

import (
	"context"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
)

// The protocols of the two eras.
const (
	modern = "2026-07-28"
	legacy = "2025-06-18"
)

// connect runs the server over a pair of pipes, as over stdio, with a real client.
func connect(t testing.TB, s *mcpserver.Server) *mcp.ClientSession {
	t.Helper()
	return connectAs(t, s, modern, &mcp.Implementation{Name: "test-client", Version: "1.2"})
}

func connectAs(t testing.TB, s *mcpserver.Server, protocol string, who *mcp.Implementation) *mcp.ClientSession {
	t.Helper()
	return connectClient(t, s, protocol, mcp.NewClient(who, nil))
}

func connectClient(t testing.TB, s *mcpserver.Server, protocol string, client *mcp.Client) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ran := make(chan error, 1)
	go func() {
		err := s.Run(context.Background(), fromClient, toClient)
		toClient.Close()
		ran <- err
	}()
	session := must(client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: protocol}))(t)
	t.Cleanup(func() {
		session.Close()
		if err := <-ran; err != nil {
			t.Errorf("Run() = %v, want nil at the end of the input", err)
		}
	})
	return session
}

// call returns the text blocks of a tool's answer.
func call(t testing.TB, s *mcp.ClientSession, tool string, args any) (blocks []string, isError bool) {
	t.Helper()
	return callWith(t, s, &mcp.CallToolParams{Name: tool, Arguments: args})
}

func callWith(t testing.TB, s *mcp.ClientSession, p *mcp.CallToolParams) (blocks []string, isError bool) {
	t.Helper()
	res, err := s.CallTool(context.Background(), p)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	for _, c := range res.Content {
		blocks = append(blocks, c.(*mcp.TextContent).Text)
	}
	if res.StructuredContent != nil {
		t.Errorf("%s: the answer has structured content, which hides its text from the model", p.Name)
	}
	return blocks, res.IsError
}

// mustCall is call for a call that must succeed.
func mustCall(t testing.TB, s *mcp.ClientSession, tool string, args any) []string {
	t.Helper()
	blocks, isError := call(t, s, tool, args)
	if isError {
		t.Fatalf("%s %v = %q, want no error", tool, args, blocks)
	}
	return blocks
}
