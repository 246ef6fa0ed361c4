package doors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	agent     = "planner"
	maxTries  = 500 // of one change; each one that is in vain is a change by another writer
	firstPath = "shared.md"
	firstLine = "The first line.\n"
)

// errGone says that there is no file at a path.
var errGone = errors.New("there is no such file")

// A door is a way to the memory. An error of a change means that nothing was changed. One
// goroutine uses it.
type door interface {
	// add adds a line to a file. It returns [errGone] if the file is not at the path.
	add(ctx context.Context, path, line string) error
	create(ctx context.Context, path, content string) error
	move(ctx context.Context, path, to string) error
	remove(ctx context.Context, path string) error
	read(ctx context.Context, path string) (string, error)
}

// A house is one agent's memory, with all its doors.
type house struct {
	t   *testing.T
	db  string
	url string // of the server, without a path
	ws  *workspace.Workspace

	moving sync.RWMutex // held while a writer moves the shared file
	shared atomic.Pointer[string]
}

// newHouse starts a server, opens its database in this process too, and writes the shared
// file.
func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, db: filepath.Join(t.TempDir(), "team.db")}
	store, err := sqlite.Open(t.Context(), h.db, sqlite.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	svc, err := workspace.New(store, workspace.Options{Limits: workspace.Limits{Versions: 1000}})
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		must(t, svc.Close(ctx))
	})
	h.ws, err = svc.Agent(agent)
	must(t, err)
	path := firstPath
	_, err = h.ws.WriteFile(t.Context(), path, []byte(firstLine), workspace.WriteOptions{})
	must(t, err)
	h.shared.Store(&path)
	mcp := process.Serve(t, scratchpadPath, "--db", h.db, "--max-versions", "1000", "--rate", "0", "--rate-agent", "0")
	h.url = mcp[:len(mcp)-len("/mcp")]
	return h
}

// newWriters returns four writers for each door. The first of each moves the shared file.
func (h *house) newWriters() []*writer {
	h.t.Helper()
	var all []*writer
	for _, kind := range []struct {
		name string
		open func(name string, n int) (door, workspace.Author)
	}{{"mcp", h.openMCP}, {"rest", h.openREST}, {"tool", h.openTool}, {"console", h.openConsole}} {
		for n := range 4 {
			name := fmt.Sprintf("%s-%d", kind.name, n+1)
			d, author := kind.open(name, n)
			all = append(all, &writer{name: name, door: d, author: author, mover: n == 0, blind: kind.name == "mcp" && n < 2})
		}
	}
	return all
}

// newKey returns a new key for the agent, and its id.
func (h *house) newKey(name string) (id, key string) {
	h.t.Helper()
	var created struct{ ID, Key string }
	text := process.Run(h.t, scratchpadPath, "keys", "create", "--db", h.db, "--agents", agent, "--name", name, "--json")
	if err := json.Unmarshal([]byte(text), &created); err != nil {
		h.t.Fatalf("keys create --json printed %q: %v", text, err)
	}
	return created.ID, created.Key
}

// An act is a change that a writer made, as the journal names it.
type act struct {
	op         workspace.ChangeOp
	path, from string
}

// A writer works through one door.
type writer struct {
	name   string
	door   door
	author workspace.Author // as the journal names the writer
	told   []act            // the changes that were acknowledged, in order
	lines  []string         // that were added to the shared file
	mover  bool             // moves the shared file too
	blind  bool             // the door makes a file where there is none
}

// do notes a change if it was acknowledged.
func (w *writer) do(err error, op workspace.ChangeOp, path, from string) error {
	if err != nil {
		return fmt.Errorf("%s: %s %s: %w", w.name, op, path, err)
	}
	w.told = append(w.told, act{op, path, from})
	return nil
}

// addShared adds a line to the shared file, which others may move meanwhile.
func (w *writer) addShared(ctx context.Context, h *house, line string) error {
	if w.blind {
		h.moving.RLock()
		defer h.moving.RUnlock()
	}
	for {
		path := *h.shared.Load()
		err := w.door.add(ctx, path, line)
		if !errors.Is(err, errGone) || w.blind {
			w.lines = append(w.lines, line)
			return w.do(err, workspace.OpEdit, firstPath, "")
		}
		h.moving.RLock() // waits until the path is known
		moved := *h.shared.Load() != path
		h.moving.RUnlock()
		if !moved {
			return fmt.Errorf("%s: %s was not moved: %w", w.name, path, err)
		}
	}
}

// moveShared gives the shared file another path.
func (w *writer) moveShared(ctx context.Context, h *house, to string) error {
	h.moving.Lock()
	defer h.moving.Unlock()
	from := *h.shared.Load()
	if err := w.do(w.door.move(ctx, from, to), workspace.OpMove, to, from); err != nil {
		return err
	}
	h.shared.Store(&to)
	return nil
}

// work changes the shared file and one of the writer's own in turn.
func (w *writer) work(ctx context.Context, h *house, ids *rest) error {
	folder := "own/" + w.name + "/"
	a, b := folder+"a.md", folder+"b.md"
	own := []func() error{
		func() error { return w.do(w.door.create(ctx, a, "It begins.\n"), workspace.OpCreate, a, "") },
		func() error { return w.do(w.door.add(ctx, a, "It goes on.\n"), workspace.OpEdit, a, "") },
		func() error { return w.do(w.door.move(ctx, a, b), workspace.OpMove, b, a) },
		func() error { return w.do(w.door.add(ctx, b, "It has moved.\n"), workspace.OpEdit, b, "") },
		func() error { return w.do(w.door.remove(ctx, b), workspace.OpDelete, b, "") },
		func() error { return w.do(w.door.create(ctx, a, "It begins again.\n"), workspace.OpCreate, a, "") },
	}
	var first string
	for i, change := range own {
		if err := change(); err != nil {
			return err
		}
		id, err := ids.idBelow(ctx, folder)
		switch {
		case err != nil:
			return err
		case i == 0:
			first = id
		case (i < 4) != (id == first):
			return fmt.Errorf("%s: after change %d the memory's id is %q; it was %q at first, and change 5 deletes it", w.name, i+1, id, first)
		}
		if err := w.addShared(ctx, h, fmt.Sprintf("%s, line %d\n", w.name, i+1)); err != nil {
			return err
		}
		if w.mover && i == 2 {
			if err := w.moveShared(ctx, h, "shared-by-"+w.name+".md"); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestSixteenWriters lets all writers work at the same time. Afterwards each line that was
// acknowledged is there once, and the journal has one row for each change, by its writer.
func TestSixteenWriters(t *testing.T) {
	h := newHouse(t)
	writers := h.newWriters()
	if len(writers) != 16 {
		t.Fatalf("there are %d writers, want 16", len(writers))
	}
	_, key := h.newKey("observer")
	id, err := newREST(h.url, key, false).find(t.Context(), firstPath)
	must(t, err)
	var all sync.WaitGroup
	for _, w := range writers {
		all.Go(func() {
			if err := w.work(t.Context(), h, newREST(h.url, key, true)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if !t.Failed() {
		h.check(writers, newREST(h.url, key, false), id)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
