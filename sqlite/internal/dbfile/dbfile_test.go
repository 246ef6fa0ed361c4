package dbfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A finished file never replaces another one, and has no second name.
func TestGiveName(t *testing.T) {
	for what, move := range map[string]func(from, to string) error{"at once": moveNew, "claim": claim} {
		for _, taken := range []bool{false, true} {
			dir := t.TempDir()
			temp, file, want := filepath.Join(dir, "temp"), filepath.Join(dir, "copy.db"), "backup"
			write(t, temp, "backup")
			if taken {
				want = "precious"
				write(t, file, want)
			}
			if err := move(temp, file); (err == nil) == taken || taken && !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s, taken %v: %v", what, taken, err)
			}
			if _, gone := os.Lstat(temp); !taken && !errors.Is(gone, fs.ErrNotExist) {
				t.Errorf("%s: the file has its old name too", what)
			}
			if got := testkit.ReadFile(t, file); got != want {
				t.Errorf("%s, taken %v: the file holds %q, want %q", what, taken, got, want)
			}
		}
	}
}

// A new database replaces an empty file, and no other.
func TestGiveDatabaseName(t *testing.T) {
	for before, want := range map[string]string{"": "new", "old": "old"} {
		path := filepath.Join(t.TempDir(), "a.db")
		write(t, path, before)
		write(t, path+".temp", "new")
		err := GiveDatabaseName(path+".temp", path)
		if got := testkit.ReadFile(t, path); got != want || (err == nil) != (want == "new") {
			t.Errorf("over %q, GiveDatabaseName() = %v, and the file holds %q, want %q", before, err, got, want)
		}
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(name, []byte(content), 0o600))
}

// An error that is wrapped keeps its kind, and Plain leaves out its words.
func TestPlain(t *testing.T) {
	err := Wrap(WithKind(&os.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}), "open %s", "b")
	const text = "open b: write a: no space left on device"
	if got := Plain(err); got != text || err.Error() != text+": storage full" || store.Kind(err) != store.ErrStorageFull {
		t.Errorf("%v, plain %q, want %q and its kind", err, got, text)
	}
}
