package transfer_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/cli/transfer"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// An export with versions takes deleted files along with their deadlines, and a file whose history
// has a gap. An import brings them back as deleted. An export without versions has none of them.
func TestDeletedRoundTrip(t *testing.T) {
	onBothStores(t, func(t *testing.T, open func(t rapid.TB) (workspace.Store, func())) {
		ctx := t.Context()
		clock := testkit.NewClock()
		o := workspace.Options{Now: clock.Now, KeepDeleted: 720 * time.Hour}
		store, done := open(t)
		defer done()
		ws := agent(t, store, "a", o).As(workspace.Author{Client: "claude"})
		deletedOnes(t, ws, clock)

		dir := filepath.Join(t.TempDir(), "all")
		sum, err := transfer.Export(ctx, ws, dir, transfer.ExportOptions{Versions: true, Now: clock.Now})
		if err != nil || sum.Files != 1 || sum.Deleted != 4 { // moved keeps its first version
			t.Fatalf("Export = %+v, %v, want 1 file and 4 deleted ones", sum, err)
		}
		plain := filepath.Join(t.TempDir(), "plain")
		sum, err = transfer.Export(ctx, ws, plain, transfer.ExportOptions{Now: clock.Now})
		manifest, err2 := os.ReadFile(filepath.Join(plain, "manifest.json"))
		if err = errors.Join(err, err2); err != nil || sum.Deleted != 0 || strings.Contains(string(manifest), "gone") {
			t.Errorf("Export without versions = %+v, %v", sum, err)
		}

		clock.Advance(720*time.Hour - 30*time.Minute) // soon has expired
		target, done2 := open(t)
		defer done2()
		in := agent(t, target, "b", o)
		opt := transfer.ImportOptions{Now: clock.Now}
		opt.DryRun = true
		dry, err := transfer.Import(ctx, in, dir, opt)
		testkit.Must(t, err)
		opt.DryRun = false
		r, err := transfer.Import(ctx, in, dir, opt)
		if err != nil || len(r.Changes) != 4 || len(dry.Changes) != 4 || len(r.LeftOut) != 1 ||
			!strings.Contains(r.LeftOut[0].Reason, "was kept until") {
			t.Fatalf("Import = %+v, %v, and in a dry run %+v", r, err, dry)
		}
		if again, err := transfer.Import(ctx, in, dir, opt); err != nil || len(again.Changes) != 0 || again.Same != 4 {
			t.Errorf("Import again = %+v, %v, want nothing", again, err)
		}
		sameDeleted(t, ws, in)
		if r, err := in.RestoreFile(ctx, "gone", workspace.RestoreOptions{}); err != nil || r.Version != 3 {
			t.Errorf("RestoreFile = %+v, %v, want version 3", r, err)
		}
	})
}

// A deleted file that cannot be brought back is left out with the reason, also in a dry run, and
// is never called the same.
func TestDeletedLeftOut(t *testing.T) {
	ctx := t.Context()
	o := workspace.Options{KeepDeleted: 720 * time.Hour}
	store := memstore.New()
	defer store.Close()
	ws := agent(t, store, "a", o)
	paths := []string{"live", "purged", "later", "same"}
	for _, path := range append(paths, "again") {
		write(t, ws, path, path)
		if path != "again" {
			testkit.Must(t, testkit.Err(ws.DeleteFile(ctx, path, workspace.DeleteOptions{})))
		}
	}
	dir := filepath.Join(t.TempDir(), "all")
	testkit.Must(t, testkit.Err(transfer.Export(ctx, ws, dir, transfer.ExportOptions{Versions: true})))
	for _, path := range []string{"live", "later"} {
		write(t, ws, path, "another")
	}
	for _, path := range []string{"purged", "later", "again"} {
		gone := workspace.DeleteOptions{ForGood: path != "later"}
		testkit.Must(t, testkit.Err(ws.DeleteFile(ctx, path, gone)))
	}
	kept := []string{"live", "purged", "later"}
	for _, dry := range []bool{true, false} {
		r, err := transfer.Import(ctx, ws, dir, transfer.ImportOptions{DryRun: dry})
		if err != nil || r.Same != 1 || len(r.Changes) != 1 || r.Changes[0].Path != "again" ||
			r.Changes[0].Versions != 1 || len(r.LeftOut) != len(kept) {
			t.Errorf("Import, dry run %t = %+v, %v", dry, r, err)
		}
		for _, l := range r.LeftOut {
			path := strings.Split(l.Name, "/")[1]
			if !slices.Contains(kept, path) || !strings.Contains(l.Reason, "has, or has had, another file of this path") {
				t.Errorf("left out %+v", l)
			}
		}
	}
}

