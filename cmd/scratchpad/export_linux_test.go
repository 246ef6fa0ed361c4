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
	root, path := protected(t, 0o555, 0o444)
	dir, target := filepath.Dir(path), filepath.Join(root, "target")
	testkit.Must(t, errors.Join(os.Mkdir(target, 0o777), os.Chmod(target, 0o777)))
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
