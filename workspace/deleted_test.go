package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

const month = 30 * 24 * time.Hour

// A deleter is an agent whose deleted files are kept for 30 days.
type deleter struct {
	t     *testing.T
	store workspace.Store
	svc   *workspace.Service
	ws    *workspace.Workspace
	clock *testkit.Clock
}

// deletions runs a test on memory and on SQLite, and then checks that all counters are right.
func deletions(t *testing.T, o workspace.Options, fn func(t *testing.T, d *deleter)) {
	arranged(t, func(t *testing.T, s workspace.Store) {
		d := &deleter{t: t, store: s, clock: testkit.NewClock()}
		o.Now = d.clock.Now
		if o.KeepDeleted == 0 {
			o.KeepDeleted = month
		}
		d.svc = serviceOn(t, s, o)
		d.ws = agentOf(t, d.svc, "a").As(workspace.Author{Client: "claude", Version: "2.1", Key: "k"})
		fn(t, d)
		d.check()
	})
}

// check checks every row of the agent, and its counters.
func (d *deleter) check() {
	d.t.Helper()
	r, err := dump.Check(d.t.Context(), d.store, port.Owner{Tenant: "local", Agent: "a"})
	if err != nil || r.Problems != nil {
		d.t.Fatalf("Check = %v, %v, want no problem", r.Problems, err)
	}
}

// write writes versions of a file, a minute apart.
func (d *deleter) write(path string, contents ...string) {
	d.t.Helper()
	for _, content := range contents {
		d.clock.Advance(time.Minute)
		write(d.t, d.ws, path, content)
	}
}

func (d *deleter) delete(path string, o workspace.DeleteOptions) workspace.DeleteResult {
	d.t.Helper()
	d.clock.Advance(time.Minute)
	r, err := d.ws.DeleteFile(d.t.Context(), path, o)
	testkit.Must(d.t, err)
	return r
}

func (d *deleter) restore(path string, version int64) workspace.WriteResult {
	d.t.Helper()
	d.clock.Advance(time.Minute)
	r, err := d.ws.RestoreFile(d.t.Context(), path, workspace.RestoreOptions{Version: version})
	testkit.Must(d.t, err)
	return r
}

// versions returns the retained versions of a path: number and text, "-" if it is redacted.
func (d *deleter) versions(path string) (all []string) {
	d.t.Helper()
	infos, err := d.ws.History(d.t.Context(), path)
	if err != nil && !errors.Is(err, workspace.ErrNotFound) {
		d.t.Fatal(err)
	}
	for _, v := range infos {
		text := "-"
		if v.Redacted == nil {
			text = string(read(d.t, d.ws, path, workspace.ReadOptions{Version: v.Version}).Content)
		}
		all = append(all, fmt.Sprintf("%d %s", v.Version, text))
	}
	return all
}

func (d *deleter) want(path string, versions ...string) {
	d.t.Helper()
	if diff := cmp.Diff(versions, d.versions(path)); diff != "" {
		d.t.Errorf("versions of %s, want - got +:\n%s", path, diff)
	}
}

