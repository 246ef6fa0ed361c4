package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// losses are what people and programs do to the files of a database in use, and what
// the error then says.
var losses = []struct {
	name, say string
	do        func(t *testing.T, path string)
}{
	{"Removed", "the database file was removed or renamed", func(t *testing.T, path string) { testkit.Must(t, os.Remove(path)) }},
	{"Renamed", "the database file was removed or renamed", func(t *testing.T, path string) { testkit.Must(t, os.Rename(path, path+".old")) }},
	{"Replaced", "the database file was replaced", func(t *testing.T, path string) {
		write(t, path+".new", readBytes(t, path))
		testkit.Must(t, os.Rename(path+".new", path))
	}},
	{"AllRemoved", "the database file was removed or renamed", func(t *testing.T, path string) {
		for _, name := range sqlite.Files(path) {
			if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}},
	{"LogRemoved", "the write-ahead log was removed or renamed", func(t *testing.T, path string) { testkit.Must(t, os.Remove(path+"-wal")) }},
	{"LogReplaced", "the write-ahead log was replaced", func(t *testing.T, path string) {
		write(t, path+".new", readBytes(t, path+"-wal"))
		testkit.Must(t, os.Rename(path+".new", path+"-wal"))
	}},
	{"FolderRenamed", "the database file was removed or renamed", func(t *testing.T, path string) {
		testkit.Must(t, os.Rename(filepath.Dir(path), filepath.Dir(path)+".old"))
	}},
}

// databaseIn returns the path for a database in a folder that the test may rename.
func databaseIn(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "folder")
	testkit.Must(t, os.Mkdir(dir, 0o700))
	return filepath.Join(dir, "a.db")
}

// That the files were lost is noticed although nobody has written. Then writes are refused and
// nothing is stored. Reads go on. The log says so
// each time that it is found.
func TestLostFiles(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range losses {
		t.Run(c.name, func(t *testing.T) {
			path := databaseIn(t)
			var log strings.Builder
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			testkit.Must(t, err)
			ws := workspaceOn(t, s, "alice")
			put(t, ws, "before")
			expectFile(t, ws, "before", "before")
			testkit.Must(t, ready(t, s))
			c.do(t, path)
			mustBeUnready(t, s, store.ErrReadOnly, "was removed, renamed or replaced")
			for range 2 {
				_, err = ws.WriteFile(t.Context(), "after", nil, workspace.WriteOptions{})
				if !errors.Is(err, store.ErrReadOnly) || !strings.Contains(err.Error(), c.say) || !strings.Contains(err.Error(), "start again") {
					t.Errorf("WriteFile = %v; want ErrReadOnly, %q and what to do", err, c.say)
				}
			}
			expectFile(t, ws, "before", "before")
			if s.Close(); strings.Count(log.String(), c.say) < 2 || !strings.Contains(log.String(), "path="+path) {
				t.Errorf("the log says %q; want %q twice, and the path", log.String(), c.say)
			}
		})
	}
}

// If the files are lost during a commit, the outcome of the whole group is unknown.
func TestLostFilesMeanwhile(t *testing.T) {
	t.Parallel()
	for _, c := range losses {
		t.Run(c.name, func(t *testing.T) {
			path := databaseIn(t)
			s, err := sqlite.Open(t.Context(), path, quiet)
			testkit.Must(t, err)
			defer s.Close()
			inside, leave := make(chan struct{}), make(chan struct{})
			errs := make(chan error, 4)
			update := func(fn func()) {
				errs <- s.Update(context.Background(), store.Owner{Tenant: "local", Agent: "a"}, func(tx store.Tx) error {
					fn()
					return tx.Apply(store.OwnerState{})
				})
			}
			go update(func() { close(inside); <-leave; c.do(t, path) })
			<-inside
			for range 3 {
				go update(func() {})
			}
			close(leave)
			unknown := 0
			for range 4 {
				err := <-errs
				if errors.Is(err, store.ErrOutcomeUnknown) {
					unknown++
				} else if !errors.Is(err, store.ErrReadOnly) { // it came after the group
					t.Errorf("Update = %v; want ErrOutcomeUnknown or ErrReadOnly", err)
				}
				if err == nil || !strings.Contains(err.Error(), c.say) {
					t.Errorf("Update = %v; want %q", err, c.say)
				}
			}
			if unknown == 0 {
				t.Error("the outcome of no write is unknown")
			}
		})
	}
}

