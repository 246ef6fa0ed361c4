package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A command that only looks does not wait for a process that keeps the turn.
func TestLookTakesNoTurn(t *testing.T) {
	_, path := newDatabase(t)
	done := make(chan struct{})
	t.Cleanup(func() { <-done }) // when the turn is free
	holdTurn(t, path)
	go func() {
		defer close(done)
		lookAll(t, path, "alice")
	}()
	select {
	case <-done:
	case <-time.After(waitPatience):
		t.Fatal("a command that looks waits for the turn")
	}
}

// A user with only read access can look and export, and leaves nothing behind. Without an id, the
// manifest has none.
func TestLookNoRights(t *testing.T) {
	root, path := protected(t, 0o555, 0o444)
	dir, target := filepath.Dir(path), filepath.Join(root, "target")
	testkit.Must(t, errors.Join(os.Mkdir(target, 0o777), os.Chmod(target, 0o777)))
	check, memory := unchanged(t, dir), filepath.Join(target, "memory")
	lookAll(t, path, "alice", nobodyVariable+"=1")
	runCommand(t, root, []string{nobodyVariable + "=1"}, "verify", "--db", path).must(t, 0, "ok  ")
	runCommand(t, root, []string{nobodyVariable + "=1"}, "export", memory, "--db", path, "--agent", "alice").must(t, 0, "3 files")
	check()
	if manifest := testkit.ReadFile(t, filepath.Join(memory, "manifest.json")); strings.Contains(manifest, `"database"`) {
		t.Errorf("the manifest has an id: %s", manifest)
	}
}

// protected returns a database whose folder and file have other modes than usual, in a folder
// that another user may enter.
func protected(t *testing.T, folder, file os.FileMode) (root, path string) {
	t.Helper()
	root, err := os.MkdirTemp("", "protected")
	testkit.Must(t, err)
	dir := filepath.Join(root, "data")
	path = filepath.Join(dir, "test.db")
	t.Cleanup(func() { os.Chmod(dir, 0o700); os.RemoveAll(root) })
	testkit.Must(t, errors.Join(os.Chmod(root, 0o755), os.Mkdir(dir, 0o700)))
	makeDatabase(t, path)
	testkit.Must(t, errors.Join(os.Chmod(path, file), os.Chmod(dir, folder)))
	return root, path
}

// If the server can only read the database, it says so once and serves reads. Each
// write is refused with the reason, and nothing changes.
func TestMCPReadOnly(t *testing.T) {
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
	check := unchanged(t, filepath.Dir(path))
	var said bytes.Buffer
	s := connectTo(t, &said, []string{nobodyVariable + "=1"}, "mcp", "--db", path, "--agent", "alice")
	for range 2 {
		wantCall(t, s, "read_file", object{"path": "plan.md"}, "a text that can be found again")
		wantCall(t, s, "write_file", object{"path": "plan.md", "content": "new"}, "!open for reading only, nothing is stored; ask the operator to make it writable")
	}
	if err := s.Close(); err != nil {
		t.Errorf("the server ended with %v: %s", err, said.String())
	}
	if strings.Count(said.String(), "nothing can be stored") != 1 || !strings.Contains(said.String(), say) {
		t.Errorf("standard error = %q; want once that nothing can be stored, and %q", said.String(), say)
	}
	check()
}

// If the disk is too full to migrate a database of an older schema, the server serves
// reads of it as it is.
func TestMCPFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "disk")
	testkit.Must(t, os.Mkdir(dir, 0o700))
	mountTmpfs(t, dir)
	original := testkit.Unpack(t, "../../sqlite/testdata/past/schema2.db.gz")
	path := filepath.Join(dir, "old.db")
	testkit.Must(t, errors.Join(os.WriteFile(path, []byte(original), 0o600), syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=160k")))
	var said bytes.Buffer
	s := connectTo(t, &said, nil, "mcp", "--db", path, "--agent", "files")
	wantCall(t, s, "read_file", object{"path": "back.md"}, "again")
	if err := s.Close(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if !strings.Contains(said.String(), "nothing can be stored") || !strings.Contains(said.String(), "the disk is full") {
		t.Errorf("standard error = %q; want that the disk is full, and that nothing can be stored", said.String())
	}
	if testkit.ReadFile(t, path) != original {
		t.Error("the database has changed")
	}
}

// In a home folder that cannot be written, setup says so and changes nothing. The
// command runs without the rights of root, whom such a folder does not refuse.
func TestSetupReadOnlyHome(t *testing.T) {
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
	before := contents(t, a.home)
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
	a.run(t, "setup", "--undo", "--yes").must(t, 0)
	a.mustBe(t, before, "--undo")
	if left := withoutFolders(contents(t, data)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
