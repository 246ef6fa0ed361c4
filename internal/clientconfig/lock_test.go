package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

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
