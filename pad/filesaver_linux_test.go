package pad_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// A limit on the size of files takes the place of a full disk.
func TestFileSaverFullDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pad.json")
	p := filePad(t, path)
	testkit.Must(t, p.Set("a", 1))
	testkit.Must(t, p.Save(t.Context()))
	before, err := os.ReadFile(path)
	testkit.Must(t, err)
	testkit.Must(t, p.Set("b", strings.Repeat("x", 1<<20)))
	var limit syscall.Rlimit
	testkit.Must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	testkit.Must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 16, Max: limit.Max}))
	err = p.Save(t.Context())
	testkit.Must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	if !errors.Is(err, pad.ErrPersist) || !errors.Is(err, syscall.EFBIG) {
		t.Errorf("Save() = %v, want ErrPersist and EFBIG", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file has changed: %v", err)
	}
	onlyFiles(t, dir, "pad.json")
	testkit.Must(t, p.Save(t.Context()))
}
