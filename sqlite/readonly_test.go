package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/google/go-cmp/cmp"
)

// Reading a database with the log of a crash changes no byte.
func TestOpenReadOnly(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	d := crashed(t)
	path := filepath.Join(t.TempDir(), "crashed.db")
	write(t, path, d.db)
	write(t, path+"-wal", d.wal)
	before := state(t, filepath.Dir(path))
	s, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	testkit.Must(t, err)
	report, err := s.Verify(t.Context(), sqlite.VerifyOptions{})
	if err != nil || report.Problems != nil || report.Owners != 3 {
		t.Errorf("Verify() = %+v, %v; want 3 owners without problems", report, err)
	}
	if problems, err := s.Check(t.Context()); err != nil || problems != nil {
		t.Errorf("Check() = %v, %v; want nil", problems, err)
	}
	info, err := s.Info(t.Context())
	if err != nil || info.Schema != sqlite.SchemaVersion || info.Newest != sqlite.SchemaVersion || info.PageSize != 4096 || info.Pages < 10 {
		t.Errorf("Info() = %+v, %v", info, err)
	}
	if owners, err := s.Owners(t.Context(), store.OwnersQuery{Tenant: "local", Limit: 10}); err != nil || len(owners.Owners) != 3 {
		t.Errorf("Owners() = %v, %v; want 3", owners, err)
	}
	mustNotWrite(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	mustKeep(t, path, before)
}

func mustNotWrite(t *testing.T, s *sqlite.Store) {
	t.Helper()
	if _, err := workspaceOn(t, s, "alice").WriteFile(t.Context(), "new.md", nil, workspace.WriteOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("WriteFile = %v, want ErrReadOnly", err)
	}
	records := s.System(t.Context())
	if _, err := records.Put("key", nil, 0); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Put = %v, want ErrReadOnly", err)
	}
	if err := records.Delete("key", 1); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Delete = %v, want ErrReadOnly", err)
	}
}

func TestOpenReadOnlyOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.db")
	write(t, empty, nil)
	for _, path := range []string{filepath.Join(dir, "none.db"), empty} {
		if _, err := sqlite.OpenReadOnly(t.Context(), path, quiet); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("OpenReadOnly(%s) = %v, want ErrNotFound", path, err)
		}
	}
	if diff := cmp.Diff([]string{"empty.db"}, names(t, dir)); diff != "" {
		t.Errorf("the folder holds (-want +got):\n%s", diff)
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	testkit.Must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A store for reading sees what an earlier store writes.
func TestReadOnlyFollows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	ws := workspaceOn(t, open(t, path), "alice")
	fill(t, ws, 3)
	s, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer s.Close()
	for _, want := range []string{"one", "two"} {
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "plan.md", []byte(want), workspace.WriteOptions{})))
		testkit.Must(t, s.View(t.Context(), alice, func(r store.Reader) error {
			l, err := r.Load(store.Query{File: "plan.md", Current: true})
			if got := string(l.Version.Content); got != want {
				t.Errorf("content = %q, want %q", got, want)
			}
			return err
		}))
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	var pages, bytes int64
	o := sqlite.BackupOptions{
		Progress: func(done, total int64) { pages = done * 100 / total },
		Verify:   func(done, total int64) { bytes = done * 100 / total },
	}
	if err := s.Backup(t.Context(), copied, o); err != nil || pages != 100 || bytes == 0 {
		t.Errorf("Backup = %v, %d %% copied, %d %% verified", err, pages, bytes)
	}
}

// Check finds a broken page.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	ours(t, path)
	script(t, path, "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'logs_deleted') WHERE name = 'files_deleted'")
	look, err := sqlite.OpenReadOnly(t.Context(), path, quiet)
	testkit.Must(t, err)
	defer look.Close()
	problems, err := look.Check(t.Context())
	if err != nil || !strings.HasPrefix(strings.Join(problems, "\n"), "structure: ") {
		t.Errorf("Check() = %q, %v; want a problem of the structure", problems, err)
	}
}

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
