package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// If a file beside the database is a link, or belongs to somebody else, Open fails.
// Nothing in the folder or behind the link changes.
func TestOpenRefusesSideFiles(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, end := range []string{"-turn", "-write", "-reserve"} {
		for _, c := range []struct {
			name, say string
			make      func(t *testing.T, name, precious string)
		}{
			{"Symlink", "is a symbolic link", func(t *testing.T, name, precious string) { link(t, precious, name) }},
			{"SymlinkToNothing", "is a symbolic link", func(t *testing.T, name, precious string) { link(t, precious+".none", name) }},
			{"HardLink", "has 2 names", func(t *testing.T, name, precious string) { testkit.Must(t, os.Link(precious, name)) }},
			{"Folder", "is not a regular file", func(t *testing.T, name, _ string) { testkit.Must(t, os.Mkdir(name, 0o700)) }},
			{"Pipe", "is not a regular file", func(t *testing.T, name, _ string) { testkit.Must(t, syscall.Mkfifo(name, 0o600)) }},
			{"OtherUser", "belongs to another user", func(t *testing.T, name, _ string) {
				needRoot(t, "gives a file to another user")
				write(t, name, nil)
				testkit.Must(t, os.Chown(name, 12345, 12345))
			}},
		} {
			for _, isNew := range []bool{true, false} {
				t.Run(strings.TrimPrefix(end, "-")+c.name+map[bool]string{true: "New"}[isNew], func(t *testing.T) {
					dir := t.TempDir()
					path, precious := filepath.Join(dir, "a.db"), filepath.Join(dir, "precious")
					write(t, precious, []byte("of somebody else"))
					if !isNew {
						ours(t, path)
					}
					c.make(t, path+end, precious)
					for _, name := range []string{"-turn", "-write"} { // which are made on the way
						if name != end {
							write(t, path+name, nil)
						}
					}
					mustRefuse(t, path, store.ErrInvalid, filepath.Base(path)+end+" "+c.say)
				})
			}
		}
	}
}

// Open also refuses a link in the place of one of SQLite's own files.
func TestOpenRefusesLinkedLogs(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		t.Run(strings.TrimPrefix(end, "-"), func(t *testing.T) {
			dir := t.TempDir()
			path, precious := filepath.Join(dir, "a.db"), filepath.Join(dir, "precious")
			write(t, precious, []byte("of somebody else"))
			ours(t, path)
			link(t, precious, path+end)
			mustRefuse(t, path, store.ErrInvalid, filepath.Base(path)+end+" is a symbolic link")
		})
	}
}

// Root may work on the database of another user: it accepts the side files of the
// database's owner.
func TestOpenSideFilesOfOwner(t *testing.T) {
	t.Parallel()
	needRoot(t, "gives files to another user")
	path := filepath.Join(t.TempDir(), "a.db")
	testkit.Must(t, open(t, path).Close())
	for _, name := range sqlite.Files(path) {
		if err := os.Chown(name, 12345, 12345); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	put(t, workspaceOn(t, open(t, path), "alice"), "new")
}

// The side files that root makes beside the database of another user belong to that
// user.
func TestSideFilesMadeByRoot(t *testing.T) {
	t.Parallel()
	needRoot(t, "gives files to another user")
	path := filepath.Join(t.TempDir(), "a.db")
	testkit.Must(t, open(t, path).Close())
	for _, name := range sqlite.Files(path)[1:] {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	testkit.Must(t, os.Chown(path, 12345, 12345))
	testkit.Must(t, open(t, path).Close())
	for _, end := range []string{"-turn", "-write", "-reserve"} {
		info, err := os.Stat(path + end)
		testkit.Must(t, err)
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid != 12345 {
			t.Errorf("%s belongs to user %d, want the owner of the database", end, uid)
		}
	}
}
