package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// deleteAt stores a file of an agent and deletes it at a time, for a month.
func deleteAt(t *testing.T, store workspace.Store, now time.Time, text string) {
	svc, err := workspace.New(store, workspace.Options{Now: func() time.Time { return now }, KeepDeleted: 720 * time.Hour})
	testkit.Must(t, err)
	ws, err := svc.Agent("default")
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "f", []byte(text), workspace.WriteOptions{})))
	testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{})))
}

// Doctor says that deleted files are stored after their time, and with --scrub their bytes leave
// the file.
func TestDoctorScrubsExpiredDeletions(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	const secret = "the bytes of a file that was deleted long ago"
	deleteAt(t, store, time.Now().Add(-721*time.Hour), secret)
	testkit.Must(t, store.Close())
	has := func() bool {
		file, err := os.ReadFile(path)
		log, err2 := os.ReadFile(path + "-wal")
		if errors.Is(err2, os.ErrNotExist) {
			err2 = nil
		}
		testkit.Must(t, errors.Join(err, err2))
		return bytes.Contains(append(file, log...), []byte(secret))
	}
	runCommand(t, dir, nil, "doctor", "--db", path).must(t, 0, "deleted files of 1 agent are still stored after their time")
	if !has() {
		t.Fatal("doctor has removed the bytes, or the test looks for other ones")
	}
	runCommand(t, dir, nil, "doctor", "--scrub", "--db", path).must(t, 0, "deleted files after their time, is in the file")
	if has() {
		t.Error("the bytes are still in the file")
	}
}

// A server removes what is kept of deleted files within an hour after its time.
func TestServeDropsExpiredDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		defer store.Close()
		s := &service{p: &process{log: slog.New(slog.DiscardHandler)}, store: store}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.dropExpired(ctx) }()
		deleteAt(t, store, time.Now().Add(-720*time.Hour+90*time.Minute), "text")
		expired := func() int64 {
			synctest.Wait()
			n, err := workspace.HasExpired(t.Context(), store, time.Now().Add(time.Hour))
			testkit.Must(t, err)
			return n
		}
		time.Sleep(75 * time.Minute)
		if expired() != 1 {
			t.Error("nothing is kept 15 minutes before its time")
		}
		time.Sleep(50 * time.Minute)
		if expired() != 0 {
			t.Error("something is kept 35 minutes after its time")
		}
		cancel()
		testkit.Must(t, <-done)
	})
}
