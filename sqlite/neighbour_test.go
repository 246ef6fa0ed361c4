//go:build unix

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// --- creating

// However many processes and goroutines create the same database at once, all succeed and
// nothing is lost, also if an empty file is there.
func TestNeighbourCreate(t *testing.T) {
	t.Parallel()
	n, dir := testkit.Pick(6, 16, 16), t.TempDir()
	var children []*child
	if !testing.Short() {
		children = startChildren(t, n, "create")
	}
	for _, c := range children {
		c.expect(t, "ready")
	}
	for i := range testkit.Pick(2, 6, 40) {
		path := filepath.Join(dir, fmt.Sprintf("%d.db", i))
		if i%2 == 1 {
			write(t, path, nil)
		}
		for _, c := range children {
			c.say(t, path)
		}
		var wg sync.WaitGroup
		for k := range n {
			wg.Go(func() {
				if err := create(path, fmt.Sprint("here-", k)); err != nil {
					t.Errorf("creating beside many others: %v, expected no error", err)
				}
			})
		}
		for _, c := range children {
			c.expect(t, "created")
		}
		wg.Wait()
		s := open(t, path)
		ws := workspaceOn(t, s, "create")
		for k := range n {
			expectFile(t, ws, fmt.Sprint("here-", k), fmt.Sprint("here-", k))
		}
		for k := range children {
			expectFile(t, ws, fmt.Sprint("of-", k), fmt.Sprint("of-", k))
		}
		testkit.Must(t, s.Close())
	}
	for _, c := range children {
		c.finish(t)
	}
}

// --- a stopped process

// "hold DB PROCESS": writes a file, and stays inside the transaction, so that it
// has the turn, from the line "inside" until it hears one.
var _ = register("hold", func(args []string) error {
	store, _, err := openService(args[0], workspace.Limits{})
	if err != nil {
		return err
	}
	svc, err := workspace.New(holdStore{store, hear()}, workspace.Options{})
	if err != nil {
		return err
	}
	ws, err := svc.Agent("others")
	if err != nil {
		return err
	}
	if _, err := ws.WriteFile(context.Background(), "held", []byte("held"), workspace.WriteOptions{}); err != nil {
		return err
	}
	tell("held")
	return store.Close()
})

type holdStore struct {
	store.Store
	lines <-chan string
}

func (s holdStore) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.Store.Update(ctx, o, func(tx store.Tx) error {
		err := fn(tx)
		tell("inside")
		<-s.lines
		return err
	})
}

// "wait DB PROCESS": opens, and when it hears a line, queues a write without a
// deadline. At the next line it closes the store.
var _ = register("wait", func(args []string) error {
	db, ws, err := openAgent(args[0], "others", workspace.Limits{})
	if err != nil {
		return err
	}
	lines := hear()
	tell("open")
	<-lines
	answer := make(chan error, 1)
	go func() {
		_, err := ws.WriteFile(context.Background(), "refused", []byte("refused"), workspace.WriteOptions{})
		answer <- err
	}()
	tell("queued")
	<-lines
	began := time.Now()
	err = db.Close()
	tell("closed %d", time.Since(began))
	if wrote := <-answer; wrote != nil && !errors.Is(wrote, store.ErrClosed) {
		return wrote
	} else if wrote == nil {
		tell("written")
	} else {
		tell("refused")
	}
	return err
})

func TestNeighbourStopped(t *testing.T) {
	t.Parallel()
	testkit.SkipUnlessLong(t)
	t.Run("and continued", func(t *testing.T) { testStopped(t, syscall.SIGCONT) })
	t.Run("and killed", func(t *testing.T) { testStopped(t, syscall.SIGKILL) })
}

func testStopped(t *testing.T, end syscall.Signal) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "stopped.db")
	store := open(t, path)
	ws := workspaceOn(t, store, "others")
	put(t, ws, "before")
	waiting := startChild(t, "wait", path, "0")
	waiting.expect(t, "open")
	holder := startChild(t, "hold", path, "0")
	holder.expect(t, "inside")
	testkit.Must(t, holder.cmd.Process.Signal(syscall.SIGSTOP))
	waitStopped(t, holder)

	expectBusy(t, store, path, "while the holder of the turn is stopped")
	expectFile(t, ws, "before", "before")
	expectNone(t, ws, "held")

	waiting.say(t, "queue")
	waiting.expect(t, "queued")
	waiting.say(t, "close")
	var closed time.Duration
	if _, err := fmt.Sscanf(waiting.next(t), "closed %d", (*int64)(&closed)); err != nil || closed > time.Minute {
		t.Errorf("Close() took %v, %v, expected it to end while the neighbour is stopped", closed, err)
	}
	waiting.expect(t, "refused")
	waiting.finish(t)

	// A write that waits without a deadline goes on when the turn comes.
	late := make(chan error, 1)
	go func() {
		_, err := ws.WriteFile(t.Context(), "late", []byte("late"), workspace.WriteOptions{})
		late <- err
	}()
	expectBusy(t, store, path, "while another write waits")
	testkit.Must(t, holder.cmd.Process.Signal(end))
	if end == syscall.SIGCONT {
		holder.say(t, "go on")
		holder.expect(t, "held")
		holder.finish(t)
	} else {
		holder.reap()
	}
	if err := <-late; err != nil {
		t.Errorf("the write that waited: %v, expected no error after %v", err, end)
	}
	expectFile(t, ws, "late", "late")
	if end == syscall.SIGCONT {
		expectFile(t, ws, "held", "held")
	} else {
		expectNone(t, ws, "held")
	}
	expectNone(t, ws, "refused")
}

func expectNone(t testing.TB, ws *workspace.Workspace, path string) {
	t.Helper()
	if r, err := ws.ReadFile(t.Context(), path, workspace.ReadOptions{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%s holds %q, %v, expected that there is none", path, r.Content, err)
	}
}

// waitStopped waits until the system reports the process as stopped.
func waitStopped(t testing.TB, c *child) {
	t.Helper()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("wait for a stop: %v, status %v", err, status)
	}
}

// expectBusy expects that calls with a deadline get ErrBusy and have no effect: many
// Updates, and an Open.
func expectBusy(t testing.TB, db *sqlite.Store, path, when string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			err := db.Update(ctx, store.Owner{Tenant: "local", Agent: "others"}, func(store.Tx) error {
				t.Errorf("a function ran %s, expected it to be withdrawn", when)
				return nil
			})
			if !errors.Is(err, store.ErrBusy) {
				t.Errorf("Update() = %v %s, expected ErrBusy", err, when)
			}
		})
	}
	wg.Go(func() {
		other, err := sqlite.Open(ctx, path, sqlite.Options{})
		if !errors.Is(err, store.ErrBusy) {
			t.Errorf("Open() = %v %s, expected ErrBusy", err, when)
		}
		if other != nil {
			other.Close()
		}
	})
	wg.Wait()
}
