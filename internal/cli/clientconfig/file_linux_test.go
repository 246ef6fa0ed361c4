package clientconfig

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A file that is none, or is huge, is refused at once.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, device, huge := filepath.Join(dir, "pipe"), filepath.Join(dir, "device"), filepath.Join(dir, "huge")
	testkit.Must(t, errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", device), os.WriteFile(huge, nil, 0o600), os.Truncate(huge, maxFile+1)))
	claude, _ := Find("claude-code")
	for _, name := range []string{pipe, device, huge, dir} {
		change := claude.AddServer(name, "s", Server{Command: "x"})
		if _, err := change.Preview(); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Preview of %s: %v", name, err)
		}
		if _, err := claude.ReadEntry(name, "s"); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("ReadEntry of %s: %v", name, err)
		}
	}
}
