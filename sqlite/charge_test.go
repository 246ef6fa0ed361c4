package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Rows are charged for about what they take on disk, within a factor of two for names
// of a common length. So 100,000 empty entries are not free. SCRATCHPAD_TEST=full also
// makes 100,000 files, versions and logs.
func TestChargeIsNearTheDisk(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	for name, fill := range chargeFills() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testCharge(t, fill)
		})
	}
}

// chargeFills are ways to fill an agent's workspace with rows that have no content.
func chargeFills() map[string]func(*testing.T, *workspace.Workspace) {
	path := func(n int) string { return fmt.Sprintf("notes/%013d.md", n) } // 22 characters
	write := func(t *testing.T, ws *workspace.Workspace, n int) {
		if _, err := ws.WriteFile(t.Context(), path(n), nil, workspace.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]func(*testing.T, *workspace.Workspace){
		"entries": func(t *testing.T, ws *workspace.Workspace) {
			for range pick(3, 40) {
				if _, err := ws.AppendLog(t.Context(), path(0), make([][]byte, 1000)...); err != nil {
					t.Fatal(err)
				}
			}
		},
		"versions": func(t *testing.T, ws *workspace.Workspace) {
			count := testkit.Pick(600, 6_000, 100_000)
			for n := range count {
				write(t, ws, n%(count/10))
			}
		},
		"files": func(t *testing.T, ws *workspace.Workspace) {
			for n := range testkit.Pick(500, 5_000, 100_000) {
				write(t, ws, n)
			}
		},
		"logs": func(t *testing.T, ws *workspace.Workspace) {
			for n := range testkit.Pick(500, 5_000, 100_000) {
				if _, err := ws.AppendLog(t.Context(), path(n), nil); err != nil {
					t.Fatal(err)
				}
			}
		},
	}
}

func testCharge(t *testing.T, fill func(*testing.T, *workspace.Workspace)) {
	file := filepath.Join(t.TempDir(), "charge.db")
	s, err := sqlite.Open(t.Context(), file, sqlite.Options{Logger: quiet.Logger})
	testkit.Must(t, err)
	empty := len(readBytes(t, file))
	svc, err := workspace.New(s, workspace.Options{Limits: workspace.Limits{Files: 1e6, Logs: 1e6}})
	testkit.Must(t, err)
	ws := agent(t, svc, "agent-1").As(workspace.Author{Client: "claude-code", Version: "2.1.34"})
	fill(t, ws)
	u, err := ws.Usage(t.Context())
	if err != nil || u.Bytes != 0 {
		t.Fatalf("Usage = %+v, %v, want no content", u, err)
	}
	testkit.Must(t, s.Close())
	disk := int64(len(readBytes(t, file)) - empty)
	t.Logf("%d bytes charged, %d on disk", u.Charge, disk)
	if u.Charge > 2*disk || disk > 2*u.Charge {
		t.Errorf("%d bytes are charged for what takes %d on disk, want within a factor of 2", u.Charge, disk)
	}
}