// If only the log was removed, the process still gets everything that it has
// acknowledged into the database before it ends.
func TestLostLogIsCopied(t *testing.T) {
	t.Parallel()
	path := databaseIn(t)
	s, err := sqlite.Open(t.Context(), path, quiet)
	testkit.Must(t, err)
	acked := newLedger()
	ws := agent(t, newService(t, s), "alice")
	for i := range 20 {
		testkit.Must(t, acked.write(t.Context(), ws, fmt.Sprint("file-", i), text(1000, i)))
	}
	testkit.Must(t, os.Remove(path+"-wal"))
	if err := acked.write(t.Context(), ws, "late", nil); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("write = %v, want ErrReadOnly", err)
	}
	acked.remove("alice", "late")
	reopenAndCheck(t, s, path, acked)
}

// If a backup is put in the place of a database in use, the next process finds exactly
// the backup. The log of the lost database does not get into it.
func TestBackupInPlaceOfALostDatabase(t *testing.T) {
	t.Parallel()
	path := databaseIn(t)
	backup := path + ".copy"
	s, err := sqlite.Open(t.Context(), path, quiet)
	testkit.Must(t, err)
	ws := agent(t, newService(t, s), "alice")
	put(t, ws, "in-the-backup")
	testkit.Must(t, s.Backup(t.Context(), backup, sqlite.BackupOptions{}))
	for i := range 40 {
		put(t, ws, fmt.Sprint("later-", i))
	}
	testkit.Must(t, os.Rename(backup, path))
	if _, err := ws.WriteFile(t.Context(), "late", nil, workspace.WriteOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("write = %v, want ErrReadOnly", err)
	}
	testkit.Must(t, s.Close())

	again := workspaceOn(t, open(t, path), "alice")
	expectFile(t, again, "in-the-backup", "in-the-backup")
	if list, err := again.ListFiles(t.Context(), workspace.ListOptions{}); err != nil || len(list.Files) != 1 {
		t.Errorf("the restored database has %d files, %v; want that of the backup alone", len(list.Files), err)
	}
}

// After the database was replaced, a new connection for reading does not read the other
// file.
func TestReadersOfReplacedDatabase(t *testing.T) {
	t.Parallel()
	path := databaseIn(t)
	other := filepath.Join(t.TempDir(), "other.db")
	put(t, workspaceOn(t, open(t, other), "alice"), "of-the-other")
	s := open(t, path) // without a connection that reads
	testkit.Must(t, os.Rename(other, path))
	err := s.View(t.Context(), store.Owner{Tenant: "local", Agent: "alice"}, func(r store.Reader) error {
		h, err := r.Load(store.Query{File: "of-the-other"})
		t.Errorf("the other file was read: %+v, %v", h, err)
		return err
	})
	if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("View = %v; want ErrCorrupt, and that it was replaced", err)
	}
}

// A file with two names would have two logs. The database is refused under both names,
// and its bytes stay. A store that has it open takes no writes until the second name is
// gone.
func TestHardLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, second := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	ours(t, path)
	s := open(t, path)
	ws := workspaceOn(t, s, "alice")
	testkit.Must(t, os.Link(path, second))
	if _, err := ws.WriteFile(t.Context(), "new", nil, workspace.WriteOptions{}); !errors.Is(err, store.ErrReadOnly) || !strings.Contains(err.Error(), "hard link") {
		t.Errorf("WriteFile = %v; want ErrReadOnly and the cause", err)
	}
	testkit.Must(t, os.Remove(second))
	put(t, ws, "new")
	testkit.Must(t, s.Close())
	testkit.Must(t, os.Link(path, second))
	for _, name := range []string{path, second} {
		mustRefuse(t, name, store.ErrInvalid, "2 names")
		if s, err := sqlite.OpenReadOnly(t.Context(), name, quiet); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "2 names") {
			if s != nil {
				s.Close()
			}
			t.Errorf("OpenReadOnly = %v; want ErrInvalid and the cause", err)
		}
	}
}
