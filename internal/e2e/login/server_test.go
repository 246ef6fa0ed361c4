package login

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

var scratchpadPath string // the real binary

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if scratchpadPath, err = process.Build(filepath.Join("..", "..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, "login:", err)
		return 1
	}
	return m.Run()
}

// newResource returns a URL for MCP at which nobody listens yet.
func newResource(t *testing.T) string {
	t.Helper()
	return "http://" + process.FreeAddress(t) + "/mcp"
}

// serve starts scratchpad serve at a URL, for the tokens of an issuer.
func serve(t *testing.T, url, issuer, audience string) {
	t.Helper()
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	got := process.Serve(t, scratchpadPath, "--addr", address, "--db", filepath.Join(t.TempDir(), "test.db"), "--oauth-issuer", issuer, "--oauth-audience", audience)
	if got != url {
		t.Fatalf("the server is at %s, want %s", got, url)
	}
}
