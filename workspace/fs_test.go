package workspace_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func newWorkspace(t testing.TB, o workspace.Options) *workspace.Workspace {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { store.Close() })
	svc, err := workspace.New(store, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { svc.Close(t.Context()) })
	ws, err := svc.Agent("agent-1")
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func write(t testing.TB, ws *workspace.Workspace, path, content string) {
	t.Helper()
	if _, err := ws.WriteFile(t.Context(), path, []byte(content), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestFS(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	names := []string{"plan.md", "notes/a.md", "notes/b.md", "notes/deep/er/c", "notes-2/x", "empty"}
	for _, name := range names {
		write(t, ws, name, "content of "+name)
	}
	write(t, ws, "empty", "")
	for i := range 450 { // several pages
		write(t, ws, "many/"+string(rune('a'+i%26))+"/"+string(rune('a'+i/26)), "x")
	}
	if err := fstest.TestFS(workspace.FS(t.Context(), ws), names...); err != nil {
		t.Fatal(err)
	}
}

// A path may be a file and the folder of others at once: the folder is shown.
func TestFSFileAndFolder(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, name := range []string{"a", "a/b", "a/b/c", "a.b", "a-b/c", "z"} {
		write(t, ws, name, name)
	}
	if err := fstest.TestFS(workspace.FS(t.Context(), ws), "a/b/c", "a.b", "a-b/c", "z"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "a/b"} {
		info, err := fs.Stat(workspace.FS(t.Context(), ws), name)
		if err != nil || !info.IsDir() {
			t.Errorf("Stat(%q) = %v, %v, want a folder", name, info, err)
		}
	}
}
