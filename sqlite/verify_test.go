package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// A log that ends too early, as after a disk that has lied about a sync, is damage. SQLite
// ends the transaction of whoever meets it.
func TestVerifyTornLog(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	const frame = 24 + 4096 // a page in the log
	for _, cut := range []int64{1, 3, 10, 60} {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "test.db")
			s := open(t, path)
			for _, agent := range []string{"alice", "bob"} {
				fill(t, workspaceOn(t, s, agent), 20)
			}
			script(t, path, "UPDATE versions SET created = created + 1; UPDATE versions SET created = created - 1")
			info, err := os.Stat(path + "-wal")
			testkit.Must(t, err)
			testkit.Must(t, os.Truncate(path+"-wal", info.Size()-cut*frame))
			r, err := s.Verify(t.Context(), sqlite.VerifyOptions{})
			if err != nil || len(r.Problems) == 0 {
				t.Errorf("Verify() = %q, %v, want problems", r.Problems, err)
			}
			if cut < 30 && r.Owners != 2 {
				t.Errorf("it checked %d agents, want both; problems: %q", r.Owners, r.Problems)
			}
		})
	}
}
