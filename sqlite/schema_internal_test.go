package sqlite

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
)

// Whoever opens a database while another process migrates it sees one schema or the other,
// never a part of both.
func TestIdentifyDuringMigration(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	other, err := dial(path, "rwc", "journal_mode(WAL)", "synchronous(OFF)", busyTimeout)
	testkit.Must(t, err)
	defer other.close()
	become := func(version int64) error {
		var script string
		if err := other.Each(func(f *row.Fields) error {
			script += "DROP TABLE " + f.Text() + ";\n"
			return nil
		}, "SELECT name FROM sqlite_master WHERE type = 'table'"); err != nil {
			return err
		}
		return other.Script("BEGIN IMMEDIATE;\n" + script + schemaText(version) + fmt.Sprintf(";\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\nCOMMIT", applicationID, version))
	}
	testkit.Must(t, become(2))
	var stop atomic.Bool
	changed, failed := 0, make(chan error, 1)
	go func() {
		var err error
		for ; !stop.Load() && err == nil; changed++ {
			err = become(2 + int64(changed)%2)
		}
		failed <- err
	}()
	seen := map[int64]int{}
	for range testkit.Pick(60, 300, 300) {
		if _, err := look(path); err != nil {
			t.Error(err)
			break
		}
		c, err := dialRead(path, busyTimeout)
		testkit.Must(t, err)
		if err := c.identify(); err != nil {
			t.Error(err)
		}
		seen[c.schema]++
		c.close()
	}
	stop.Store(true)
	if err := <-failed; err != nil || seen[2] == 0 || seen[3] == 0 {
		t.Errorf("the schema was changed %d times, and seen as %v: %v", changed, seen, err)
	}
}