// A deleted file keeps its versions, and comes back with its numbers and its time of creation.
func TestDeleteAndRestore(t *testing.T) {
	deletions(t, workspace.Options{}, func(t *testing.T, d *deleter) {
		d.write("f", "one", "two")
		created := listOf(t, d.ws, workspace.ListOptions{})[0].Created
		before := usage(t, d.ws)
		got := d.delete("f", workspace.DeleteOptions{IdempotencyKey: "k"})
		until := d.clock.Now().UTC().Add(month)
		want := workspace.DeleteResult{Path: "f", Deleted: true, Versions: 2, Until: until}
		if got != want {
			t.Errorf("DeleteFile = %+v, want %+v", got, want)
		}
		if again := d.delete("f", workspace.DeleteOptions{IdempotencyKey: "k"}); again != want {
			t.Errorf("DeleteFile again = %+v, want %+v", again, want)
		}
		if got := d.delete("f", workspace.DeleteOptions{}); got != (workspace.DeleteResult{Path: "f"}) {
			t.Errorf("DeleteFile of a deleted file = %+v, want nothing", got)
		}
		u := usage(t, d.ws)
		if u.Files != 0 || u.Bytes != before.Bytes || u.DeletedBytes != 6 {
			t.Errorf("usage = %+v, want no file, and the 6 bytes of a deleted one", u)
		}
		_, err := d.ws.ReadFile(t.Context(), "f", workspace.ReadOptions{})
		wantErr(t, "ReadFile", err, workspace.ErrNotFound, `it was deleted by "claude" at`, "version 2 is kept until")
		var gone *workspace.Deletion
		if !errors.As(err, &gone) || gone.Last != 2 || !gone.Until.Equal(until) || gone.Deleter.Key != "k" {
			t.Errorf("the error has the Deletion %+v", gone)
		}
		if r := read(t, d.ws, "f", workspace.ReadOptions{Version: 1}); string(r.Content) != "one" || r.Current != 0 {
			t.Errorf("version 1 of the deleted file = %+v", r)
		}
		if list := listOf(t, d.ws, workspace.ListOptions{}); len(list) != 0 {
			t.Errorf("ListFiles = %+v, want no file", list)
		}
		list := listOf(t, d.ws, workspace.ListOptions{Deleted: true})
		if len(list) != 1 || list[0].Version != 2 || list[0].Bytes != 3 || list[0].Versions != 2 ||
			!list[0].Expires.Equal(until) || list[0].Deleter.Client != "claude" {
			t.Errorf("ListFiles of deleted files = %+v", list)
		}
		if r := d.restore("f", 0); r.Version != 3 || read(t, d.ws, "f", workspace.ReadOptions{}).Version != 3 {
			t.Errorf("RestoreFile = %+v, want version 3", r)
		}
		d.want("f", "1 one", "2 two", "3 two")
		if now := listOf(t, d.ws, workspace.ListOptions{})[0].Created; !now.Equal(created) {
			t.Errorf("the restored file was created at %v, want %v", now, created)
		}
		if u := usage(t, d.ws); u.Files != 1 || u.DeletedBytes != 0 {
			t.Errorf("usage = %+v, want one file", u)
		}
		d.delete("f", workspace.DeleteOptions{})
		if got := d.delete("f", workspace.DeleteOptions{ForGood: true}); !got.Deleted || got.Removed != 3 {
			t.Errorf("DeleteFile of a deleted file for good = %+v, want three versions removed", got)
		}
		d.want("f")
	})
}

func listOf(t testing.TB, ws *workspace.Workspace, o workspace.ListOptions) []workspace.FileInfo {
	t.Helper()
	list, err := ws.ListFiles(t.Context(), o)
	testkit.Must(t, err)
	return list.Files
}

// A file that is written after a deletion goes on with the versions, and each version knows which
// file it is of.
func TestWriteAfterDelete(t *testing.T) {
	deletions(t, workspace.Options{Limits: workspace.Limits{Versions: 4}}, func(t *testing.T, d *deleter) {
		d.write("f", "one", "two")
		first := listOf(t, d.ws, workspace.ListOptions{})[0].Created
		d.delete("f", workspace.DeleteOptions{})
		r, err := d.ws.WriteFile(t.Context(), "f", []byte("three"), workspace.WriteOptions{IfVersion: ptr(0)})
		if err != nil || r.Version != 3 {
			t.Fatalf("WriteFile = %+v, %v, want version 3", r, err)
		}
		second := listOf(t, d.ws, workspace.ListOptions{})[0].Created
		if !second.After(first) {
			t.Errorf("the new file was created at %v, the old one at %v", second, first)
		}
		d.want("f", "1 one", "2 two", "3 three")
		d.delete("f", workspace.DeleteOptions{})
		if r := d.restore("f", 1); r.Version != 4 {
			t.Errorf("RestoreFile = %+v, want version 4", r)
		}
		page, err := workspace.ViewVersions(t.Context(), d.ws, workspace.VersionsQuery{Created: first})
		testkit.Must(t, err)
		numbers := []int64{}
		for _, v := range page.Versions {
			numbers = append(numbers, v.Version.Number)
		}
		if diff := cmp.Diff([]int64{4, 2, 1}, numbers); diff != "" {
			t.Errorf("versions of the first file, want - got +:\n%s", diff)
		}
		v, err := workspace.ViewFile(t.Context(), d.ws, workspace.FileQuery{Created: second, Version: 3, Content: true})
		if err != nil || string(v.Version.Content) != "three" || !v.File.Deleted || !v.File.Created.Equal(second) {
			t.Errorf("ViewFile = %+v, %v, want version 3 of a deleted file", v, err)
		}
		_, err = workspace.ViewFile(t.Context(), d.ws, workspace.FileQuery{Created: second})
		wantErr(t, "ViewFile", err, workspace.ErrNotFound)
		d.write("f", "five")
		d.want("f", "2 two", "3 three", "4 one", "5 five")
		d.check()
	})
}

