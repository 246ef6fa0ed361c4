package e2e

import (
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
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
