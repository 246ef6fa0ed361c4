package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ready returns what Ready says. On a busy machine a look may take longer than Ready waits for
// it; then it asks again.
func ready(t *testing.T, s *sqlite.Store) (err error) {
	t.Helper()
	for range 60 {
		if err = s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "does not answer") {
			break
		}
	}
	return err
}

// mustBeUnready expects an error that names nothing of the machine.
func mustBeUnready(t *testing.T, s *sqlite.Store, kind error, say string) {
	t.Helper()
	for range 2 {
		err := ready(t, s)
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), say) {
			t.Fatalf("Ready() = %v; want %q and %q", err, kind, say)
		}
		if text := err.Error(); strings.Contains(text, "/") || strings.Contains(text, filepath.Base(s.Path())) {
			t.Errorf("Ready() = %q, which names a path", text)
		}
	}
}

// A file that is back is noticed too, if no write has failed meanwhile. After a write that
// lost its files, the store stays unready.
func TestReadyAgain(t *testing.T) {
	t.Parallel()
	path := databaseIn(t)
	s := open(t, path)
	ws := workspaceOn(t, s, "alice")
	put(t, ws, "before")
	testkit.Must(t, os.Rename(path, path+".away"))
	mustBeUnready(t, s, store.ErrReadOnly, "was removed, renamed or replaced")
	testkit.Must(t, os.Rename(path+".away", path))
	testkit.Must(t, ready(t, s))
	testkit.Must(t, os.Link(path, path+".second"))
	mustBeUnready(t, s, store.ErrReadOnly, "hard link")
	testkit.Must(t, os.Remove(path+".second"))
	testkit.Must(t, ready(t, s))
	testkit.Must(t, os.Rename(path, path+".away"))
	if _, err := ws.WriteFile(t.Context(), "a", nil, workspace.WriteOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("WriteFile = %v, want ErrReadOnly", err)
	}
	testkit.Must(t, os.Rename(path+".away", path))
	mustBeUnready(t, s, store.ErrReadOnly, "started again")
	if !s.Stats().ReadOnly {
		t.Error("Stats() does not say that the store is read-only")
	}
}

func TestReadyNoticesDamage(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, c := range []struct {
		name, say string
		kind      error
		do        func(t *testing.T, path string)
	}{
		{"Schema", "schema 99", store.ErrUnsupported, func(t *testing.T, path string) { script(t, path, "PRAGMA user_version = 99") }},
		{"SchemaBack", "set back", store.ErrCorrupt, func(t *testing.T, path string) { script(t, path, "PRAGMA user_version = 1") }},
		{"CutOff", "cut off", store.ErrCorrupt, func(t *testing.T, path string) { testkit.Must(t, os.Truncate(path, 0)) }},
		{"Overwritten", "cannot be read", store.ErrCorrupt, func(t *testing.T, path string) {
			testkit.Must(t, os.WriteFile(path, []byte(strings.Repeat("not a database. ", 5000)), 0o600))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := databaseIn(t)
			ours(t, path)
			s, err := sqlite.Open(t.Context(), path, quiet)
			testkit.Must(t, err)
			defer s.Close()
			testkit.Must(t, ready(t, s))
			c.do(t, path)
			mustBeUnready(t, s, c.kind, c.say)
		})
	}
}

// A full disk and one that is read-only are noticed before a write fails, and so is that the
// trouble has ended.
func TestReadyOfTheDisk(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	dir := smallDisk(t)
	s := open(t, filepath.Join(dir, "test.db"))
	testkit.Must(t, ready(t, s))
	fill := filler(t, dir, freeSpace(t, dir)-1<<20)
	mustBeUnready(t, s, store.ErrStorageFull, "make room")
	removeFiller(t, fill)
	testkit.Must(t, ready(t, s))
	testkit.Must(t, unix.Mount(dir, dir, "", unix.MS_BIND, ""))
	testkit.Must(t, unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	mustBeUnready(t, s, store.ErrReadOnly, "read-only")
	testkit.Must(t, unix.Unmount(dir, unix.MNT_DETACH))
	testkit.Must(t, ready(t, s))
}

func TestReadyWhenClosedOrReadOnly(t *testing.T) {
	t.Parallel()
	path := databaseIn(t)
	s := open(t, path)
	testkit.Must(t, ready(t, s))
	look, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer look.Close()
	mustBeUnready(t, look, store.ErrReadOnly, "for reading only")
	if !look.Stats().ReadOnly {
		t.Error("Stats() does not say that the store is read-only")
	}
	testkit.Must(t, s.Close())
	mustBeUnready(t, s, store.ErrClosed, "")
}
