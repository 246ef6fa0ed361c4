package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Whenever the disk gets full, a migration has happened as a whole or not at all. If
// not, the database reads as before, and is migrated when there is room again.
func TestMigrationOnAFullDisk(t *testing.T) {
	dir := smallDisk(t)
	want := goldenDump(t)
	defer sqlite.OnMigrationStep(func(string) {})
	failed := map[string]int{}
	for _, at := range append([]string{"open"}, sqlite.MigrationSteps...) {
		path := filepath.Join(dir, at+".db")
		if err := os.WriteFile(path, readBytes(t, filepath.Join("testdata", "schema1", "schema1.db")), 0o600); err != nil {
			t.Fatal(err)
		}
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
		if err := os.Remove(full); err != nil {
			t.Fatal(err)
		}
		sqlite.OnMigrationStep(func(string) {})
		if err != nil {
			failed[at]++
			if !errors.Is(err, workspace.ErrStorageFull) {
				t.Errorf("%s: Open on a full disk = %v, want ErrStorageFull", at, err)
			}
			wantDump(t, path, 1, want)
			if s, err = sqlite.Open(t.Context(), path, quiet); err != nil {
				t.Fatalf("%s: Open with room again = %v", at, err)
			}
		}
		if diff := cmp.Diff(want, dumpStore(t, s)); diff != "" {
			t.Errorf("%s: what is read in the end, want - got +:\n%s", at, diff)
		}
		wantOneCopy(t, path)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if failed["open"] == 0 || failed["copy"] == 0 || failed["begin"] == 0 {
		t.Errorf("the disk was full in the steps %v, want open, copy and begin among them", failed)
	}
}
