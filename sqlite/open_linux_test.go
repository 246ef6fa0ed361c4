package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const nobody = 65534

func init() {
	roles["open-modes"] = openModes
	roles["open-nobody"] = openAsNobody
	roles["look-nobody"] = lookAsNobody
}

// openModes checks that only the owner may read and write the files of a database,
// whatever the umask is.
func openModes(args []string) error {
	syscall.Umask(0)
	s, ws, err := openAgent(args[0], "alice", workspace.Limits{})
	if err != nil {
		return err
	}
	if _, err := ws.WriteFile(context.Background(), "plan.md", []byte("text"), workspace.WriteOptions{}); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-turn", "-write", "-reserve"} {
		info, err := os.Stat(args[0] + suffix)
		if err != nil {
			return err
		}
		if info.Mode() != 0o600 {
			return fmt.Errorf("%s has mode %v, want 0600", info.Name(), info.Mode())
		}
	}
	return s.Close()
}

func TestFilesHaveMode0600(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.db")
	testkit.Must(t, os.WriteFile(empty, nil, 0o600))
	for _, path := range []string{empty, filepath.Join(t.TempDir(), "new.db")} {
		if err := roleCommand(t.Context(), "open-modes", path).Run(); err != nil {
			t.Error(path, err)
		}
	}
}

// openAsNobody opens a database without the rights of root, reads and writes, and
// prints the outcome.
func openAsNobody(args []string) error {
	if err := becomeNobody(); err != nil {
		return err
	}
	ctx := context.Background()
	s, ws, err := openAgent(args[0], "alice", workspace.Limits{})
	if err != nil {
		fmt.Println(hasKind(err), err)
		return nil
	}
	if r, err := ws.ReadFile(ctx, "plan.md", workspace.ReadOptions{}); err != nil || string(r.Content) != "text" {
		return fmt.Errorf("ReadFile = %q, %w", r.Content, err)
	}
	_, err = ws.WriteFile(ctx, "other.md", nil, workspace.WriteOptions{})
	switch {
	case err == nil:
		fmt.Println("written")
	case errors.Is(err, store.ErrReadOnly):
		fmt.Println("read-only")
	default:
		return err
	}
	return s.Close()
}

func becomeNobody() error {
	if os.Getuid() != 0 {
		return nil
	}
	return errors.Join(syscall.Setgroups(nil), syscall.Setresgid(nobody, nobody, nobody), syscall.Setresuid(nobody, nobody, nobody))
}

// lookAsNobody opens a database for reading, without the rights of root, and prints
// what a file holds, once more for each line that it hears. Then it verifies the
// database.
func lookAsNobody(args []string) error {
	if err := becomeNobody(); err != nil {
		return err
	}
	ctx := context.Background()
	s, err := sqlite.OpenReadOnly(ctx, args[0], quiet)
	if err != nil {
		tell("%v %v", hasKind(err), err)
		return nil
	}
	look := func() {
		err := s.View(ctx, store.Owner{Tenant: "local", Agent: "alice"}, func(r store.Reader) error {
			l, err := r.Load(store.Query{File: "plan.md", Current: true})
			tell("%s", l.Version.Content)
			return err
		})
		if err != nil {
			tell("%v", err)
		}
	}
	look()
	for range hear() {
		look()
	}
	report, err := s.Verify(ctx, sqlite.VerifyOptions{})
	if err == nil && report.Problems != nil {
		err = errors.New(report.Problems[0])
	}
	return errors.Join(err, s.Close())
}

// In a folder that nobody may write in, a database without a log can be read, and later
// writes of a neighbour are seen.
func TestLookInReadOnlyFolder(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	path, before := nobodysDatabase(t, 0o555, 0o644)
	c := startChild(t, "look-nobody", path)
	c.expect(t, "text")
	mustKeep(t, path, before)
	if os.Getuid() == 0 { // whom the folder's mode does not bind
		ws := workspaceOn(t, open(t, path), "alice")
		for i := range 6 { // more than there are connections
			text := fmt.Sprint("text ", i)
			testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "plan.md", []byte(text), workspace.WriteOptions{})))
			c.say(t, "look")
			c.expect(t, text)
		}
	}
	c.finish(t)
}

