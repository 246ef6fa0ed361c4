package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// If a newer version migrates the database while a process has it open, that process
// stores and reads nothing more, and says why.
func TestFence(t *testing.T) {
	for name, writes := range map[string]int{"a write meets it": 2, "a read meets it": 0} {
		t.Run(name, func(t *testing.T) { meetFence(t, writes) })
	}
}

func meetFence(t *testing.T, writes int) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	ws := workspaceOn(t, s, "alice")
	put(t, ws, "plan.md")
	expectFile(t, ws, "plan.md", "plan.md")
	look, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer look.Close()
	if _, err := look.Info(t.Context()); err != nil {
		t.Error(err)
	}
	back := fmt.Sprint("PRAGMA user_version = ", mustCount(t, path, "PRAGMA user_version"))
	script(t, path, "PRAGMA user_version = 99")
	for range writes {
		_, err := ws.WriteFile(t.Context(), "after", nil, workspace.WriteOptions{})
		mustBeFenced(t, err)
	}
	_, err = ws.ReadFile(t.Context(), "plan.md", workspace.ReadOptions{})
	mustBeFenced(t, err)
	_, err = look.Info(t.Context())
	mustBeFenced(t, err)
	_, err = look.Verify(t.Context(), sqlite.VerifyOptions{})
	mustBeFenced(t, err)
	mustBeFenced(t, look.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db"), sqlite.BackupOptions{}))
	script(t, path, back)
	if _, err := ws.WriteFile(t.Context(), "after", nil, workspace.WriteOptions{}); !errors.Is(err, store.ErrUnsupported) {
		t.Errorf("WriteFile = %v; want ErrUnsupported until the process is started again", err)
	}
	if n := mustCount(t, path, "SELECT count(*) FROM files WHERE path = 'after'"); n != 0 {
		t.Error("a write was stored under the newer schema")
	}
}

func mustBeFenced(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrUnsupported) || !strings.Contains(err.Error(), "migrated the database to schema 99") || !strings.Contains(err.Error(), "newer scratchpad") {
		t.Errorf("the error is %v; want ErrUnsupported, the schema and what to do", err)
	}
}

// During a migration among many writers, acknowledged writes were stored before it, and
// none after it.
func TestFenceAmongWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := open(t, path)
	svc, err := workspace.New(s, workspace.Options{Limits: workspace.Limits{Files: 1_000_000, Bytes: 1 << 30}}) // for the time until the migration has its turn
	testkit.Must(t, err)
	acked := newLedger()
	var wg sync.WaitGroup
	warm := make(chan struct{}, 8)
	for n := range 8 {
		ws := agent(t, svc, fmt.Sprintf("agent-%d", n))
		wg.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("file-%d", i)
				err := acked.write(context.Background(), ws, name, []byte(name))
				if i == 20 || err != nil {
					select {
					case warm <- struct{}{}:
					default:
					}
				}
				if err != nil {
					acked.remove(ws.Agent(), name)
					if !errors.Is(err, store.ErrUnsupported) {
						t.Errorf("write = %v, want ErrUnsupported", err)
					}
					return
				}
			}
		})
	}
	for range 8 {
		<-warm
	}
	back := fmt.Sprint("PRAGMA user_version = ", mustCount(t, path, "PRAGMA user_version"))
	// In one transaction, as a migration is, with the number of files then.
	script(t, path, "PRAGMA busy_timeout = 60000", "BEGIN IMMEDIATE", "CREATE TABLE at_migration AS SELECT count(*) AS n FROM files", "PRAGMA user_version = 99", "COMMIT")
	wg.Wait()
	if after := mustCount(t, path, "SELECT (SELECT count(*) FROM files) - n FROM at_migration"); after != 0 {
		t.Errorf("%d files were written after the migration", after)
	}
	script(t, path, "DROP TABLE at_migration", back)
	testkit.Must(t, s.Close())
	reopenAndCheck(t, nil, path, acked)
}