// After its time a deleted file is as if it never was, and the next writes remove its bytes. A clock
// that was set back only makes the time longer.
func TestDeletionExpires(t *testing.T) {
	deletions(t, workspace.Options{}, func(t *testing.T, d *deleter) {
		ctx := t.Context()
		for i := range 25 {
			d.write(fmt.Sprintf("f%d", i), "text")
		}
		for i := range 25 {
			d.delete(fmt.Sprintf("f%d", i), workspace.DeleteOptions{})
		}
		d.clock.Advance(month)
		if _, err := d.ws.RestoreFile(ctx, "f24", workspace.RestoreOptions{}); err == nil || errors.As(err, new(*workspace.Deletion)) {
			t.Errorf("RestoreFile after the time = %v, want ErrNotFound", err)
		}
		_, err := d.ws.ReadFile(ctx, "f24", workspace.ReadOptions{Version: 1})
		wantErr(t, "ReadFile", err, workspace.ErrNotFound, "there is no such file")
		d.want("f24")
		if list := listOf(t, d.ws, workspace.ListOptions{Deleted: true}); len(list) != 0 {
			t.Errorf("there are %d deleted files, want none", len(list))
		}
		page, err := workspace.ViewVersions(ctx, d.ws, workspace.VersionsQuery{})
		if err != nil || len(page.Versions) != 0 {
			t.Errorf("ViewVersions = %d versions, %v, want none", len(page.Versions), err)
		}
		d.clock.Advance(-5 * time.Minute) // f20 to f24 are there again
		if len(listOf(t, d.ws, workspace.ListOptions{Deleted: true})) < 2 {
			t.Error("before its time a deleted file is gone")
		}
		d.clock.Advance(5 * time.Minute)
		d.write("f24", "again")
		d.want("f24", "2 again")
		for range 2 {
			d.write("g", "x")
		}
		if u := usage(t, d.ws); u.DeletedBytes != 0 {
			t.Errorf("usage after three writes = %+v, want nothing of deleted files", u)
		}
		d.clock.Advance(40 * 24 * time.Hour)
		d.write("g", "y")
		d.clock.Advance(-40 * 24 * time.Hour)
		if r := d.delete("g", workspace.DeleteOptions{}); r.Until.Before(d.clock.Now().Add(69 * 24 * time.Hour)) {
			t.Errorf("deleted with a clock that was set back until %v", r.Until)
		}
		d.clock.Advance(70 * 24 * time.Hour)
		n, err := workspace.HasExpired(ctx, d.store, d.clock.Now())
		if err != nil || n != 1 {
			t.Errorf("HasExpired = %d, %v, want 1", n, err)
		}
		if n, err := workspace.DropExpired(ctx, d.store, d.clock.Now(), true); err != nil || n != 1 {
			t.Errorf("DropExpired = %d, %v, want 1", n, err)
		}
		if u := usage(t, d.ws); u.DeletedBytes != 0 {
			t.Errorf("usage after DropExpired = %+v", u)
		}
	})
}

// Changes shows no text of a deleted file after its time.
func TestExpiredInChanges(t *testing.T) {
	deletions(t, workspace.Options{}, func(t *testing.T, d *deleter) {
		d.write("f", "one", "two")
		d.delete("f", workspace.DeleteOptions{})
		d.clock.Advance(month)
		changes, err := d.ws.Changes(t.Context(), workspace.ChangesOptions{Each: true, Diffs: true})
		testkit.Must(t, err)
		for _, diff := range changes.Diffs {
			if len(diff.Text) > 0 {
				t.Errorf("Changes shows %q of a deleted file after its time", diff.Text)
			}
		}
	})
}

