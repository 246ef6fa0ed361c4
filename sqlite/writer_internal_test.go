package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func openInternal(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// openWorkspace returns a store and the workspace of agent a in it.
func openWorkspace(t *testing.T, o workspace.Options) (*Store, *workspace.Workspace) {
	t.Helper()
	s := openInternal(t)
	svc, err := workspace.New(s, o)
	testkit.Must(t, err)
	ws, err := svc.Agent("a")
	testkit.Must(t, err)
	return s, ws
}

// exec runs a statement as the writer, and expects that it changes rows.
func exec(t *testing.T, s *Store, statement string) {
	t.Helper()
	testkit.Must(t, s.writer.do(t.Context(), "", func(tx *tx) error {
		n, err := tx.exec(statement)
		if n == 0 {
			t.Errorf("%s: no row was changed", statement)
		}
		return err
	}))
}

var testOwner = store.Owner{Tenant: "local", Agent: "a"}

// storeFile writes a file with the given name.
func storeFile(tx store.Tx, name string) error {
	v := store.Version{Number: 1, Size: 1, Content: []byte("x")}
	return tx.Apply(store.FileChange{Head: store.FileHead{Path: name, Version: 1, Sizes: []int64{1}}, New: &v})
}

// start runs an Update in the background and sends its answer. After a Goexit that is
// errExited.
func start(s *Store, o store.Owner, fn func(store.Tx) error) <-chan error {
	answer := make(chan error, 1)
	go func() {
		err := errExited
		defer func() { answer <- err }()
		err = s.Update(context.Background(), o, fn)
	}()
	return answer
}

var errExited = errors.New("exited")

// waitQueued waits until n jobs are queued.
func waitQueued(s *Store, n int) {
	for {
		s.writer.mu.Lock()
		have := len(s.writer.queue)
		s.writer.mu.Unlock()
		if have == n {
			return
		}
		runtime.Gosched()
	}
}

// loseTransaction ends the transaction of a group, as an interrupt or a full disk does.
func loseTransaction(s *Store) {
	s.writer.c.Exec("ROLLBACK")
	s.writer.c.Broken = &engine.Error{Code: engine.CodeInterrupt, Text: "planted"}
}

// A function that was queued a moment before the store became read-only is refused and
// not committed.
func TestBrokenRefusesTheQueue(t *testing.T) {
	t.Parallel()
	s := openInternal(t)
	j := &job{ctx: t.Context(), owner: testOwner.String(), fn: func(tx *tx) error { return storeFile(tx, "late") }, done: make(chan struct{})}
	s.writer.mu.Lock()
	s.writer.broken = store.ErrReadOnly
	s.writer.queue = append(s.writer.queue, j)
	s.writer.mu.Unlock()
	s.writer.poke()
	<-j.done
	if !errors.Is(j.err, store.ErrReadOnly) {
		t.Errorf("the queued function: %v, want ErrReadOnly", j.err)
	}
}

// Close waits for a slow function, however long it takes.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	s := openInternal(t)
	s.writer.closeWait = time.Millisecond
	inside, leave, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	slow := start(s, testOwner, func(tx store.Tx) error {
		close(inside)
		<-leave
		return storeFile(tx, "slow")
	})
	<-inside
	go func() { closed <- s.Close() }()
	select {
	case <-closed:
		t.Error("Close returned while a transaction was under way")
		closed <- nil
	case <-time.After(100 * s.writer.closeWait):
	}
	close(leave)
	if err := errors.Join(<-slow, <-closed); err != nil {
		t.Errorf("the slow Update, then Close = %v, want nil", err)
	}
}

// A job that comes while others are refused is not refused with them. A caller who has
// read the error and removed its cause must not read it again.
func TestRefuseSparesLaterJobs(t *testing.T) {
	t.Parallel()
	newJob := func() *job { return &job{ctx: t.Context(), done: make(chan struct{})} }
	for range 200 {
		w := &writer{wake: make(chan struct{}, 1)}
		first, later := newJob(), newJob()
		testkit.Must(t, w.enqueue(first))
		ended := make(chan struct{})
		go func() {
			w.refuse(store.ErrReadOnly)
			close(ended)
		}()
		<-first.done
		testkit.Must(t, w.enqueue(later))
		<-ended
		if state := later.state.Load(); state != queued {
			t.Fatalf("the later job has the state %d, want %d", state, queued)
		}
	}
}

