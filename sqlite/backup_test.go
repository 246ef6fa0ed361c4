package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/google/go-cmp/cmp"
)

func workspaceOn(t testing.TB, s store.Store, agent string) *workspace.Workspace {
	t.Helper()
	svc := newService(t, s)
	t.Cleanup(func() { svc.Close(t.Context()) })
	ws, err := svc.Agent(agent)
	testkit.Must(t, err)
	return ws
}

func fill(t testing.TB, ws *workspace.Workspace, files int) {
	t.Helper()
	for i := range files {
		content := []byte(strings.Repeat(fmt.Sprintf("line of file %d\n", i), 10*i))
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), fmt.Sprintf("file-%d", i), content, workspace.WriteOptions{IdempotencyKey: fmt.Sprint(i)})))
		testkit.Must(t, testkit.Err(ws.AppendLog(t.Context(), "log", content[:min(len(content), 100)], []byte("second"))))
	}
	testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "file-1", workspace.DeleteOptions{})))
}

// A backup that is taken while writers go on verifies, and holds what was there when it
// began.
func TestBackup(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "test.db"))
	ws := workspaceOn(t, s, "agent-1")
	fill(t, ws, 60)
	for i := range 5 { // so that it takes several steps
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), fmt.Sprint("large-", i), text(1_000_000, i), workspace.WriteOptions{})))
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				ws.WriteFile(t.Context(), "busy", []byte(fmt.Sprint(i)), workspace.WriteOptions{})
			}
		}
	}()
	file := filepath.Join(t.TempDir(), "backup.db")
	var last int64
	err := s.Backup(t.Context(), file, sqlite.BackupOptions{Progress: func(done, total int64) { last = done * 100 / total }})
	close(stop)
	<-done
	if err != nil || last != 100 {
		t.Fatalf("Backup() = %v at %d %%, want nil at 100 %%", err, last)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the backup = %v, %v, want 0600", info.Mode(), err)
	}
	copied := workspaceOn(t, open(t, file), "agent-1")
	for i := 2; i < 60; i++ {
		path := fmt.Sprintf("file-%d", i)
		want, err := ws.ReadFile(t.Context(), path, workspace.ReadOptions{})
		testkit.Must(t, err)
		got, err := copied.ReadFile(t.Context(), path, workspace.ReadOptions{})
		if err != nil || !bytes.Equal(got.Content, want.Content) {
			t.Fatalf("%s in the backup: %v, want the same bytes", path, err)
		}
	}
	if err := s.Backup(t.Context(), file, sqlite.BackupOptions{}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("Backup() over a file = %v, want ErrInvalid", err)
	}
}

func TestVerify(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "test.db"))
	for _, agent := range []string{"a", "b"} {
		fill(t, workspaceOn(t, s, agent), 30)
	}
	report, err := s.Verify(t.Context(), sqlite.VerifyOptions{})
	if err != nil || report.Problems != nil {
		t.Fatalf("Verify() = %v, %v, want no problems", report.Problems, err)
	}
	if report.Owners != 2 || report.Versions != 58 || report.Entries != 120 {
		t.Errorf("Verify() = %+v, want 2 owners, 58 versions, 120 entries", report)
	}
	// An agent that an older version deleted is still checked, and is told apart.
	testkit.Must(t, testkit.Err(newService(t, s).DeleteAgent(t.Context(), "b")))
	testkit.Must(t, s.Update(t.Context(), store.Owner{Tenant: "local", Agent: "b"}, func(tx store.Tx) error {
		return tx.Apply(store.OwnerState{FileFloor: 3, LogFloor: 4, Revision: 5})
	}))
	report, err = s.Verify(t.Context(), sqlite.VerifyOptions{})
	if err != nil || report.Problems != nil || report.Owners != 2 || report.Deleted != 1 {
		t.Errorf("Verify() after DeleteAgent = %+v, %v, want 2 owners, one of them deleted", report, err)
	}
}

// A file beside the new name would be taken for a part of the backup. Backup refuses
// the name before it copies a page, and again before the copy gets the name.
func TestBackupBesideSideFiles(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "test.db"))
	fill(t, workspaceOn(t, s, "agent-1"), 3)
	for _, end := range []string{"-wal", "-shm", "-journal", "-turn", "-write", "-reserve"} {
		for _, when := range []string{"before", "meanwhile"} {
			t.Run(when+end, func(t *testing.T) {
				dir := t.TempDir()
				file := filepath.Join(dir, "copy.db")
				copied := false
				o := sqlite.BackupOptions{
					Progress: func(int64, int64) { copied = true },
					Verify: func(int64, int64) {
						if when == "meanwhile" {
							write(t, file+end, []byte("of another database"))
						}
					},
				}
				if when == "before" {
					write(t, file+end, []byte("of another database"))
				}
				err := s.Backup(t.Context(), file, o)
				if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "copy.db"+end+" is there") {
					t.Errorf("Backup() = %v, want ErrInvalid and the name", err)
				}
				if copied != (when == "meanwhile") {
					t.Errorf("pages were copied: %v", copied)
				}
				if diff := cmp.Diff([]string{"copy.db" + end}, names(t, dir)); diff != "" {
					t.Errorf("the folder holds (-want +got):\n%s", diff)
				}
			})
		}
	}
}

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