func TestLookInReadOnlyFolderWithLog(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, end := range []string{"-wal", "-journal"} {
		path, _ := nobodysDatabase(t, 0o755, 0o644)
		write(t, path+end, []byte("a part of the database"))
		testkit.Must(t, os.Chmod(filepath.Dir(path), 0o555))
		c := startChild(t, "look-nobody", path)
		if said := c.next(t); !strings.HasPrefix(said, "true open "+path) {
			t.Errorf("OpenReadOnly beside a %s said %q, want an error with a kind", end, said)
		}
		c.finish(t)
	}
}

// If this user lacks the rights to a database or its folder, the error says so, and
// nothing changes.
func TestOpenPermissions(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range []struct {
		name         string
		folder, file os.FileMode // file 0: there is none
		want         string      // "": Open fails
	}{
		{"AllRights", 0o700, 0o600, "written"},
		{"FolderReadOnly", 0o500, 0o600, ""},
		{"FolderReadOnlyNew", 0o500, 0, ""},
		{"FolderClosed", 0o000, 0o600, ""},
		{"FileReadOnly", 0o700, 0o400, ""},
		{"FileClosed", 0o700, 0o200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, before := nobodysDatabase(t, c.folder, c.file)
			out, err := roleCommand(t.Context(), "open-nobody", path).Output()
			testkit.Must(t, os.Chmod(filepath.Dir(path), 0o700))
			said := strings.TrimSpace(string(out))
			t.Log(said)
			testkit.Must(t, err)
			if c.want != "" {
				if said != c.want {
					t.Errorf("%q, want %q", said, c.want)
				}
				return
			}
			if !strings.HasPrefix(said, "true open "+path) {
				t.Errorf("Open: %q; want an error with a kind, and the path", said)
			}
			if !strings.Contains(said, "permission") && !strings.Contains(said, "writable") {
				t.Errorf("Open: %q; want what to look at", said)
			}
			if readable := c.folder != 0o000 && c.file != 0o200; readable && !strings.HasSuffix(said, ": read-only") {
				t.Errorf("Open: %q; want ErrReadOnly", said)
			}
			if c.file != 0o200 || os.Getuid() == 0 {
				mustKeep(t, path, before)
			}
		})
	}
}

// nobodysDatabase makes a folder, and a database in it unless its mode is 0. Both
// belong to the user of openAsNobody.
func nobodysDatabase(t *testing.T, folder, file os.FileMode) (path string, before map[string]string) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "folder")
	path = filepath.Join(dir, "a.db")
	testkit.Must(t, os.Mkdir(dir, 0o700))
	t.Cleanup(func() { os.Chmod(dir, 0o700) }) // so that an ordinary user can remove it
	own := []string{dir}
	if file != 0 {
		ours(t, path)
		own = append(own, path)
	}
	if os.Getuid() == 0 {
		for _, name := range own {
			testkit.Must(t, os.Chown(name, nobody, nobody))
		}
		for _, name := range []string{filepath.Dir(root), root} {
			testkit.Must(t, os.Chmod(name, 0o755))
		}
	}
	if file != 0 {
		testkit.Must(t, os.Chmod(path, file))
	}
	if file != 0o200 || os.Getuid() == 0 { // else it cannot be read to compare it
		before = state(t, dir)
	}
	testkit.Must(t, os.Chmod(dir, folder))
	return path, before
}

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

// Root may work on the database of another user. It accepts the side files of the
// database's owner, and gives those that it makes to that user.
func TestRootBesideOwner(t *testing.T) {
	t.Parallel()
	needRoot(t, "gives files to another user")
	path := filepath.Join(t.TempDir(), "a.db")
	ours(t, path)
	testkit.Must(t, os.Chown(path, 12345, 12345))
	for range 2 { // the second time they are there
		put(t, workspaceOn(t, open(t, path), "alice"), "new")
		for _, end := range []string{"-turn", "-write", "-reserve"} {
			info, err := os.Stat(path + end)
			testkit.Must(t, err)
			if uid := info.Sys().(*syscall.Stat_t).Uid; uid != 12345 {
				t.Errorf("%s belongs to user %d, want the owner of the database", end, uid)
			}
		}
	}
}