// Trouble counts as trouble for as long as it lasts, and a full disk for a while.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m measures
		expect := func(when string, kind error) {
			t.Helper()
			if err := m.late(); !errors.Is(err, kind) {
				t.Errorf("%s: %v, want %v", when, err, kind)
			}
		}
		expect("at first", nil)
		m.turn.begin()
		time.Sleep(lateTurn)
		expect("after a short wait", nil)
		time.Sleep(time.Nanosecond)
		expect("after a long wait", store.ErrBusy)
		m.turn.end()
		expect("with the turn", nil)
		m.commit.begin()
		time.Sleep(lateCommit + 1)
		expect("in a long commit", store.ErrBusy)
		m.committed()
		expect("after it", nil)
		m.foundFull()
		expect("on a full disk", store.ErrStorageFull)
		m.committed()
		expect("after a commit", nil)
		m.foundFull()
		time.Sleep(fullFor)
		expect("after a while", nil)
	})
}

// change stores a log with a row in the journal.
func change(tx store.Tx) error {
	return tx.Apply(store.LogChange{
		Head:   store.LogHead{Path: "log", First: 1, Last: 1},
		Change: store.Change{Revision: 1, Op: store.OpAppend, Kind: store.KindLog, Path: "log", After: 1},
		Owner:  store.OwnerState{Usage: store.Usage{Logs: 1}, Revision: 1, Changes: 1},
	})
}

// If a group has lost its transaction, or is run again because a function of it failed,
// exactly those are stored and told whose function went through. If a function calls Goexit
// only when it runs alone, the others are still answered.
func TestToldAlone(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		s := openInternal(t)
		told, err := s.Watch(t.Context())
		testkit.Must(t, err)
		inside, leave := make(chan struct{}), make(chan struct{})
		enter := sync.OnceFunc(func() { close(inside) })
		answers := []<-chan error{start(s, testOwner, func(store.Tx) error { // may run again
			enter()
			<-leave
			return nil
		})}
		<-inside
		queue := func(agent string, fn func(store.Tx) error) {
			answer := start(s, store.Owner{Tenant: "local", Agent: agent}, fn)
			waitQueued(s, len(answers))
			answers = append(answers, answer)
		}
		failed := errors.New("failed")
		alone, loses := false, lost
		queue("stores", change)
		queue("fails", func(tx store.Tx) error { return errors.Join(change(tx), failed) })
		queue("exits", func(tx store.Tx) error { change(tx); runtime.Goexit(); return nil })
		queue("exits alone", func(tx store.Tx) error {
			if alone || !lost {
				change(tx)
				runtime.Goexit()
			}
			return nil
		})
		queue("ends", func(tx store.Tx) error {
			if loses {
				alone, loses = true, false
				loseTransaction(s)
				return nil
			}
			return change(tx)
		})
		close(leave)
		for i, want := range []error{nil, nil, failed, errExited, errExited, nil} {
			if err := <-answers[i]; !errors.Is(err, want) {
				t.Errorf("function %d: %v, want %v", i, err, want)
			}
		}
		got := map[string]bool{}
		for len(told) > 0 {
			got[(<-told).Agent] = true
		}
		for agent, want := range map[string]bool{"stores": true, "fails": false, "exits": false, "exits alone": false, "ends": true} {
			testkit.Must(t, s.View(t.Context(), store.Owner{Tenant: "local", Agent: agent}, func(r store.Reader) error {
				state, err := r.Owner()
				if stored := state.Revision > 0; stored != want || got[agent] != want {
					t.Errorf("%s: stored %v, told %v, want %v", agent, stored, got[agent], want)
				}
				return err
			}))
		}
	}
}

// Reads one after the other share a connection.
func TestReadsShareAConnection(t *testing.T) {
	s := openInternal(t)
	for range 6 {
		testkit.Must(t, s.View(t.Context(), testOwner, func(store.Reader) error { return nil }))
	}
	if open := len(s.idle); open != 1 {
		t.Errorf("%d connections are open, want 1", open)
	}
}
