package sqlite

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A finished file never replaces another one, whatever the file system says of
// links, also where that one is made between the look and the link.
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
			if err := os.WriteFile(temp, []byte("backup"), 0o600); err != nil {
				t.Fatal(err)
			}
			err := giveName(func(from, to string) error {
				if c.taken {
					if err := os.WriteFile(to, []byte("precious"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if c.err != nil {
					return &os.LinkError{Op: "link", Old: from, New: to, Err: c.err}
				}
				return os.Link(from, to)
			}, temp, file)
			if (err == nil) != (c.want == "backup") || err != nil && !errors.Is(err, workspace.ErrInvalid) {
				t.Errorf("giveName() = %v; the file is to hold %q", err, c.want)
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
