package workspace_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
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
		since := read(t, d.ws, "f", workspace.ReadOptions{Since: 1, Context: -1})
		if since.VersionTooOld || since.Diff == nil {
			t.Errorf("since version 1 = %+v, want a diff", since)
		}
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
