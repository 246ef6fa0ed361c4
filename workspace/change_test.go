package workspace_test

import (
	"math"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The largest limit is as good as none.
func TestChangesUnlimited(t *testing.T) {
	svc, _ := newService(t, workspace.Options{Limits: workspace.Limits{Changes: math.MaxInt64}})
	ws := agentOf(t, svc, "a")
	write(t, ws, "a", "1")
	write(t, ws, "b", "1")
	wantChanges(t, ws, since(0), "2 create:file:a:0-1 create:file:b:0-1")
}
