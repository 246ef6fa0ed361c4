package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
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

// "watched DB N": appends entries, one in each transaction, when the parent says so.
var _ = register("watched", func(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	s, ws, err := openAgent(args[0], "alice", workspace.Limits{})
	if err != nil {
		return err
	}
	defer s.Close()
	tell("ready")
	for range hear() {
		for i := range n {
			if _, err := ws.AppendLog(context.Background(), "log", []byte(fmt.Sprint(i))); err != nil {
				return err
			}
		}
		tell("written")
	}
	return nil
})

// follow reads the journal of alice each time it is told, until it has a revision. It
// reports an error if a row is missing or comes twice.
func await(ctx context.Context, s *sqlite.Store, told <-chan store.Owner, until int64, pause time.Duration) error {
	for at := int64(0); ; {
		var rows []store.Change
		err := s.View(ctx, alice, func(r store.Reader) (err error) {
			rows, err = r.Changes(at, 700)
			return err
		})
		if err != nil {
			return err
		}
		for _, c := range rows {
			if at++; c.Revision != at || c.After != at {
				return fmt.Errorf("row %+v comes where revision %d should", c, at)
			}
		}
		if at >= until {
			return nil
		}
		if len(rows) == 700 {
			continue
		}
		time.Sleep(pause) // a slow watcher
		select {
		case _, open := <-told:
			if !open {
				return fmt.Errorf("the channel was closed at revision %d", at)
			}
		case <-time.After(watchPatience):
			return fmt.Errorf("nothing is told after revision %d", at)
		}
	}
}

// Watchers, slow ones too, get every write of another process and of this one.
func TestWatchOtherProcess(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	looking, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer looking.Close()
	writes := pick(150, 2000)
	const ours = 50
	child := startChild(t, "watched", path, fmt.Sprint(writes))
	child.expect(t, "ready")
	done := make(chan error)
	followers := 0
	for _, store := range []*sqlite.Store{s, looking} {
		for _, pause := range []time.Duration{0, 0, 30 * time.Millisecond} {
			c, err := store.Watch(t.Context())
			testkit.Must(t, err)
			followers++
			go func() { done <- await(t.Context(), store, c, int64(writes+ours), pause) }()
		}
	}
	child.say(t, "go")
	ws := workspaceOn(t, s, "alice")
	for range ours {
		if _, err := ws.AppendLog(t.Context(), "log", []byte("ours")); err != nil {
			t.Error(err)
		}
	}
	child.expect(t, "written")
	for range followers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	child.finish(t)
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
