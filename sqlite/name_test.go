package sqlite_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Databases in one folder never touch one another's files, whatever their names are. A
// name that could be that of another one's side file is refused.
func TestNamesSideBySide(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	dir := t.TempDir()
	neighbours := []string{"mem-new", "mem.db", "mem-new-1", "mem-backup"}
	for _, name := range neighbours {
		writeOnce(t, open(t, filepath.Join(dir, name)), name)
	}
	writeOnce(t, open(t, filepath.Join(dir, "mem")), "mem")
	for _, name := range neighbours {
		ws := workspaceOn(t, open(t, filepath.Join(dir, name)), "a")
		if r, err := ws.ReadFile(t.Context(), "f", workspace.ReadOptions{}); err != nil || string(r.Content) != name {
			t.Errorf("%s after others were opened: %q, %v, want what was written", name, r.Content, err)
		}
	}
	for _, name := range []string{"mem-wal", "mem-shm", "mem-journal", "mem-turn", "mem-write", "mem-reserve"} {
		if _, err := sqlite.Open(t.Context(), filepath.Join(dir, name), sqlite.Options{}); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Open(%s) = %v, want ErrInvalid", name, err)
		}
		err := open(t, filepath.Join(dir, "mem")).Backup(t.Context(), filepath.Join(dir, name), sqlite.BackupOptions{})
		if !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Backup(%s) = %v, want ErrInvalid", name, err)
		}
	}
}

func writeOnce(t testing.TB, s *sqlite.Store, content string) {
	t.Helper()
	if _, err := workspaceOn(t, s, "a").WriteFile(t.Context(), "f", []byte(content), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	testkit.Must(t, s.Close())
}
