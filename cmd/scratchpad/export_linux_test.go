package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A user with only read access can export. Without an id, the manifest has none.
func TestExportNoRights(t *testing.T) {
	testkit.SkipInShort(t)
	root, err := os.MkdirTemp("", "export")
	testkit.Must(t, err)
	dir, target := filepath.Join(root, "data"), filepath.Join(root, "target")
	path := filepath.Join(dir, "test.db")
	t.Cleanup(func() { os.Chmod(dir, 0o700); os.RemoveAll(root) })
	testkit.Must(t, errors.Join(os.Chmod(root, 0o755), os.Mkdir(dir, 0o700), os.Mkdir(target, 0o777), os.Chmod(target, 0o777)))
	makeDatabase(t, path)
	testkit.Must(t, errors.Join(os.Chmod(path, 0o444), os.Chmod(dir, 0o555)))
	before := contents(t, dir)
	memory := filepath.Join(target, "memory")
	runCommand(t, root, []string{nobodyVariable + "=1"}, "export", memory, "--db", path, "--agent", "alice").must(t, 0, "3 files")
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("the folder has changed (-before +after):\n%s", diff)
	}
	if manifest := testkit.ReadFile(t, filepath.Join(memory, "manifest.json")); strings.Contains(manifest, `"database"`) {
		t.Errorf("the manifest has an id: %s", manifest)
	}
}
