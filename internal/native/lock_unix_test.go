//go:build unix

package native_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A lock is no link, pipe or folder that somebody has put in its place. Nothing is made
// behind a link.
func TestTryLockOpensNoLink(t *testing.T) {
	dir := t.TempDir()
	victim, absent := filepath.Join(dir, "victim"), filepath.Join(dir, "absent")
	testkit.Must(t, os.WriteFile(victim, []byte("x"), 0o600))
	for what, put := range map[string]func(name string) error{
		"link":          func(name string) error { return os.Symlink(victim, name) },
		"dangling link": func(name string) error { return os.Symlink(absent, name) },
		"hard link":     func(name string) error { return os.Link(victim, name) },
		"pipe":          func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"folder":        func(name string) error { return os.Mkdir(name, 0o700) },
		"device":        func(name string) error { return os.Symlink("/dev/null", name) },
	} {
		name := filepath.Join(dir, what)
		testkit.Must(t, put(name))
		unlock, held, err := native.TryLock(name)
		if unlock(); held || !errors.Is(err, native.ErrNotOwn) {
			t.Errorf("%s: held %v, %v, want ErrNotOwn", what, held, err)
		}
	}
	if _, err := os.Lstat(absent); err == nil {
		t.Error("a file was made behind the link")
	}
}