// A deleted version can be redacted, the last one too, and cannot be restored then.
func TestRedactDeleted(t *testing.T) {
	deletions(t, workspace.Options{}, func(t *testing.T, d *deleter) {
		d.write("f", "one", "two")
		created := listOf(t, d.ws, workspace.ListOptions{})[0].Created
		d.delete("f", workspace.DeleteOptions{})
		for _, n := range []int64{2, 2} {
			v, err := d.ws.RedactVersion(t.Context(), "f", n, workspace.RedactOptions{Created: created})
			if err != nil || v.Redacted == nil || v.Version != n || !v.Created.Equal(created) {
				t.Errorf("RedactVersion = %+v, %v", v, err)
			}
		}
		d.want("f", "1 one", "2 -")
		if l := listOf(t, d.ws, workspace.ListOptions{Deleted: true}); len(l) != 1 || l[0].Version != 1 || l[0].Bytes != 3 {
			t.Errorf("deleted files = %+v, want version 1 of 3 bytes", l)
		}
		_, err := d.ws.RestoreFile(t.Context(), "f", workspace.RestoreOptions{Version: 2})
		wantErr(t, "RestoreFile", err, workspace.ErrNotFound, "version 2 was redacted")
		_, err = d.ws.ReadFile(t.Context(), "f", workspace.ReadOptions{})
		wantErr(t, "ReadFile", err, workspace.ErrNotFound, "version 1 is kept until")
		_, err = d.ws.RedactVersion(t.Context(), "f", 1, workspace.RedactOptions{Created: created.Add(1000)})
		wantErr(t, "RedactVersion of another file", err, workspace.ErrNotFound)
		changes, err := d.ws.Changes(t.Context(), workspace.ChangesOptions{Since: 1})
		testkit.Must(t, err)
		if len(changes.Paths) != 1 || changes.Paths[0].After != 0 {
			t.Errorf("Changes = %+v, want a deleted file", changes.Paths)
		}
		d.restore("f", 0)
		d.want("f", "1 one", "2 -", "3 one")
	})
}

// A deleted file of which all versions are redacted is not said to be restorable.
func TestRedactAllOfDeleted(t *testing.T) {
	deletions(t, workspace.Options{}, func(t *testing.T, d *deleter) {
		d.write("f", "one")
		d.write("empty", "")
		d.delete("f", workspace.DeleteOptions{})
		d.delete("empty", workspace.DeleteOptions{})
		_, err := d.ws.RedactVersion(t.Context(), "f", 1, workspace.RedactOptions{})
		testkit.Must(t, err)
		if l := listOf(t, d.ws, workspace.ListOptions{Deleted: true}); len(l) != 1 || l[0].Path != "empty" {
			t.Errorf("deleted files = %v, want the empty one", l)
		}
		_, err = d.ws.ReadFile(t.Context(), "f", workspace.ReadOptions{})
		wantErr(t, "ReadFile", err, workspace.ErrNotFound, "there is no such file")
		_, err = d.ws.RestoreFile(t.Context(), "f", workspace.RestoreOptions{})
		wantErr(t, "RestoreFile", err, workspace.ErrNotFound, "version 1 was redacted")
		if told := new(workspace.Error); !errors.As(err, &told) || told.Way != (port.Way{}) {
			t.Errorf("RestoreFile = %v, want no way out", err)
		}
		d.restore("empty", 0)
		d.want("empty", "1 ", "2 ")
	})
}

// Pages of deleted files have each of them once. An error names the kept versions of a path, and
// whether there are gaps.
func TestDeletedPages(t *testing.T) {
	deletions(t, workspace.Options{}, func(t *testing.T, d *deleter) {
		for _, path := range []string{"c", "a", "b"} {
			d.write(path, "text")
			d.delete(path, workspace.DeleteOptions{})
		}
		var got []string
		for o := (workspace.ListOptions{Deleted: true, Limit: 1}); ; {
			page, err := d.ws.ListFiles(t.Context(), o)
			testkit.Must(t, err)
			for _, f := range page.Files {
				got = append(got, f.Path)
			}
			if o.After = page.Next; !page.More {
				break
			}
		}
		if strings.Join(got, "") != "abc" {
			t.Errorf("deleted files = %q", got)
		}
		v := imports(1, 3)
		v[2].Number = 7
		importFile(t, d.ws, "gaps", v)
		_, err := d.ws.ReadFile(t.Context(), "gaps", workspace.ReadOptions{Version: 5})
		wantErr(t, "ReadFile", err, workspace.ErrNotFound, "version 5 is not kept, versions 1 to 7 are, with gaps")
	})
}

