package sqlite_test

import (
	"bytes"
	"encoding/binary"
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
	testkit.SkipInShort(t)
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
