package sqlite_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Making a database removes what earlier attempts at the same path have left, and
// nothing else. Opening an existing one removes nothing.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	gone := []string{"a.db-new-123-part", "a.db-new-123-part-wal", "a.db-new-123-part-shm", "a.db-new-0-part-journal"}
	kept := []string{
		"a.db-new-", "a.db-new-123", "a.db-new--part", "a.db-new-12x-part", "a.db-new-12-part-", "a.db-new-12-part-turn",
		"a.db-new-12-part-wal-wal", "a.db-new-1-part-part", "b.db-new-12-part", "xa.db-new-12-part", "a.dbx-new-12-part", "a.db-old-12-part",
	}
	fill := func(names []string) {
		for _, name := range names {
			testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
		}
	}
	fill(gone)
	fill(kept)
	testkit.Must(t, os.Mkdir(path+"-new-7-part", 0o700))
	testkit.Must(t, os.Symlink("a.db-new-", path+"-new-8-part"))
	kept = append(kept, "a.db-new-7-part", "a.db-new-8-part")
	open(t, path).Close()
	want := append([]string{"a.db", "a.db-reserve", "a.db-turn", "a.db-write"}, kept...)
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("after the creation there are\n%q, want\n%q", got, want)
	}
	fill(gone)
	open(t, path).Close()
	want = append(want, gone...)
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("after opening what is there, there are\n%q, want\n%q", got, want)
	}
}
