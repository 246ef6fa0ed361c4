package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
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
