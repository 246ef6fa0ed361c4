package workspace_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// projects returns the projects of the versions of a file, "-" for none.
func projects(t testing.TB, ws *workspace.Workspace, path string) (all string) {
	t.Helper()
	versions, err := ws.History(t.Context(), path)
	testkit.Must(t, err)
	for _, v := range versions {
		all += map[string]string{"": "-"}[v.Project] + v.Project
	}
	return all
}

// A project that writes a file again and again does not push out what others wrote, by small and
// by large edits, and does not make the file grow without an end.
func TestProjectKeepsOthersVersions(t *testing.T) {
	for _, size := range []int{1, 20_000} {
		own := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Versions: 3}})
		shop := own.As(workspace.Author{Client: "c"}).From("shop").As(workspace.Author{Client: "d"})
		write(t, shop, "style.md", "0")
		write(t, own, "style.md", strings.Repeat("x", size))
		for n := range 29 {
			if _, err := shop.EditFile(t.Context(), "style.md", "", fmt.Sprint(n), workspace.EditOptions{}); err != nil {
				t.Fatalf("edit %d: %v", n, err)
			}
		}
		_, err := shop.WriteFile(t.Context(), "style.md", nil, workspace.WriteOptions{})
		wantErr(t, "a write too many", err, workspace.ErrConflict, "version 2 was written outside of project shop", "only a person")
		if got := projects(t, own, "style.md"); got != "-"+strings.Repeat("shop", 29) {
			t.Errorf("the versions are from %q", got)
		}
		if r := read(t, own, "style.md", workspace.ReadOptions{Version: 2}); len(r.Content) != size || r.Project != "" {
			t.Errorf("version 2 has %d bytes, and is from %q", len(r.Content), r.Project)
		}
		if r := read(t, own, "style.md", workspace.ReadOptions{}); r.Project != "shop" || r.Author.Client != "d" {
			t.Errorf("the current version is by %v, from %q", r.Author, r.Project)
		}
		_, err = own.From("api").WriteFile(t.Context(), "style.md", nil, workspace.WriteOptions{})
		wantErr(t, "a write from another project", err, workspace.ErrConflict, "version 2 was written outside of project api")
		_, err = own.RestoreFile(t.Context(), "style.md", workspace.RestoreOptions{Version: 31})
		testkit.Must(t, err)
		write(t, own, "style.md", "x")
		if got := projects(t, own, "style.md"); got != "shop--" {
			t.Errorf("what was restored and written in the end is from %q", got)
		}
		for range 4 { // in turn
			write(t, shop, "style.md", "x")
			write(t, own.From("api"), "style.md", "x")
		}
		if got := projects(t, own, "style.md"); got != "-"+strings.Repeat("shopapi", 4) {
			t.Errorf("after writes from two projects the versions are from %q", got)
		}
		for range 5 {
			write(t, shop, "own.md", "x")
		}
		if got := projects(t, own, "own.md"); got != "shopshopshop" {
			t.Errorf("a file of the project alone has the versions %q, want three", got)
		}
	}
}

// A project writes no START.md, by no spelling, and takes away nothing that others wrote.
func TestProjectIsRefused(t *testing.T) {
	own := newWorkspace(t, workspace.Options{Paths: workspace.UnicodePaths})
	shop, ctx := own.From("shop"), t.Context()
	for _, ws := range []*workspace.Workspace{shop, own} {
		write(t, ws, "theirs.md", "x")
		write(t, ws, "a/START.md", "x")
	}
	write(t, shop, "own.md", "x")
	write(t, own, "START.md", "x")
	write(t, own, "START.md", "y")
	for name, do := range map[string]func(path string) error{
		"write":  func(p string) error { _, err := shop.WriteFile(ctx, p, nil, workspace.WriteOptions{}); return err },
		"edit":   func(p string) error { _, err := shop.EditFile(ctx, p, "", "x", workspace.EditOptions{}); return err },
		"append": func(p string) error { _, err := shop.AppendLog(ctx, p, []byte("x")); return err },
		"delete": func(p string) error { _, err := shop.DeleteFile(ctx, p, workspace.DeleteOptions{}); return err },
		"tree":   func(p string) error { return workspace.DeleteTree(ctx, shop, p) },
		"move":   func(p string) error { _, err := shop.MoveFile(ctx, p, "b", workspace.MoveOptions{}); return err },
		"to":     func(p string) error { _, err := shop.MoveFile(ctx, "own.md", p, workspace.MoveOptions{}); return err },
		"redact": func(p string) error { _, err := shop.RedactVersion(ctx, p, 1, workspace.RedactOptions{}); return err },
		"restore": func(p string) error {
			return testkit.Err(shop.RestoreFile(ctx, p, workspace.RestoreOptions{Version: 1}))
		},
		"import": func(p string) error {
			return testkit.Err(shop.ImportFile(ctx, p, []workspace.Version{{Number: 1}}))
		},
	} {
		for _, path := range []string{"START.md", "start.md", "Start.MD", "./START.md", "a/../START.md", "/START.md", "\u017ftart.md", "START.md/"} {
			if err := do(path); !errors.Is(err, workspace.ErrInvalid) {
				t.Errorf("%s of %q = %v, want ErrInvalid", name, path, err)
			}
		}
		if name == "delete" || name == "tree" || name == "move" || name == "redact" {
			wantErr(t, name+" of a file of others", do("theirs.md"), workspace.ErrConflict, "version 2 was written outside")
		}
	}
	err := workspace.DeleteTree(ctx, shop, "a")
	wantErr(t, "DeleteTree", err, workspace.ErrConflict)
	if got := projects(t, own, "START.md") + projects(t, own, "theirs.md") + projects(t, own, "a/START.md"); got != "--shop-shop-" {
		t.Errorf("after all of that the versions are from %q", got)
	}
	if d, err := shop.DeleteFile(ctx, "own.md", workspace.DeleteOptions{}); err != nil || !d.Deleted {
		t.Errorf("the deletion of an own file = %+v, %v", d, err)
	}
}

