package memorytool_test

import (
	"context"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openStore returns a new database.
func openStore(t testing.TB) workspace.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "scratchpad.db"), sqlite.Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// agentOn returns an agent of a store.
func agentOn(t testing.TB, store workspace.Store) *workspace.Workspace {
	t.Helper()
	svc, err := workspace.New(store, workspace.Options{})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = svc.Close(context.Background()) })
	ws, err := svc.Agent("agent-1")
	testkit.Must(t, err)
	return ws.As(workspace.Author{Client: "test"})
}

func newWorkspace(t testing.TB) *workspace.Workspace {
	t.Helper()
	return agentOn(t, openStore(t))
}

func write(t testing.TB, ws *workspace.Workspace, path, content string) {
	t.Helper()
	if _, err := ws.WriteFile(t.Context(), path, []byte(content), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, ws *workspace.Workspace, path string) string {
	t.Helper()
	r, err := ws.ReadFile(t.Context(), path, workspace.ReadOptions{})
	testkit.Must(t, err)
	return string(r.Content)
}
