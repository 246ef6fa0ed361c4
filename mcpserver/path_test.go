package mcpserver_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A path has one URI: only what a client escapes is decoded.
func TestUnicodeURIs(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t, workspace.Options{Paths: workspace.UnicodePaths})
	for _, path := range []string{"notes/a b", "é", "x"} {
		must(agentOf(t, svc, "a").WriteFile(t.Context(), path, []byte("text"), workspace.WriteOptions{}))(t)
	}
	s := connect(t, newServerOn(t, svc, "a"))
	for uri, found := range map[string]bool{
		"scratchpad://a/notes/a%20b": true, "scratchpad://a/%C3%A9": true, "scratchpad://a/%c3%a9": true, "scratchpad://a/e%CC%81": true,
		"scratchpad://a/notes%2Fa%20b": false, "scratchpad://a/%78": false, "scratchpad://a/notes/a+b": false, "scratchpad://a/notes/a%2520b": false,
		"scratchpad://a/notes/../x": false, "scratchpad://a/notes/%2e%2e/x": false, "scratchpad://a/%C3": false, "scratchpad://a/x%": false,
		"scratchpad://a/x%2": false, "scratchpad://a/%20x": false, "scratchpad://a/x%00": false, "scratchpad://%61/x": false,
		"scratchpad://a/%EF%BD%98": false, "scratchpad://a/x%E2%80%8B": false,
	} {
		res, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if (err == nil) != found || found && res.Contents[0].Text != "text" {
			t.Errorf("ReadResource(%s) = %+v, %v, want it found: %t", uri, res, err, found)
		}
	}
}
