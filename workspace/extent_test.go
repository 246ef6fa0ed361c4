package workspace_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An extent says how much there is to read, and does not count as a read.
func TestExtent(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for _, text := range []string{"one", "the longest", "two"} {
		write(t, ws, "f", text)
	}
	before := usage(t, ws).Operations
	for path, want := range map[string]workspace.Extent{"f": {Version: 3, Bytes: 3, Largest: 11}, "none": {}} {
		if got, err := ws.FileExtent(t.Context(), path); err != nil || got != want {
			t.Errorf("FileExtent(%s) = %+v, %v, want %+v", path, got, err, want)
		}
	}
	_, err := ws.FileExtent(t.Context(), "../f")
	wantErr(t, "FileExtent of a bad path", err, workspace.ErrInvalid)
	if got := usage(t, ws).Operations - 1; got != before { // Usage counts itself
		t.Errorf("%d operations, want %d as before", got, before)
	}
}
