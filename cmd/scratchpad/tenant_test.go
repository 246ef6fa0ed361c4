package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A server on standard input serves the agents of one tenant, bound to an agent or not.
func TestMCPTenant(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "test.db")
	type m = map[string]any
	for tenant, s := range map[string][]string{"local": nil, "acme": {"--tenant", "acme"}} {
		session := connect(t, append([]string{"mcp", "--db", db, "--agent", "a"}, s...)...)
		if got, isError := call(t, session, "write_file", m{"path": tenant + ".md", "content": "of " + tenant}); isError {
			t.Errorf("write_file of %s = %q", tenant, got)
		}
	}
	any := connect(t, "mcp", "--db", db, "--tenant", "acme")
	got, _ := call(t, any, "list_files", m{"agent_id": "a"})
	if text := strings.Join(got, "\n"); !strings.Contains(text, "acme.md") || strings.Contains(text, "local.md") {
		t.Errorf("list_files of acme = %q, want acme.md alone", got)
	}
	runCommand(t, dir, nil, "files", "ls", "--db", db, "--agent", "a").must(t, 0, "local.md")
}

// A write that raises the limit on versions stays in its tenant. So does an import.
func TestTenantRaisesVersions(t *testing.T) {
	dir := t.TempDir()
	in := []string{"SCRATCHPAD_TENANT=acme", "SCRATCHPAD_DB=" + filepath.Join(dir, "test.db")}
	file := filepath.Join(t.TempDir(), "plan.md")
	for n := range 12 {
		writeFile(t, file, fmt.Sprintln("plan", n))
		runCommand(t, dir, in, "files", "write", "plan.md", file, "--max-versions", "20").must(t, 0, fmt.Sprintf("version %d,", n+1))
	}
	writeFile(t, file, "plan again\n")
	runCommand(t, dir, in, "files", "write", "plan.md", file).must(t, 0, "version 13,")
	writeFile(t, file, "plan imported\n")
	runCommand(t, dir, in, "import", filepath.Dir(file)).must(t, 0, "version 14")
	runCommand(t, dir, in, "files", "ls", "--tenant", "local").must(t, 0, "no files")
}
