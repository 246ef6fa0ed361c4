package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

var alice = store.Owner{Tenant: "local", Agent: "alice"}

// watchPatience is how long a test waits for what comes within half a second.
const watchPatience = time.Minute

// told reports whether a channel has an owner already.
func told(c <-chan store.Owner, o store.Owner) bool {
	for {
		select {
		case got := <-c:
			if got == o {
				return true
			}
		default:
			return false
		}
	}
}

// waitTold waits until any owner is told.
func waitTold(t *testing.T, c <-chan store.Owner) {
	t.Helper()
	select {
	case _, open := <-c:
		if !open {
			t.Fatal("the channel was closed")
		}
	case <-time.After(watchPatience):
		t.Fatal("nothing was told")
	}
}

// Close waits for the connection of the watchers: the log is gone.
func TestWatchClose(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	c, err := s.Watch(t.Context())
	testkit.Must(t, err)
	waitTold(t, c)
	put(t, workspaceOn(t, s, "alice"), "a.md")
	testkit.Must(t, s.Close())
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is still there: %v", err)
	}
}

// While the database cannot be read, watchers are told again and again: whoever reads
// gets the error, and later what was written meanwhile.
func TestWatchUnreadable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	ours(t, path)
	s, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer s.Close()
	testkit.Must(t, os.Rename(path, path+".away"))
	c, err := s.Watch(t.Context())
	testkit.Must(t, err)
	waitTold(t, c)
	waitTold(t, c)
	err = s.View(t.Context(), alice, func(store.Reader) error { return nil })
	if err == nil {
		t.Error("View of a database that is not there = nil, want an error")
	}
	testkit.Must(t, os.Rename(path+".away", path))
	waitTold(t, c)
	put(t, workspaceOn(t, open(t, path), "alice"), "new.md")
	for found := false; !found; {
		waitTold(t, c)
		if err := s.View(t.Context(), alice, func(r store.Reader) error {
			rows, err := r.Changes(0, 10)
			found = len(rows) > 0 && rows[len(rows)-1].Path == "new.md"
			return err
		}); err != nil {
			t.Error(err)
		}
	}
}
