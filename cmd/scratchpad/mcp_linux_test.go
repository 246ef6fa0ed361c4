package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// If the server can only read the database, it says so once and serves reads. Each
// write is refused with the reason, and nothing changes.
func TestMCPReadOnly(t *testing.T) {
	testkit.SkipInShort(t)
	t.Run("Folder", func(t *testing.T) {
		_, path := protected(t, 0o555, 0o666)
		mustServeReads(t, path, "may not write in its folder")
	})
	t.Run("FileSystem", func(t *testing.T) {
		_, path := protected(t, 0o777, 0o666)
		dir := filepath.Dir(path)
		mountTmpfs(t, dir)
		makeDatabase(t, path)
		testkit.Must(t, errors.Join(os.Chmod(path, 0o666), os.Chmod(dir, 0o777), syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")))
		mustServeReads(t, path, "read-only file system")
	})
}

func mountTmpfs(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mounts a tmpfs, needs root")
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// mustServeReads reads and writes by a server without the rights of root, which says why
// nothing can be stored.
func mustServeReads(t *testing.T, path, say string) {
	t.Helper()
	before := contents(t, filepath.Dir(path))
	var said bytes.Buffer
	s := connectTo(t, &said, []string{nobodyVariable + "=1"}, "mcp", "--db", path, "--agent", "alice")
	type m = map[string]any
	for range 2 {
		got, isError := call(t, s, "read_file", m{"path": "plan.md"})
		if isError || !strings.Contains(strings.Join(got, "\n"), "a text that can be found again") {
			t.Errorf("read_file = %q; want the content", got)
		}
		got, isError = call(t, s, "write_file", m{"path": "plan.md", "content": "new"})
		if !isError || !strings.Contains(got[0], "open for reading only, nothing is stored; ask the operator to make it writable") {
			t.Errorf("write_file = %q; want an error that says why", got)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("the server ended with %v: %s", err, said.String())
	}
	if strings.Count(said.String(), "nothing can be stored") != 1 || !strings.Contains(said.String(), say) {
		t.Errorf("standard error = %q; want once that nothing can be stored, and %q", said.String(), say)
	}
	if diff := cmp.Diff(before, contents(t, filepath.Dir(path))); diff != "" {
		t.Errorf("the folder has changed (-before +after):\n%s", diff)
	}
}

// If the disk is too full to migrate a database of an older schema, the server serves
// reads of it as it is.
func TestMCPFullDisk(t *testing.T) {
	testkit.SkipInShort(t)
	dir := filepath.Join(t.TempDir(), "disk")
	testkit.Must(t, os.Mkdir(dir, 0o700))
	mountTmpfs(t, dir)
	original, err := os.ReadFile(filepath.Join("..", "..", "sqlite", "testdata", "past", "schema2.db"))
	testkit.Must(t, err)
	path := filepath.Join(dir, "old.db")
	testkit.Must(t, errors.Join(os.WriteFile(path, original, 0o600), syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=160k")))
	var said bytes.Buffer
	s := connectTo(t, &said, nil, "mcp", "--db", path, "--agent", "files")
	if got, isError := call(t, s, "read_file", map[string]any{"path": "back.md"}); isError || !strings.Contains(strings.Join(got, "\n"), "again") {
		t.Errorf("read_file = %q; want the content", got)
	}
	if err := s.Close(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if !strings.Contains(said.String(), "nothing can be stored") || !strings.Contains(said.String(), "the disk is full") {
		t.Errorf("standard error = %q; want that the disk is full, and that nothing can be stored", said.String())
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, original) {
		t.Errorf("the database has changed: %v", err)
	}
}

// A backup to a full disk fails with the reason and leaves nothing behind.
func TestBackupFullDisk(t *testing.T) {
	testkit.SkipInShort(t)
	root := t.TempDir()
	path := filepath.Join(root, "test.db")
	makeDatabase(t, path)
	dir := filepath.Join(root, "disk")
	testkit.Must(t, os.Mkdir(dir, 0o700))
	mountTmpfs(t, dir)
	testkit.Must(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=64k"))
	runCommand(t, root, nil, "backup", "--db", path, "disk/copy.db").must(t, failure.ExitDatabase, "copy.db: the disk is full; make room on it")
	if left := contents(t, dir); len(left) != 0 {
		t.Errorf("the backup has left %v", left)
	}
}
