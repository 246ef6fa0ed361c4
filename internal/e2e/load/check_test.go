//go:build linux

package load

import (
	"bytes"
	"context"
	"os/exec"
	"testing"

	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// checkStored checks that the database holds what was acknowledged, and nothing else. The
// server has ended.
func checkStored(t *testing.T, db string, agents []*agent) {
	t.Helper()
	if out, err := exec.Command(scratchpadPath, "verify", "--db", db).CombinedOutput(); err != nil {
		t.Errorf("scratchpad verify: %v\n%s", err, out)
	}
	store, err := sqlite.OpenReadOnly(t.Context(), db, sqlite.Options{})
	must(t, err)
	defer store.Close()
	tenants := map[string]*workspace.Service{}
	for _, a := range agents {
		if tenants[a.tenant] == nil {
			tenants[a.tenant], err = workspace.New(store, workspace.Options{Tenant: a.tenant})
			must(t, err)
		}
		if len(a.entries)+len(a.files) == 0 {
			continue
		}
		ws, err := tenants[a.tenant].Look(a.name)
		if err != nil {
			a.found.add("%s has %d entries and %d files that were acknowledged: %v", a.name, len(a.entries), len(a.files), err)
			continue
		}
		a.checkLog(t.Context(), ws)
		a.checkFiles(t.Context(), ws)
	}
}

func (a *agent) checkLog(ctx context.Context, ws *workspace.Workspace) {
	var stored []workspace.Entry
	for more := true; more; {
		o := workspace.ReadLogOptions{}
		if n := len(stored); n > 0 {
			o.Since = stored[n-1].ID
		}
		page, err := ws.ReadLog(ctx, "log", o)
		if err != nil {
			a.found.add("%s: read the log: %v", a.name, err)
			return
		}
		stored, more = append(stored, page.Entries...), page.More
	}
	if len(stored) != len(a.entries) {
		a.found.add("%s: %d entries were acknowledged, %d are stored", a.name, len(a.entries), len(stored))
	}
	for i := range min(len(stored), len(a.entries)) {
		if got := string(stored[i].Content); got != a.entries[i] {
			a.found.add("%s: entry %d is %.100q, want %.100q", a.name, i+1, got, a.entries[i])
			return
		}
	}
}

func (a *agent) checkFiles(ctx context.Context, ws *workspace.Workspace) {
	list, err := ws.ListFiles(ctx, workspace.ListOptions{})
	if err != nil || len(list.Files) != len(a.files) {
		a.found.add("%s: %d files were acknowledged, %d are stored: %v", a.name, len(a.files), len(list.Files), err)
	}
	for path, want := range a.files {
		got, err := ws.ReadFile(ctx, path, workspace.ReadOptions{})
		if err != nil || got.Version != want.version || !bytes.Equal(got.Content, []byte(want.content)) {
			a.found.add("%s: %s is version %d, %.100q, %v; want version %d, %.100q", a.name, path, got.Version, got.Content, err, want.version, want.content)
		}
	}
}
