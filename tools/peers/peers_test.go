package main

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestScratchpad measures the program of this tree for one round.
func TestScratchpad(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read from /proc")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "scratchpad")
	if err := command("go", "-C", "../..", "build", "-o", program, "./cmd/scratchpad"); err != nil {
		t.Fatal(err)
	}
	f, err := measure(t.Context(), peers(program, dir)[0], dir)
	if err != nil {
		t.Fatal(err)
	}
	if f[0] <= 0 || f[1] <= 0 || f[2] <= 0 || f[3] > 100 || f[4] > 150 || f[5] != 2*adds || f[6] != 2*adds {
		t.Errorf("got %v, want a start, a memory, few tokens and %d lines", f, 2*adds)
	}
}

// TestLostLines measures a server that confirms every line and keeps half of them.
func TestLostLines(t *testing.T) {
	type args struct {
		Line string `json:"line"`
	}
	var note []string
	calls := 0
	server := mcp.NewServer(&mcp.Implementation{Name: "lossy", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add"},
		func(_ context.Context, _ *mcp.CallToolRequest, in args) (*mcp.CallToolResult, any, error) {
			if calls++; calls%2 == 0 { // one client calls, one call at a time
				note = append(note, in.Line)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "added"}}}, nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "read"},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Join(note, "\n")}}}, nil, nil
		})
	in, out := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), in, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "peers", Version: "1"}, nil).Connect(t.Context(), out, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	lossy := peer{add: func(line string) call { return call{"add", map[string]any{"line": line}} }, read: call{tool: "read"}}
	confirmed, kept, err := together(t.Context(), lossy, session)
	if err != nil || confirmed != adds || kept != adds/2 {
		t.Errorf("%d confirmed, %d kept, %v, want %d and %d", confirmed, kept, err, adds, adds/2)
	}
}
