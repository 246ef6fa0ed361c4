package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A small file does not wait. A large one waits until nobody has written for a while, and
// for an hour since the last time. Emptying the log waits for neither.
func TestScrubWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	for _, c := range []struct {
		name      string
		size      int64
		written   time.Duration // ago
		scrubbed  time.Duration // ago
		done      int64
		at, least time.Duration // the wait, at most and at least
	}{
		{"small", scrubSmall - 1, 0, time.Minute, 0, 0, 0},
		{"large and just written to", scrubSmall, 0, 24 * time.Hour, 0, scrubIdle, scrubIdle - time.Minute/10},
		{"large and idle", scrubSmall, time.Minute, 24 * time.Hour, 0, 0, 0},
		{"large, idle and scrubbed", scrubSmall, time.Minute, time.Minute, 0, scrubEvery, scrubEvery - 2*time.Minute},
		{"only the log is left", scrubSmall, 0, 0, 1, 0, 0},
	} {
		for _, name := range []string{path, path + "-wal"} {
			f, err := os.Create(name)
			testkit.Must(t, err)
			testkit.Must(t, f.Close())
		}
		testkit.Must(t, os.Truncate(path, c.size))
		testkit.Must(t, os.Chtimes(path+"-wal", time.Time{}, time.Now().Add(-c.written)))
		b := scrubber{s: &Store{path: path}, large: time.Now().Add(-c.scrubbed), done: c.done}
		if got := b.wait(); got > c.at || got < c.least && c.at > 0 {
			t.Errorf("%s: it waits for %v, want %v to %v", c.name, got, c.least, c.at)
		}
	}
}

// redactedFile returns a store with a file whose version 1 is redacted.
func redactedFile(t *testing.T, secret string) *Store {
	t.Helper()
	s, ws := openWorkspace(t, workspace.Options{})
	_, err1 := ws.WriteFile(t.Context(), "f", []byte(secret), workspace.WriteOptions{})
	_, err2 := ws.WriteFile(t.Context(), "f", []byte("x"), workspace.WriteOptions{})
	_, err3 := ws.As(store.Author{Client: "cleaner"}).RedactVersion(t.Context(), "f", 1, workspace.RedactOptions{})
	testkit.Must(t, errors.Join(err1, err2, err3))
	return s
}

// Whatever is damaged in the row of a redacted version, Verify finds it, and nobody reads
// it as sound.
func TestVerifyRedacted(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for _, change := range []string{
		"content = CAST(replace(CAST(content AS TEXT), 'cleaner', 'cleanes') AS BLOB)",
		"content = x''",
		"content = (SELECT content FROM versions WHERE version = 2)",
		"sha256 = CAST(x'01' || zeroblob(31) AS BLOB)",
		"sha256 = CAST(zeroblob(31) || x'80' AS BLOB)",
		"size = 1",
		"created = created + 1",
		"client = 'somebody'",
	} {
		s := redactedFile(t, "secret")
		if r, err := s.Verify(t.Context(), VerifyOptions{}); err != nil || r.Problems != nil || r.Versions != 2 {
			t.Fatalf("Verify() = %+v, %v, want two sound versions", r, err)
		}
		exec(t, s, "UPDATE versions SET "+change+" WHERE version = 1")
		if r, err := s.Verify(t.Context(), VerifyOptions{}); err != nil || len(r.Problems) == 0 || !strings.Contains(r.Problems[0], "f, 1,") && !strings.Contains(r.Problems[0], "version 1") {
			t.Errorf("Verify() after %s = %q, %v, want a problem of version 1", change, r.Problems, err)
		}
		err := s.View(t.Context(), testOwner, func(r store.Reader) error {
			return testkit.Err(r.Load(store.Query{File: "f", History: true}))
		})
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("Versions after %s = %v, want ErrCorrupt", change, err)
		}
	}
}
