package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// What the reference memory server has stored comes with import --from mcp-memory, and is left as
// it is.
func TestImportFromMemoryServer(t *testing.T) {
	dir := t.TempDir()
	graph, db := filepath.Join(dir, "memory.jsonl"), filepath.Join(dir, "test.db")
	server := node(t, filepath.Join("node_modules", "@modelcontextprotocol", "server-memory", "dist", "index.js"))
	server.Env = append(server.Env, "MEMORY_FILE_PATH="+graph)
	session := connect(t, &mcp.CommandTransport{Command: server})
	use(t, session, "create_entities", m{"entities": []m{
		{"name": "Ada Lovelace", "entityType": "person", "observations": []string{"Writes \"notes\"\nlong ones"}},
		{"name": "Acme", "entityType": "company", "observations": []string{}},
	}})
	use(t, session, "create_relations", m{"relations": []m{{"from": "Ada Lovelace", "to": "Acme", "relationType": "works_at"}}})
	use(t, session, "add_observations", m{"observations": []m{{"entityName": "Acme", "contents": []string{"東京 \U0001f5fc"}}}})
	testkit.Must(t, session.Close())
	before := testkit.ReadFile(t, graph)
	t.Setenv("MEMORY_FILE_PATH", graph)
	for _, want := range []string{"2 new, 0 changed, 0 the same", "0 new, 0 changed, 2 the same"} {
		out := process.Run(t, scratchpadPath, "import", "--from", "mcp-memory", "--db", db, "--agent", "e2e")
		if !strings.Contains(out, want) {
			t.Errorf("import says %s, want %s", out, want)
		}
	}
	for path, want := range map[string]string{
		"Ada Lovelace.md": "# Ada Lovelace\n\nType: person\n\n## Observations\n\n- Writes \"notes\"\n  long ones\n\n## Relations\n\n- Ada Lovelace works_at Acme\n",
		"Acme.md":         "# Acme\n\nType: company\n\n## Observations\n\n- 東京 \U0001f5fc\n\n## Relations\n\n- Ada Lovelace works_at Acme\n",
	} {
		got := process.Run(t, scratchpadPath, "files", "cat", "mcp-memory/"+path, "--db", db, "--agent", "e2e")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if testkit.ReadFile(t, graph) != before {
		t.Error("the graph has changed")
	}
}
