package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// If something in place of the lock file cannot be opened, the error names it. No link
// is followed.
func TestLockLeft(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows waits for a name to become free")
	}
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	for name, leave := range map[string]func(lock string) error{
		"folder": func(lock string) error { return os.Mkdir(lock, 0o755) },
		"link":   func(lock string) error { return os.Symlink(target, lock) },
	} {
		lock := filepath.Join(dir, "."+name+".scratchpad-lock")
		testkit.Must(t, leave(lock))
		if _, err := lockBeside(filepath.Join(dir, name)); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), lock) {
			t.Errorf("%s: %v, want an error that names %s", name, err, lock)
		}
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
}

// Only in a folder that cannot be written is no lock needed.
func TestWithoutLock(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock")
	if err := withoutLock(lock, fs.ErrPermission); err != nil {
		t.Errorf("in a folder that cannot be written: %v", err)
	}
	if err := withoutLock(lock, errors.New("too many open files")); err == nil {
		t.Error("another trouble means that there is no lock")
	}
	write(t, lock, "")
	if err := withoutLock(lock, fs.ErrPermission); !errors.Is(err, ErrInvalid) {
		t.Errorf("a lock that cannot be opened: %v, want %v", err, ErrInvalid)
	}
}

// One caller at a time has the lock.
func TestLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mcp.json")
	unlock, err := lockBeside(file)
	testkit.Must(t, err)
	done := make(chan error)
	go func() {
		second, err := lockBeside(file)
		if err == nil {
			second()
		}
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("two have the lock: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	unlock()
	testkit.Must(t, <-done)
}