// The error for a missing file says where it has moved, and that a log of its name is there.
func TestDeletedSaysWhatElse(t *testing.T) {
	deletions(t, workspace.Options{}, func(t *testing.T, d *deleter) {
		ctx := t.Context()
		d.write("new.md", "old")
		d.delete("new.md", workspace.DeleteOptions{})
		d.write("plan", "one")
		_, err := d.ws.MoveFile(ctx, "plan", "new.md", workspace.MoveOptions{})
		testkit.Must(t, err)
		_, err = d.ws.ReadFile(ctx, "plan", workspace.ReadOptions{})
		wantErr(t, "ReadFile", err, workspace.ErrNotFound, `it was moved to "new.md" by "claude" at`, "version 1 is kept")
		d.delete("new.md", workspace.DeleteOptions{})
		_, err = d.ws.AppendLog(ctx, "new.md", []byte("x"))
		testkit.Must(t, err)
		_, err = d.ws.ReadFile(ctx, "new.md", workspace.ReadOptions{})
		wantErr(t, "ReadFile", err, workspace.ErrNotFound, `it was deleted by "claude" at`, "a log of this name")
	})
}

// What a move cannot take along stays at the old path, and what a deleted file has left at the
// new path stays there. No two files have one time of creation.
func TestMoveAndDeleted(t *testing.T) {
	deletions(t, workspace.Options{}, func(t *testing.T, d *deleter) {
		move := func(from, to string) {
			d.clock.Advance(time.Minute)
			_, err := d.ws.MoveFile(t.Context(), from, to, workspace.MoveOptions{})
			testkit.Must(t, err)
			d.check()
		}
		d.write("a", "a1", "a2", "a3")
		d.write("b", "b1", "b2")
		d.delete("b", workspace.DeleteOptions{})
		move("a", "b")
		d.want("b", "1 b1", "2 b2", "3 a3", "4 a3")
		d.want("a", "1 a1", "2 a2")
		if list := listOf(t, d.ws, workspace.ListOptions{Deleted: true}); len(list) != 1 || list[0].Version != 2 || list[0].Deleter.Key != "k" {
			t.Errorf("deleted files = %+v, want a", list)
		}
		d.restore("a", 0)
		d.want("a", "1 a1", "2 a2", "4 a2")
		files := listOf(t, d.ws, workspace.ListOptions{})
		if len(files) != 2 || files[0].Created.Equal(files[1].Created) {
			t.Errorf("files = %+v, want two, of different times", files)
		}
		d.write("c", "c1")
		move("c", "d")
		if list := listOf(t, d.ws, workspace.ListOptions{Deleted: true}); len(list) != 0 {
			t.Errorf("deleted files after a move of everything = %+v", list)
		}
		move("d", "c") // c was a file up to 1, d up to 2
		d.want("c", "2 c1", "3 c1")
	})
}

