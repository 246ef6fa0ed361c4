package workspace_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func newWorkspace(t testing.TB, o workspace.Options) *workspace.Workspace {
	t.Helper()
	store := memstore.New()
	t.Cleanup(func() { store.Close() })
	svc, err := workspace.New(store, o)
	testkit.Must(t, err)
	t.Cleanup(func() { svc.Close(t.Context()) })
	ws, err := svc.Agent("agent-1")
	testkit.Must(t, err)
	return ws
}

func write(t testing.TB, ws *workspace.Workspace, path, content string) {
	t.Helper()
	testkit.Must(t, failure(ws.WriteFile(t.Context(), path, []byte(content), workspace.WriteOptions{})))
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
	testkit.Must(t, fstest.TestFS(workspace.FS(t.Context(), ws), names...))
}

// A path may be a file and the folder of others at once: the folder is shown.
func TestFSFileAndFolder(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, name := range []string{"a", "a/b", "a/b/c", "a.b", "a-b/c", "z"} {
		write(t, ws, name, name)
	}
	testkit.Must(t, fstest.TestFS(workspace.FS(t.Context(), ws), "a/b/c", "a.b", "a-b/c", "z"))
	for _, name := range []string{"a", "a/b"} {
		info, err := fs.Stat(workspace.FS(t.Context(), ws), name)
		if err != nil || !info.IsDir() {
			t.Errorf("Stat(%q) = %v, %v, want a folder", name, info, err)
		}
	}
}
