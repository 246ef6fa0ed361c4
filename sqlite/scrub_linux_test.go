package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// This process redacts, and goes on until it is killed.
var _ = register("redact-and-stay", func(args []string) error {
	_, ws, err := openAgent(args[0], "a", workspace.Limits{})
	if err != nil {
		return err
	}
	if _, err := ws.RedactVersion(context.Background(), "plan.md", 1, workspace.RedactOptions{}); err != nil {
		return err
	}
	tell("redacted")
	select {}
})

// A process has written the database anew, a reader keeps it from emptying the log, and it is
// killed. The content is still in the files, and so is the record. The next process ends the
// work when the reader has left. The temporary file of VACUUM is gone with its process.
func TestKilledBeforeTheLogIsEmpty(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	const size = 1_000_000
	path, temp := filepath.Join(t.TempDir(), "test.db"), t.TempDir()
	s := open(t, path)
	twoVersions(t, s, 1, size)
	testkit.Must(t, s.Close())
	s = open(t, path)
	testkit.Must(t, s.View(t.Context(), store.Owner{Tenant: "local", Agent: "a"}, func(r store.Reader) error {
		if _, err := r.Owner(); err != nil {
			return err
		}
		cmd := roleCommand(t.Context(), "redact-and-stay", path)
		cmd.Env = append(cmd.Environ(), "SQLITE_TMPDIR="+temp)
		c := startCommand(t, cmd)
		c.expect(t, "redacted")
		waitUntil(t, "the database is written anew, with the other version", func() bool {
			return bytes.Count(readBytes(t, path+"-wal"), []byte("<0000002:")) > size/20
		})
		time.Sleep(200 * time.Millisecond)
		c.kill()
		return nil
	}))
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("the temporary folder has %v, %v, want nothing", left, err)
	}
	if _, err := s.System(t.Context()).Get("sqlite/scrub"); err != nil {
		t.Errorf("the record after the kill: %v, want that it is there", err)
	}
	testkit.Must(t, s.Close())
	s = open(t, path)
	waitScrubbed(t, s)
	checkGone(t, s, path, map[int]bool{1: true})
}

// Without three times the room, nothing is begun, and the record stays.
func TestScrubNeedsRoom(t *testing.T) {
	testkit.SkipInShort(t)
	dir := smallDisk(t)
	path := filepath.Join(dir, "test.db")
	s, err := sqlite.Open(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer s.Close()
	ws := twoVersions(t, s, 1, 1_000_000)
	name := filler(t, dir, diskBytes)
	testkit.Must(t, os.Truncate(name, size(t, name)-3<<20))
	testkit.Must(t, testkit.Err(ws.RedactVersion(t.Context(), "plan.md", 1, workspace.RedactOptions{})))
	if err := s.Scrub(t.Context()); !errors.Is(err, store.ErrStorageFull) {
		t.Errorf("Scrub() with little room = %v, want ErrStorageFull", err)
	}
	if info, err := s.Info(t.Context()); err != nil || !info.Redacted {
		t.Errorf("Info().Redacted = %v, %v, want true", info.Redacted, err)
	}
	testkit.Must(t, os.Remove(name))
	testkit.Must(t, s.Scrub(t.Context()))
	waitScrubbed(t, s)
	checkGone(t, s, path, map[int]bool{1: true})
}
