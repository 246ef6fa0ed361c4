package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func openInternal(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

var testOwner = store.Owner{Tenant: "local", Agent: "a"}

// storeFile writes a file with the given name.
func storeFile(tx store.Tx, name string) error {
	v := store.Version{Number: 1, Size: 1, Content: []byte("x")}
	return tx.Apply(store.FileChange{Head: store.FileHead{Path: name, Version: 1, Sizes: []int64{1}}, New: &v})
}

// start runs an Update in the background and sends its answer. After a Goexit that is
// errExited.
func start(s *Store, fn func(store.Tx) error) <-chan error {
	answer := make(chan error, 1)
	go func() {
		err := errExited
		defer func() { answer <- err }()
		err = s.Update(context.Background(), testOwner, fn)
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

// A group that has lost its transaction runs function by function. If one of them calls
// Goexit only then, the others are still answered.
func TestGoexitAlone(t *testing.T) {
	t.Parallel()
	s := openInternal(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	enter := sync.OnceFunc(func() { close(inside) })
	first := start(s, func(store.Tx) error { // holds the writer until the others are queued
		enter()
		<-leave
		return nil
	})
	<-inside
	var answers []<-chan error
	answers = append(answers, start(s, func(tx store.Tx) error { return storeFile(tx, "x") }))
	waitQueued(s, 1)
	runs := 0
	answers = append(answers, start(s, func(store.Tx) error {
		if runs++; runs > 1 {
			runtime.Goexit()
		}
		return nil
	}))
	waitQueued(s, 2)
	lost := false
	answers = append(answers, start(s, func(tx store.Tx) error {
		if !lost { // what an interrupt or a full disk does
			lost = true
			s.writer.c.Exec("ROLLBACK")
			s.writer.c.Broken = &engine.Error{Code: engine.CodeInterrupt, Text: "planted"}
			return nil
		}
		return storeFile(tx, "z")
	}))
	waitQueued(s, 3)
	close(leave)
	for i, want := range []error{nil, errExited, nil} {
		if err := <-answers[i]; !errors.Is(err, want) {
			t.Errorf("function %d: %v, want %v", i, err, want)
		}
	}
	if err := <-first; err != nil {
		t.Error(err)
	}
	err := s.View(t.Context(), testOwner, func(r store.Reader) error {
		for _, name := range []string{"x", "z"} {
			if l, err := r.Load(store.Query{File: name}); err != nil || !l.File.Exists() {
				t.Errorf("%s was acknowledged and is not stored: %v", name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
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
	if err := s.Update(t.Context(), testOwner, func(tx store.Tx) error { return storeFile(tx, "later") }); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Update of a read-only store = %v, want ErrReadOnly", err)
	}
}

// Close waits for a slow function, however long it takes.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	s := openInternal(t)
	s.writer.closeWait = time.Millisecond
	inside, leave, closed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	slow := start(s, func(tx store.Tx) error {
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