// A file that is deleted while the files are listed is exported as deleted, and once if it is also
// written again. Of a deleted file whose last version is damaged, an import brings nothing, and
// says why once.
func TestDeletedMeanwhile(t *testing.T) {
	ctx := t.Context()
	o := workspace.Options{KeepDeleted: 720 * time.Hour}
	store := memstore.New()
	defer store.Close()
	ws := agent(t, store, "a", o)
	remove := func(path string) {
		testkit.Must(t, testkit.Err(ws.DeleteFile(ctx, path, workspace.DeleteOptions{})))
	}
	for _, path := range []string{"f", "damaged"} {
		write(t, ws, path, "one")
	}
	remove("damaged")
	afterList := func(n int64, s workspace.Store, fn func()) workspace.Store {
		return &stepStore{Store: s, at: 2*n + 1, stop: fn}
	}
	quick := afterList(1, store, func() { remove("f") })
	if sum := export(t, agent(t, quick, "a", o), t.TempDir(), true); sum.Files != 0 || sum.Deleted != 2 {
		t.Errorf("Export = %+v, want f as a deleted file, and damaged", sum)
	}
	testkit.Must(t, testkit.Err(ws.RestoreFile(ctx, "f", workspace.RestoreOptions{})))
	busy := afterList(1, afterList(2, store, func() { write(t, ws, "f", "two") }), func() { remove("f") })
	dir := t.TempDir()
	if sum := export(t, agent(t, busy, "a", o), dir, true); sum.Files != 1 || sum.Deleted != 1 || sum.Versions != 4 {
		t.Errorf("Export = %+v, want f with three versions, and damaged", sum)
	}
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "versions", "damaged", "%v1"), []byte("?"), 0o600))
	r := importAll(t, memory(t, o), dir)
	if len(r.Changes) != 1 || len(r.LeftOut) != 1 || !strings.Contains(r.LeftOut[0].Reason, "do not match the SHA-256") {
		t.Errorf("Import = %+v", r)
	}
}

// deletedOnes deletes files, one an hour before the others, and makes a history with a gap.
func deletedOnes(t *testing.T, ws *workspace.Workspace, clock *testkit.Clock) {
	ctx := t.Context()
	remove := func(path string) {
		clock.Advance(time.Minute)
		testkit.Must(t, testkit.Err(ws.DeleteFile(ctx, path, workspace.DeleteOptions{})))
	}
	for _, path := range []string{"gone", "gone", "old", "old", "old", "moved", "redacted", "redacted", "soon"} {
		write(t, ws, path, path+clock.Now().String())
		clock.Advance(time.Minute)
	}
	remove("soon")
	clock.Advance(time.Hour)
	remove("gone")
	remove("redacted")
	testkit.Must(t, testkit.Err(ws.RedactVersion(ctx, "redacted", 2, workspace.RedactOptions{})))
	remove("old")
	testkit.Must(t, testkit.Err(ws.MoveFile(ctx, "moved", "old", workspace.MoveOptions{}))) // old has 1 to 3, and 4
}

// sameDeleted compares the deleted files of two agents, and the versions.
func sameDeleted(t *testing.T, ws, in *workspace.Workspace) {
	ctx := t.Context()
	deleted := workspace.ListOptions{Deleted: true}
	want, err := ws.ListFiles(ctx, deleted)
	testkit.Must(t, err)
	got, err := in.ListFiles(ctx, deleted)
	testkit.Must(t, err)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(workspace.FileInfo{}, "Created")); diff != "" || len(got.Files) != 3 {
		t.Errorf("deleted files, want - got +:\n%s", diff)
	}
	for _, path := range []string{"gone", "old", "redacted", "moved"} {
		want, err := ws.History(ctx, path)
		testkit.Must(t, err)
		got, err := in.History(ctx, path)
		testkit.Must(t, err)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(workspace.VersionInfo{}, "Created")); diff != "" {
			t.Errorf("versions of %s, want - got +:\n%s", path, diff)
		}
	}
}
