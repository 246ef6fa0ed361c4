package dbfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Preparing a database removes what an earlier attempt has left, and RemoveTemp leaves
// nothing behind.
func TestNewPart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	left := path + "-new-12-part"
	write(t, left, "")
	write(t, left+Log, "log")
	name, err := NewPart(path)
	testkit.Must(t, err)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the earlier attempt is still there: %v", err)
	}
	if info, err := os.Stat(name); err != nil || info.Size() != 0 || !strings.HasPrefix(name, path+"-new-") || !strings.HasSuffix(name, "-part") {
		t.Errorf("NewPart() = %s, %v, %v", name, info, err)
	}
	write(t, name+Log, "log")
	testkit.Must(t, RemoveTemp(name))
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("after RemoveTemp there are %v, %v", entries, err)
	}
}

// A leftover is recognised by its whole name. Nothing else is removed.
func TestIsPart(t *testing.T) {
	dir := t.TempDir()
	names := map[string]bool{
		"a.db-new-123-part": true, "a.db-new-0-part-wal": true, "a.db-new-1-part-shm": true, "a.db-new-1-part-journal": true,
		"a.db": false, "a.db-new-": false, "a.db-new-123": false, "a.db-new--part": false, "a.db-new-12x-part": false, "a.db-new-12-part-": false,
		"a.db-new-12-part-turn": false, "a.db-new-1-part-part": false, "b.db-new-1-part": false, "a.dbx-new-1-part": false,
	}
	for name := range names {
		write(t, filepath.Join(dir, name), "")
	}
	testkit.Must(t, os.Mkdir(filepath.Join(dir, "a.db-new-7-part"), 0o700))
	entries, err := os.ReadDir(dir)
	testkit.Must(t, err)
	for _, e := range entries {
		if got := isPart("a.db", e); got != names[e.Name()] {
			t.Errorf("isPart(%s) = %v, want %v", e.Name(), got, names[e.Name()])
		}
	}
}
