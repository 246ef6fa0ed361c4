package dbfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A finished file never replaces another one, whether the file system knows links or not,
// also if the other one is made a moment before.
func TestGiveName(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error // of the link
		taken bool  // by the time of the link
		want  string
	}{
		{"Links", nil, false, "backup"},
		{"LinksTaken", nil, true, "precious"},
		{"EPERM", syscall.EPERM, false, "backup"},
		{"EPERMTaken", syscall.EPERM, true, "precious"},
		{"ENOTSUPTaken", errors.ErrUnsupported, true, "precious"},
		{"ENOTSUP", errors.ErrUnsupported, false, "backup"},
		{"EIO", syscall.EIO, false, ""},
		{"EIOTaken", syscall.EIO, true, "precious"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			temp, file := filepath.Join(dir, "temp"), filepath.Join(dir, "copy.db")
			testkit.Must(t, os.WriteFile(temp, []byte("backup"), 0o600))
			err := giveName(func(from, to string) error {
				if c.taken {
					testkit.Must(t, os.WriteFile(to, []byte("precious"), 0o600))
				}
				if c.err != nil {
					return &os.LinkError{Op: "link", Old: from, New: to, Err: c.err}
				}
				return os.Link(from, to)
			}, temp, file)
			if (err == nil) != (c.want == "backup") || err != nil && !errors.Is(err, store.ErrInvalid) {
				t.Errorf("giveName() = %v; the file is to hold %q", err, c.want)
			}
			if _, gone := os.Lstat(temp); err == nil && !errors.Is(gone, os.ErrNotExist) {
				t.Error("the file has its old name too")
			}
			if got, err := os.ReadFile(file); string(got) != c.want || c.want != "" && err != nil {
				t.Errorf("the file holds %q, %v; want %q", got, err, c.want)
			}
		})
	}
	if noLinks(io.EOF) || noLinks(&os.LinkError{Err: syscall.ENOSPC}) {
		t.Error("noLinks() is true of another error")
	}
}

// A copy takes the first free name. A file that is the same is taken as the copy.
func TestGiveFreeName(t *testing.T) {
	stem := filepath.Join(t.TempDir(), "a.db-backup")
	give := func(content, want string) {
		t.Helper()
		write(t, stem+".temp", content)
		if name, err := GiveFreeName(stem+".temp", stem); err != nil || name != stem+want {
			t.Errorf("GiveFreeName(%q) = %s, %v, want %s", content, name, err, stem+want)
		}
	}
	give("one", "")
	give("one", "")
	give("two", "-2")
	write(t, stem+"-3"+Log, "of another database")
	give("three", "-4")
	for name, want := range map[string]string{"": "one", "-2": "two", "-4": "three"} {
		if got := testkit.ReadFile(t, stem+name); got != want {
			t.Errorf("%s holds %q, want %q", stem+name, got, want)
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
