package workspace_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func newWorkspace(t testing.TB, o workspace.Options) *workspace.Workspace {
	t.Helper()
	svc, _ := newService(t, o)
	return agentOf(t, svc, "agent-1")
}

func write(t testing.TB, ws *workspace.Workspace, path, content string) {
	t.Helper()
	testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, []byte(content), workspace.WriteOptions{})))
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
	if _, err := fs.Stat(workspace.FS(t.Context(), ws), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat of no file = %v, want ErrNotExist", err)
	}
}

func TestSaver(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{Limits: workspace.Limits{FileBytes: 400}})
	saver := workspace.Saver(ws, "pad.json")
	if s, err := saver.Load(t.Context()); s != nil || err != nil {
		t.Fatalf("Load() before a Save = %v, %v, want nil, nil", s, err)
	}
	text := `{"entries":{"a":{"key":"a","value":1,"createdAt":1,"updatedAt":1,"accessedAt":1,"ttl":null,"slidingTtl":false,"tags":[]}},"timestamp":1,"version":1}`
	var s pad.Snapshot
	testkit.Must(t, s.UnmarshalJSON([]byte(text)))
	for range 2 {
		testkit.Must(t, saver.Save(t.Context(), &s))
	}
	got, err := saver.Load(t.Context())
	testkit.Must(t, err)
	if b, err := got.MarshalJSON(); string(b) != text || err != nil {
		t.Errorf("Load() = %s, %v, want %s", b, err, text)
	}
	if h, err := ws.History(t.Context(), "pad.json"); len(h) != 2 || err != nil {
		t.Errorf("History() = %v, %v, want 2 versions", h, err)
	}
	testkit.Must(t, s.UnmarshalJSON([]byte(strings.Replace(text, `"value":1`, `"value":"`+strings.Repeat("x", 400)+`"`, 1))))
	if err := saver.Save(t.Context(), &s); !errors.Is(err, workspace.ErrTooLarge) || !errors.Is(err, pad.ErrPersist) {
		t.Errorf("Save() over the limit = %v, want ErrTooLarge and ErrPersist", err)
	}
	write(t, ws, "pad.json", "no snapshot")
	if _, err := saver.Load(t.Context()); !errors.Is(err, pad.ErrPersist) {
		t.Errorf("Load() of other text = %v, want ErrPersist", err)
	}
}