// An agent that is full of deleted files can write: those whose time ends first go, and no more
// than are needed. A limit of all agents refuses as ever, and says how much is of deleted files.
func TestQuotaOfDeleted(t *testing.T) {
	o := workspace.Options{Limits: workspace.Limits{Bytes: 10_000, FileBytes: 9000}, Store: workspace.StoreLimits{Bytes: 11_000}}
	deletions(t, o, func(t *testing.T, d *deleter) {
		text := func(n int) string { return strings.Repeat("x", n) }
		for i := range 4 {
			d.write(fmt.Sprintf("f%d", i), text(2000))
			d.delete(fmt.Sprintf("f%d", i), workspace.DeleteOptions{})
		}
		d.write("new", text(1000), text(1500)) // f0 goes
		names := ""
		for _, f := range listOf(t, d.ws, workspace.ListOptions{Deleted: true}) {
			names += f.Path + " "
		}
		if names != "f1 f2 f3 " {
			t.Errorf("deleted files = %s, want f1 f2 f3", names)
		}
		shop := d.ws.From("shop")
		_, err := shop.WriteFile(t.Context(), "other", []byte(text(1500)), workspace.WriteOptions{})
		wantErr(t, "a write of a project", err, workspace.ErrQuota)
		_, err = d.ws.WriteFile(t.Context(), "new", []byte(text(8000)), workspace.WriteOptions{})
		wantErr(t, "a write of more than all deleted files", err, workspace.ErrQuota, "6000 are of deleted files", "delete what is not needed")
		if n := len(listOf(t, d.ws, workspace.ListOptions{Deleted: true})); n != 3 {
			t.Errorf("%d deleted files after a write that was refused, want 3", n)
		}
		if r := d.restore("f1", 1); r.Version != 2 { // f2 goes, and not f1
			t.Errorf("RestoreFile = %+v, want version 2", r)
		}
		b := agentOf(t, d.svc, "b")
		write(t, b, "x", "x")
		d.clock.Advance(time.Minute)
		_, err = d.ws.WriteFile(t.Context(), "new", []byte(text(1200)), workspace.WriteOptions{})
		if err == nil {
			_, err = b.WriteFile(t.Context(), "y", []byte(text(3000)), workspace.WriteOptions{})
		}
		wantErr(t, "a write over the limit of the store", err, workspace.ErrQuota, "all agents of this store use")
		_, err = b.DeleteFile(t.Context(), "x", workspace.DeleteOptions{})
		testkit.Must(t, err)
		_, err = b.WriteFile(t.Context(), "y", []byte(text(3000)), workspace.WriteOptions{})
		wantErr(t, "a write over the limit of the store", err, workspace.ErrQuota, "1 are of deleted files of this agent", "ForGood")
	})
}

// A path whose deleted file leaves no room for a new one says so.
func TestQuotaOfOwnDeleted(t *testing.T) {
	deletions(t, workspace.Options{Limits: workspace.Limits{Bytes: 10_000}}, func(t *testing.T, d *deleter) {
		d.write("f", strings.Repeat("x", 6000))
		d.delete("f", workspace.DeleteOptions{})
		_, err := d.ws.RestoreFile(t.Context(), "f", workspace.RestoreOptions{})
		wantErr(t, "RestoreFile", err, workspace.ErrQuota, "and 6000 are of deleted files", "ForGood drops them")
	})
}

// An agent keeps the versions of 1,000 deleted files: the next deletion removes the oldest. A
// project may not be the one that does so.
func TestManyDeletions(t *testing.T) {
	testkit.SkipInShort(t)
	deletions(t, workspace.Options{Limits: workspace.Limits{Files: 2000}}, func(t *testing.T, d *deleter) {
		for i := range 1003 {
			path := fmt.Sprintf("f%d", i)
			write(t, d.ws, path, "x")
			d.clock.Advance(time.Second)
			testkit.Must(t, testkit.Err(d.ws.DeleteFile(t.Context(), path, workspace.DeleteOptions{})))
		}
		if u := usage(t, d.ws); u.DeletedBytes != 1000 {
			t.Errorf("usage = %+v, want 1,000 deleted files", u)
		}
		d.want("f2")
		d.want("f3", "1 x")
		shop := d.ws.From("shop")
		write(t, shop, "own", "x")
		_, err := shop.DeleteFile(t.Context(), "own", workspace.DeleteOptions{})
		wantErr(t, "DeleteFile of a project", err, workspace.ErrQuota, "the versions of 500 deleted files are kept")
		found, err := d.svc.DeleteAgent(t.Context(), "a")
		if err != nil || !found || usage(t, d.ws).Bytes != 0 {
			t.Errorf("DeleteAgent = %t, %v, want nothing left", found, err)
		}
		d.write("f3", "new")
		if r := read(t, d.ws, "f3", workspace.ReadOptions{}); r.Version < 2 {
			t.Errorf("the version after DeleteAgent = %d, want above 1", r.Version)
		}
	})
}

