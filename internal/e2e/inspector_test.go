package e2e

import (
	"bytes"
	"path/filepath"
	"testing"
)

// The Inspector finds in the schemas of the tools no form that some clients do not accept.
func TestInspectorStrict(t *testing.T) {
	t.Parallel()
	script := filepath.Join("node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	cmd := node(t, script, "--cli", "--server-url", overHTTP(t).url, "--transport", "http", "--protocol-era", "modern",
		"--format", "json", "--quiet", "--method", "tools/list", "--strict")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil || said.Len() > 0 {
		t.Errorf("%v, want no error and no word:\n%s", err, &said)
	}
}
