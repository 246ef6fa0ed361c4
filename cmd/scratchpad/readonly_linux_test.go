package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A command that only looks does not wait for a process that keeps the turn.
func TestLookTakesNoTurn(t *testing.T) {
	testkit.SkipInShort(t)
	path := filepath.Join(t.TempDir(), "test.db")
	makeDatabase(t, path)
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

// A user with only read access can look, and leaves nothing behind.
func TestLookNoRights(t *testing.T) {
	testkit.SkipInShort(t)
	root, path := protected(t, 0o555, 0o444)
	dir := filepath.Dir(path)
	before := contents(t, dir)
	lookAll(t, path, "alice", nobodyVariable+"=1")
	runCommand(t, root, []string{nobodyVariable + "=1"}, "verify", "--db", path).must(t, 0, "ok  ")
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("the folder has changed (-before +after):\n%s", diff)
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
