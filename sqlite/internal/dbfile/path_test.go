package dbfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func write(t *testing.T, name, content string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(name, []byte(content), 0o600))
}

func TestCheckName(t *testing.T) {
	dir := t.TempDir()
	for name, ok := range map[string]bool{
		"a.db": true, "a-new-1": true, "a-part": true, "a-walk": true,
		"a-wal": false, "a-shm": false, "a-journal": false, "a-turn": false, "a-write": false, "a-reserve": false,
		"a-new-1-part": false, "none/a.db": false,
	} {
		if err := CheckName(filepath.Join(dir, name)); (err == nil) != ok || err != nil && !errors.Is(err, workspace.ErrInvalid) {
			t.Errorf("CheckName(%s) = %v; the name is good: %v", name, err, ok)
		}
	}
}

func TestIsNew(t *testing.T) {
	for _, c := range []struct {
		name, db, log string // "-": there is no such file
		want          bool
		err           error
	}{
		{"Nothing", "-", "-", true, nil},
		{"Empty", "", "-", true, nil},
		{"EmptyWithEmptyLog", "", "", true, nil},
		{"Database", "db", "log", false, nil},
		{"LogAlone", "-", "log", false, workspace.ErrCorrupt},
		{"EmptyWithLog", "", "log", false, workspace.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			if c.db != "-" {
				write(t, path, c.db)
			}
			if c.log != "-" {
				write(t, path+Log, c.log)
			}
			if got, err := IsNew(path); got != c.want || !errors.Is(err, c.err) {
				t.Errorf("IsNew() = %v, %v, want %v, %v", got, err, c.want, c.err)
			}
			if whole := c.log == "-" || c.log == ""; IsWhole(path) != whole {
				t.Errorf("IsWhole() = %v, want %v", !whole, whole)
			}
		})
	}
	if _, err := IsNew(t.TempDir()); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("IsNew of a folder = %v, want ErrInvalid", err)
	}
}
