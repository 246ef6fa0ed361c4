package sqlite_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// lines keeps what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// In a damaged list of free pages is one that is in use. It is not set to zero: nothing
// of a damaged database is changed.
func TestScrubDamaged(t *testing.T) {
	t.Parallel()
	const size = 1_000_000
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	twoVersions(t, s, 1, size)
	testkit.Must(t, s.Close())
	c := startChild(t, "redact", path)
	for range c.lines {
	}
	testkit.Must(t, fold(t.Context(), path))
	raw := readBytes(t, path)
	live := bytes.Index(raw, []byte("<0000002:000")) / pageSize * pageSize
	for bytes.Count(raw[live:live+pageSize], []byte("<0000002:")) < 250 { // the first page is one of the tree
		live += pageSize
	}
	trunk := int(binary.BigEndian.Uint32(raw[32:])) - 1
	if n := binary.BigEndian.Uint32(raw[trunk*pageSize+4:]); n < 100 {
		t.Fatalf("the list has %d free pages: nothing is tested", n)
	}
	binary.BigEndian.PutUint32(raw[trunk*pageSize+8+4*50:], uint32(live/pageSize)+1)
	testkit.Must(t, os.WriteFile(path, raw, 0o600))

	var logged lines
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	testkit.Must(t, err)
	for began := time.Now(); !strings.Contains(logged.String(), "redacted content may still be"); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("after a minute, %q was logged, want why the content is still there", logged.String())
		}
	}
	if !strings.Contains(logged.String(), "is damaged") {
		t.Errorf("%q was logged, want that the database is damaged", logged.String())
	}
	svc, err := workspace.New(s, workspace.Options{})
	testkit.Must(t, err)
	ws, err := svc.Agent("a")
	testkit.Must(t, err)
	r, err := ws.ReadFile(t.Context(), "plan.md", workspace.ReadOptions{})
	if err != nil || !bytes.Equal(r.Content, canary(2, size)) {
		t.Errorf("ReadFile = %d bytes, %v, want the content as it was", len(r.Content), err)
	}
	testkit.Must(t, s.Close())
	if after := readBytes(t, path); !bytes.Equal(after, raw) {
		t.Error("the damaged database was changed")
	}
}

// While a reader stays in the log, the pass does not go on and on, so that the log stays
// short. It ends when the reader has left.
func TestScrubBoundsLog(t *testing.T) {
	t.Parallel()
	const files, size = 45, 1 << 20
	path := filepath.Join(t.TempDir(), "test.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { s.Close() })
	ws := twoVersions(t, s, 1, 5000)
	for i := range files {
		_, err := ws.WriteFile(t.Context(), fmt.Sprint("file-", i), canary(3+i, size), workspace.WriteOptions{})
		testkit.Must(t, err)
	}
	for i := range files {
		_, err := ws.DeleteFile(t.Context(), fmt.Sprint("file-", i), workspace.DeleteOptions{})
		testkit.Must(t, err)
	}
	testkit.Must(t, s.View(context.Background(), workspace.Owner{Tenant: "local", Agent: "a"}, func(r workspace.Reader) error {
		if _, err := r.Owner(); err != nil {
			return err
		}
		if _, err := ws.RedactVersion(t.Context(), "plan.md", 1, workspace.RedactOptions{}); err != nil {
			return err
		}
		most := int64(0)
		slow := func(took time.Duration) bool { return most < 8<<20 && took < time.Minute }
		for began := time.Now(); time.Since(began) < 2*time.Second || slow(time.Since(began)); time.Sleep(10 * time.Millisecond) {
			info, err := os.Stat(path + "-wal")
			testkit.Must(t, err)
			most = max(most, info.Size())
		}
		if most < 8<<20 || most > 32<<20 {
			t.Errorf("the log had %d bytes at most, want about 16 MiB", most)
		}
		return nil
	}))
	waitScrubbed(t, s)
	checkGone(t, s, path, map[int]bool{1: true, 3: true})
}
