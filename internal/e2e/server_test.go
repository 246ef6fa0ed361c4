package e2e

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A target is a server that one client talks to, over stdio or over HTTP.
type target struct {
	command []string // stdio: starts the binary
	url     string   // HTTP
	key     string   // HTTP: "" if the server wants none
}

// overStdio returns the real binary on a new database.
func overStdio(t *testing.T) *target {
	t.Helper()
	return &target{command: []string{scratchpadPath, "mcp", "--db", filepath.Join(t.TempDir(), "test.db"), "--summarizer", "outline"}}
}

// overHTTP starts the real binary on loopback, on a new database.
func overHTTP(t *testing.T) *target {
	t.Helper()
	return &target{url: process.Serve(t, scratchpadPath, "--db", filepath.Join(t.TempDir(), "test.db"),
		"--no-auth", "--rate", "0", "--rate-agent", "0", "--summarizer", "outline", "--max-read-tokens", "0")}
}

// connect connects a client of the go-sdk, and closes its session at the end of the test.
func connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "other-editor", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	testkit.Must(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

func streamable(url string, web *http.Client) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: web, MaxRetries: -1}
}

// use calls a tool, which must succeed.
func use(t *testing.T, session *mcp.ClientSession, tool string, arguments m) {
	t.Helper()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || got.IsError {
		t.Fatalf("%s: %v, %+v", tool, err, got)
	}
}