// A project can delete what others wrote, and they can restore it; it can remove nothing for good.
func TestProjectDeletes(t *testing.T) {
	deletions(t, workspace.Options{}, func(t *testing.T, d *deleter) {
		shop := d.ws.From("shop")
		d.write("style", "person")
		r, err := shop.DeleteFile(t.Context(), "style", workspace.DeleteOptions{})
		if err != nil || r.Versions != 1 {
			t.Fatalf("DeleteFile of a project = %+v, %v, want a version that is kept", r, err)
		}
		_, err = shop.DeleteFile(t.Context(), "style", workspace.DeleteOptions{ForGood: true})
		wantErr(t, "DeleteFile for good", err, workspace.ErrInvalid, "a project does not delete for good")
		for range 30 {
			write(t, shop, "style", "shop")
		}
		if all := d.versions("style"); all[0] != "1 person" {
			t.Errorf("versions = %v, want the person's", all)
		}
		testkit.Must(t, testkit.Err(shop.DeleteFile(t.Context(), "style", workspace.DeleteOptions{})))
		write(t, shop, "mine", "x")
		_, err = shop.MoveFile(t.Context(), "mine", "style", workspace.MoveOptions{})
		wantErr(t, "MoveFile", err, workspace.ErrConflict, "style has versions of a deleted file")
		d.restore("style", 1)
		if got := read(t, d.ws, "style", workspace.ReadOptions{}); string(got.Content) != "person" {
			t.Errorf("restored %q, want person", got.Content)
		}
		final := agentOf(t, serviceOn(t, d.store, workspace.Options{Now: d.clock.Now}), "a").From("shop")
		_, err = final.DeleteFile(t.Context(), "style", workspace.DeleteOptions{})
		wantErr(t, "DeleteFile that keeps nothing", err, workspace.ErrConflict, "was written outside of project shop")
	})
}

// TestNumbersNameOneText writes, deletes, restores, moves, redacts and forgets at random. Every row
// and every counter fits. A number at a path never stands for two texts, and no answer to Since
// compares with another text than the reader had.
func TestNumbersNameOneText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := &numberer{store: memstore.New(), clock: testkit.NewClock(), said: map[string]map[int64]string{}}
		defer n.store.Close()
		n.keep = pick(month, 0).Draw(t, "keep")
		n.limit(t)
		defer func() { n.svc.Close(context.Background()) }()
		calls := map[string]func(*rapid.T){"": n.check, "limit": n.limit, "forget": n.forget}
		for name, call := range numberedCalls {
			calls[name] = func(t *rapid.T) {
				n.clock.Advance(pick(0, time.Second, time.Hour, -time.Hour, 10*24*time.Hour).Draw(t, "later"))
				ws := n.ws.From(pick("", "", "", "shop").Draw(t, "project"))
				err := call(n, ws, pick(numberedPaths...).Draw(t, "path"))
				if kind := workspace.Kind(err); err != nil && (kind == nil || kind == workspace.ErrCorrupt) {
					t.Fatal(err)
				}
			}
		}
		t.Repeat(calls)
	})
}

var numberedPaths = []string{"a", "a", "b", "c/d"}

// A numberer is an agent, and the texts that were seen there.
type numberer struct {
	store   workspace.Store
	clock   *testkit.Clock
	keep    time.Duration // of deleted files
	svc     *workspace.Service
	ws      *workspace.Workspace
	said    map[string]map[int64]string // by path and number
	written int
}

// limit takes another limit of versions.
func (n *numberer) limit(t *rapid.T) {
	if n.svc != nil {
		testkit.Must(t, n.svc.Close(context.Background()))
	}
	limits := workspace.Limits{Versions: rapid.Int64Range(1, 5).Draw(t, "limit"), Bytes: 6000}
	svc, err := workspace.New(n.store, workspace.Options{Now: n.clock.Now, KeepDeleted: n.keep, Limits: limits})
	testkit.Must(t, err)
	n.svc = svc
	n.ws, err = svc.Agent("a")
	testkit.Must(t, err)
}

// text returns a text that was never written before.
func (n *numberer) text() []byte {
	n.written++
	return fmt.Appendf(nil, "text %d\n%s\n", n.written, strings.Repeat("x", 400))
}

// forget raises the floor to the numbers of all deleted paths, as a deletion does when there are
// too many.
func (n *numberer) forget(t *rapid.T) {
	if n.keep > 0 {
		t.Skip("deleted files are kept")
	}
	testkit.Must(t, n.store.Update(t.Context(), port.Owner{Tenant: "local", Agent: "a"}, func(tx port.Tx) error {
		state, err := tx.Owner()
		if err != nil || state.DeletedFiles == 0 {
			return err
		}
		highest, err := tx.ForgetDeleted(workspace.KindFile, int(state.DeletedFiles))
		state.FileFloor, state.DeletedFiles = max(state.FileFloor, highest), 0
		return errors.Join(err, tx.Apply(state))
	}))
}

