package main

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// People see the names that memory stores have, and can delete an empty one.
func TestAgentsOfMemoryStores(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "test.db")
	in := []string{"SCRATCHPAD_DB=" + path}
	writeFile(t, filepath.Join(dir, "plan.md"), "plan")
	runCommand(t, dir, in, "files", "write", "plan.md", "plan.md", "--agent", "shop").must(t, 0)
	err := withDatabase(path, func(ctx context.Context, svc *workspace.Service) error {
		for agent, p := range map[string]workspace.Profile{"shop": {Name: "Shop \x1b[31m", Archived: time.Unix(1e9, 0)}, "empty": {Name: "Empty"}} {
			if _, err := svc.UpdateProfile(ctx, agent, func(workspace.Profile, bool) (workspace.Profile, error) { return p, nil }); err != nil {
				return err
			}
		}
		return nil
	})
	testkit.Must(t, err)
	runCommand(t, dir, in, "agents", "ls").must(t, 0, `Shop \u001b[31m (archived)`)
	runCommand(t, dir, in, "agents", "ls", "--json").must(t, 0, `"name":"Shop \u001b[31m","archived":"2001-09-09T01:46:40Z"}`)
	runCommand(t, dir, in, "agents", "rm", "empty", "--yes").must(t, 0, "empty: deleted, 0 files, 0 logs")
	runCommand(t, dir, in, "agents", "rm", "empty", "--yes").must(t, 3, "there is no such agent")
}
