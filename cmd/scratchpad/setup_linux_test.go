package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// In a home folder that cannot be written, setup says so and changes nothing. The
// command runs without the rights of root, whom such a folder does not refuse.
func TestSetupReadOnlyHome(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	a.install(t, "cursor", "{}")
	a.install(t, "claude-code", "")
	a.variables = append(a.variables, nobodyVariable+"=1")
	for dir := filepath.Dir(a.home); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		testkit.Must(t, os.Chmod(dir, 0o755)) // another user may look
	}
	for _, dir := range []string{a.home, a.project, filepath.Join(a.home, ".cursor"), filepath.Join(a.home, ".claude")} {
		testkit.Must(t, os.Chmod(dir, 0o555))
		t.Cleanup(func() { os.Chmod(dir, 0o755) })
	}
	testkit.Must(t, os.Chmod(filepath.Join(a.home, ".cursor", "mcp.json"), 0o644))
	before := a.tree(t)
	a.run(t, "setup", "--dry-run").must(t, 0, "Nothing was changed.")
	a.run(t, "setup", "--yes").must(t, 1, "nothing was changed, because setup cannot write down what it does", a.home, "permission denied")
	a.mustBe(t, before, "a setup that failed")

	// With room for the journal alone, the program has no place.
	data, err := os.MkdirTemp("", "setup")
	testkit.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(data) })
	testkit.Must(t, os.Chmod(data, 0o777))
	a.variables = append(a.variables, "XDG_DATA_HOME="+data)
	a.run(t, "setup", "--yes").must(t, 1, "install the program at "+a.installed(), "permission denied; name another folder with --bin")
	a.mustBe(t, before, "a setup that failed")

	// The clients that cannot be edited are named.
	a.run(t, "setup", "--yes", "--bin", filepath.Join(data, "bin")).must(t, 1, "Claude Code: ", "Cursor: ", "permission denied")
	a.mustBe(t, before, "a setup that failed")
	a.run(t, "setup", "--undo").must(t, 0)
	a.mustBe(t, before, "--undo")
	if left := contents(t, data); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
