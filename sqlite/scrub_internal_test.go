package sqlite

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
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
