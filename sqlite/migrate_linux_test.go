package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Whenever the disk gets full, a migration has happened as a whole or not at all. If
// not, the database reads as before, and is migrated when there is room again.
func TestMigrationOnAFullDisk(t *testing.T) {
	testkit.SkipInShort(t)
	dir := smallDisk(t)
	defer sqlite.OnMigrationStep(func(string) {})
	for from := int64(testkit.Pick(2, 1, 1)); from < sqlite.SchemaVersion; from++ {
		want := pastDump(t, from)
		failed := map[string]bool{}
		for _, at := range testkit.Pick([]string{"open", "copy", "begin", "commit"}, append([]string{"open"}, sqlite.MigrationSteps(from)...), append([]string{"open"}, sqlite.MigrationSteps(from)...)) {
			path := filepath.Join(dir, fmt.Sprintf("%s-%d.db", strings.ReplaceAll(at, " ", ""), from))
			failed[at] = migrateOnAFullDisk(t, path, from, at, want)
		}
		if !failed["open"] || !failed["copy"] || !failed["begin"] {
			t.Errorf("the disk was full in the steps %v, want open, copy and begin among them", failed)
		}
	}
}

// migrateOnAFullDisk fills the disk at a step, and reports whether the migration failed.
func migrateOnAFullDisk(t *testing.T, path string, from int64, at string, want []string) (failed bool) {
	t.Helper()
	dir := filepath.Dir(path)
	testkit.Must(t, os.WriteFile(path, readBytes(t, fixture(t, from)), 0o600))
	full := ""
	sqlite.OnMigrationStep(func(step string) {
		if step == at {
			full = filler(t, dir, freeSpace(t, dir))
		}
	})
	if at == "open" {
		full = filler(t, dir, freeSpace(t, dir)-48<<10)
	}
	s, err := sqlite.Open(t.Context(), path, quiet)
	if full == "" {
		t.Fatalf("no migration reached the step %s", at)
	}
	removeFiller(t, full)
	sqlite.OnMigrationStep(func(string) {})
	if failed = err != nil; failed {
		if !errors.Is(err, store.ErrStorageFull) {
			t.Errorf("%s: Open on a full disk = %v, want ErrStorageFull", at, err)
		}
		wantDump(t, path, from, want)
		if s, err = sqlite.Open(t.Context(), path, quiet); err != nil {
			t.Fatalf("%s: Open with room again = %v", at, err)
		}
	}
	if diff := cmp.Diff(want, dumpStore(t, s)); diff != "" {
		t.Errorf("%s: what is read in the end, want - got +:\n%s", at, diff)
	}
	wantFirstRevisions(t, s, from)
	wantOneCopy(t, path, from)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(path + "*") // the next step needs the room
	for _, name := range left {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		t.Error(err)
	}
	return failed
}

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