func (n *numberer) check(t *rapid.T) {
	r, err := dump.Check(t.Context(), n.store, port.Owner{Tenant: "local", Agent: "a"})
	if err != nil || r.Problems != nil {
		t.Fatalf("Check = %v, %v", r.Problems, err)
	}
	for _, path := range numberedPaths[1:] {
		infos, err := n.ws.History(t.Context(), path)
		if errors.Is(err, workspace.ErrNotFound) {
			continue
		}
		testkit.Must(t, err)
		said := n.said[path]
		if said == nil {
			said = map[int64]string{}
			n.said[path] = said
		}
		for _, v := range infos {
			if v.Redacted != nil {
				continue
			}
			r, err := n.ws.ReadFile(t.Context(), path, workspace.ReadOptions{Version: v.Version})
			testkit.Must(t, err)
			if before, seen := said[v.Version]; seen && before != string(r.Content) {
				t.Fatalf("version %d of %s was %.9q, and is %.9q", v.Version, path, before, r.Content)
			}
			said[v.Version] = string(r.Content)
		}
		n.checkSince(t, path)
	}
}

// checkSince checks that a diff begins with what a reader saw at a number.
func (n *numberer) checkSince(t *rapid.T, path string) {
	now, err := n.ws.ReadFile(t.Context(), path, workspace.ReadOptions{})
	if errors.Is(err, workspace.ErrNotFound) { // it is deleted, and kept
		return
	}
	testkit.Must(t, err)
	for since, text := range n.said[path] {
		r, err := n.ws.ReadFile(t.Context(), path, workspace.ReadOptions{Since: since, Context: -1})
		testkit.Must(t, err)
		got := string(r.Content)
		switch {
		case r.Unchanged:
			got = text
		case r.Diff != nil:
			applied, err := linediff.Apply([]byte(text), r.Diff)
			testkit.Must(t, err)
			got = string(applied)
		case !r.VersionTooOld:
			t.Fatalf("ReadFile(%s) since %d has no diff: %+v", path, since, r)
		}
		if got != string(now.Content) {
			t.Fatalf("ReadFile(%s) since %d leads from %.9q to %.9q, want %.9q", path, since, text, got, now.Content)
		}
	}
}

var numberedCalls = map[string]func(n *numberer, ws *workspace.Workspace, path string) error{
	"write": func(n *numberer, ws *workspace.Workspace, path string) error {
		return testkit.Err(ws.WriteFile(context.Background(), path, n.text(), workspace.WriteOptions{}))
	},
	"append": func(n *numberer, ws *workspace.Workspace, path string) error {
		return testkit.Err(ws.EditFile(context.Background(), path, "", "more\n", workspace.EditOptions{}))
	},
	"delete": func(_ *numberer, ws *workspace.Workspace, path string) error {
		return testkit.Err(ws.DeleteFile(context.Background(), path, workspace.DeleteOptions{}))
	},
	"delete for good": func(_ *numberer, ws *workspace.Workspace, path string) error {
		return testkit.Err(ws.DeleteFile(context.Background(), path, workspace.DeleteOptions{ForGood: true}))
	},
	"delete tree": func(_ *numberer, ws *workspace.Workspace, path string) error {
		return workspace.DeleteTree(context.Background(), ws, path)
	},
	"restore": func(_ *numberer, ws *workspace.Workspace, path string) error {
		infos, err := ws.History(context.Background(), path)
		if err != nil {
			return err
		}
		return testkit.Err(ws.RestoreFile(context.Background(), path, workspace.RestoreOptions{Version: infos[0].Version}))
	},
	"move": func(_ *numberer, ws *workspace.Workspace, path string) error {
		return testkit.Err(ws.MoveFile(context.Background(), path, "b", workspace.MoveOptions{}))
	},
	"move back": func(_ *numberer, ws *workspace.Workspace, path string) error {
		return testkit.Err(ws.MoveFile(context.Background(), "b", path, workspace.MoveOptions{}))
	},
	"redact": func(_ *numberer, ws *workspace.Workspace, path string) error {
		infos, err := ws.History(context.Background(), path)
		if err != nil {
			return err
		}
		return testkit.Err(ws.RedactVersion(context.Background(), path, infos[len(infos)-1].Version, workspace.RedactOptions{}))
	},
}
