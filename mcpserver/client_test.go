package mcpserver_test

import (
	"context"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
)

// connect runs the server over a pair of pipes, as over stdio, with a real client.
func connect(t testing.TB, s *mcpserver.Server) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ran := make(chan error, 1)
	go func() {
		err := s.Run(context.Background(), fromClient, toClient)
		toClient.Close()
		ran <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "1.2"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if err := <-ran; err != nil {
			t.Errorf("Run() = %v, want nil at the end of the input", err)
		}
	})
	return session
}
