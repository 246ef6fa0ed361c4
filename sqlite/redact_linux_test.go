package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A redaction gets the reserve of a full disk, as a deletion does.
func TestFullDiskRedact(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "full.db")
	s, err := sqlite.Open(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer s.Close()
	stop := keepBusy(t, s)
	defer stop()
	filler(t, dir, 9<<20)
	ws, acked := agent(t, newService(t, s), "alice"), newLedger()
	for _, content := range [][]byte{text(100_000, "secret", 0), []byte("clean")} {
		_, err := ws.WriteFile(t.Context(), "secret", content, workspace.WriteOptions{})
		testkit.Must(t, err)
	}
	writeUntilFull(t, ws, acked)
	fillUp(t, dir)
	stop()
	if _, err := ws.RedactVersion(t.Context(), "secret", 1, workspace.RedactOptions{}); err != nil {
		t.Errorf("RedactVersion on a full disk = %v", err)
	}
	if got := size(t, path+"-reserve"); got != 0 {
		t.Errorf("the reserve has %d bytes: this disk was not full", got)
	}
	if r, err := s.Verify(t.Context(), sqlite.VerifyOptions{}); err != nil || r.Problems != nil {
		t.Errorf("Verify after it = %q, %v", r.Problems, err)
	}
}