// A write from a project makes the store forget nothing of what others have done: no change, no
// request and no number of a deleted path. A write of another makes room.
func TestProjectForgetsNothing(t *testing.T) {
	svc, store := newService(t, workspace.Options{Limits: workspace.Limits{Changes: 3}})
	own, ctx := agentOf(t, svc, "a"), t.Context()
	shop := own.From("shop")
	keyed := workspace.WriteOptions{IdempotencyKey: "k"}
	first, err := own.WriteFile(ctx, "theirs.md", nil, keyed)
	testkit.Must(t, err)
	for n := range 101 {
		write(t, shop, "own.md", fmt.Sprint(n))
	}
	_, err = shop.WriteFile(ctx, "own.md", nil, workspace.WriteOptions{})
	wantErr(t, "a write into a full journal", err, workspace.ErrQuota, "the journal is full", "only a person")
	_, err = shop.DeleteFile(ctx, "own.md", workspace.DeleteOptions{})
	wantErr(t, "a deletion", err, workspace.ErrQuota, "the journal is full")
	if s := stateOf(t, store, own); s.Changes != s.Revision {
		t.Errorf("the journal has lost %d changes", s.Revision-s.Changes)
	}
	write(t, own, "mine.md", "x")
	write(t, shop, "own.md", "x")
	changeState(t, store, func(s *port.OwnerState) { s.Requests = 1000 })
	_, err = shop.WriteFile(ctx, "own.md", nil, workspace.WriteOptions{IdempotencyKey: "new"})
	wantErr(t, "a key too many", err, workspace.ErrQuota, "all idempotency keys of a day are used")
	if again, err := own.WriteFile(ctx, "theirs.md", nil, keyed); err != nil || again.Version != first.Version {
		t.Errorf("the first write again = %+v, %v", again, err)
	}
	changeState(t, store, func(s *port.OwnerState) { s.Requests, s.DeletedFiles = 1, 5000 })
	write(t, shop, "own.md", "y")
	_, err = shop.DeleteFile(ctx, "own.md", workspace.DeleteOptions{})
	wantErr(t, "a deletion too many", err, workspace.ErrQuota, "the numbers of 5000 deleted paths are kept")
	testkit.Must(t, testkit.Err(own.DeleteFile(ctx, "own.md", workspace.DeleteOptions{})))
}

// A project fills half of the limits of files and of bytes, the others the rest.
func TestProjectHasHalf(t *testing.T) {
	own := newWorkspace(t, workspace.Options{Limits: workspace.Limits{Files: 4, Bytes: 20_000}})
	shop := own.From("shop")
	write(t, shop, "a", "x")
	write(t, own, "b", strings.Repeat("x", 6000))
	_, err := shop.WriteFile(t.Context(), "c", nil, workspace.WriteOptions{})
	wantErr(t, "a third file", err, workspace.ErrQuota, "file limit reached (2 of 2)", "half of the limit")
	_, err = shop.WriteFile(t.Context(), "a", make([]byte, 4000), workspace.WriteOptions{})
	wantErr(t, "too many bytes", err, workspace.ErrQuota, "of 10000", "half of the limit")
	write(t, shop, "a", "y")
	write(t, own, "c", strings.Repeat("x", 6000))
	write(t, own, "d", "x")
	_, err = shop.WriteFile(t.Context(), "a", nil, workspace.WriteOptions{})
	wantErr(t, "a write over half", err, workspace.ErrQuota)
	_, err = shop.DeleteFile(t.Context(), "a", workspace.DeleteOptions{})
	testkit.Must(t, err)
}
