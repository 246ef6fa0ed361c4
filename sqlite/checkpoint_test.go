package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// With overlapping readers, there is always one in the write-ahead log. The log still
// stays below 64 MiB, whether one store writes or several in turn.
func TestLogStaysSmall(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	for _, stores := range []int{1, 3} {
		t.Run(fmt.Sprint("stores=", stores), func(t *testing.T) {
			t.Parallel()
			logStaysSmall(t, stores)
		})
	}
}

func logStaysSmall(t *testing.T, stores int) {
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	writers := []*workspace.Workspace{workspaceOn(t, s, "writer")}
	for len(writers) < stores {
		writers = append(writers, workspaceOn(t, open(t, path), "writer"))
	}
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 4 { // each for three milliseconds, so that there is no moment without one
		readers.Go(func() {
			for !stop.Load() {
				err := s.View(t.Context(), alice, func(r store.Reader) error {
					_, err := r.Owner()
					time.Sleep(3 * time.Millisecond)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	var largest int64
	for i := range testkit.Pick(2600, 2600, 4000) {
		testkit.Must(t, testkit.Err(writers[i%stores].WriteFile(t.Context(), fmt.Sprint("p", i%10), text(32<<10, i), workspace.WriteOptions{})))
		if info, err := os.Stat(path + "-wal"); err == nil {
			largest = max(largest, info.Size())
		}
		if largest > 64<<20 {
			break
		}
	}
	stop.Store(true)
	readers.Wait()
	t.Logf("the log reached %d MiB", largest>>20)
	if largest > 64<<20 {
		t.Errorf("the write-ahead log reached %d bytes, want at most 64 MiB", largest)
	}
}

// Every function is counted once, in commits that many may share.
func TestStats(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "test.db"))
	svc := newService(t, s)
	const agents, files = 16, 20
	var wg sync.WaitGroup
	for n := range agents {
		ws := agent(t, svc, fmt.Sprint("agent-", n))
		wg.Go(func() {
			for i := range files {
				if _, err := ws.WriteFile(t.Context(), fmt.Sprint("file-", i), []byte("text"), workspace.WriteOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	before := s.Stats().Failed // package workspace has functions fail, to try them again with more data
	planned := errors.New("planned")
	for i := range 3 { // if it has written something, the group begins again
		if err := s.Update(t.Context(), alice, func(tx store.Tx) error {
			if i > 0 {
				testkit.Must(t, tx.Apply(store.OwnerState{}))
			}
			return planned
		}); err != planned {
			t.Error(err)
		}
	}
	got := s.Stats()
	commits := got.Commit.Count
	if got.Writes < agents*files || got.Failed != before+3 || commits < files || commits > got.Writes+got.Failed || got.Turn.Count < commits {
		t.Errorf("Stats() = %+v", got)
	}
	last := got.Commit.Buckets[len(got.Commit.Buckets)-1]
	if got.Commit.Sum <= 0 || last.Count > commits {
		t.Errorf("commits: %+v", got.Commit)
	}
	if got.ReadOnly || got.Queued != 0 || got.Readers != 4 || got.ReadersBusy != 0 {
		t.Errorf("Stats() = %+v", got)
	}
	testkit.Must(t, s.View(t.Context(), alice, func(r store.Reader) error {
		_, err := r.Owner()
		put(t, agent(t, svc, "agent-0"), "more") // stays in the log while the reader is there
		if got := s.Stats(); got.ReadersBusy != 1 || got.LogBytes == 0 {
			t.Errorf("with a reader, Stats() = %+v", got)
		}
		return err
	}))
	testkit.Must(t, s.Close())
	if n := s.Stats().Checkpoint.Count; n == 0 {
		t.Error("the checkpoint of Close was not counted")
	}
}
